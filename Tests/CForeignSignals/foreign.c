#define _GNU_SOURCE
#include "CForeignSignals.h"

#include "CLarderPlatform.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if !defined(__has_feature)
#define __has_feature(name) 0
#endif

static sigjmp_buf recovery;
static int handler_flags, handler_jumps;
static size_t page_size;
// The page on which a thread is about to fault, or NULL while SIGBUS can only be a signal that was sent.
static char *volatile met_page;
static atomic_uint calls;
static _Atomic(const char *) complaint;

static int is_blocked(int number) {
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    return sigismember(&mask, number);
}

static void meet(void) {
    // A handler that can't repair the page would be called forever.
    if (atomic_fetch_add(&calls, 1) > 100) _exit(9);
    if (!is_blocked(SIGUSR1)) atomic_store(&complaint, "A signal in the handler's mask was not blocked.");
    if ((handler_flags & SA_NODEFER) == 0 && !is_blocked(SIGBUS)) atomic_store(&complaint, "SIGBUS was not blocked.");
#if !__has_feature(thread_sanitizer)
    // That sanitizer blocks all signals while a handler runs.
    if ((handler_flags & SA_NODEFER) != 0 && is_blocked(SIGBUS)) atomic_store(&complaint, "SIGBUS was blocked.");
#endif
    if (met_page == NULL) return;
    if (handler_jumps) siglongjmp(recovery, 1);
    mmap(met_page, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void handle(int number) {
    if (number != SIGBUS) atomic_store(&complaint, "The handler was called with another signal number.");
    meet();
}

static void handle_with_information(int number, siginfo_t *information, void *context) {
    if (number != SIGBUS || context == NULL) atomic_store(&complaint, "The handler's arguments were wrong.");
    int is_told = met_page == NULL ? information->si_pid == getpid()
                                   : (uintptr_t)information->si_addr - (uintptr_t)met_page < page_size;
    if (!is_told) atomic_store(&complaint, "The handler received wrong information about the signal.");
    meet();
}

int foreign_handler_install(const char *name) {
    handler_jumps = strcmp(name, "jumping") == 0;
    if (handler_jumps) handler_flags = SA_SIGINFO;
    else if (strcmp(name, "repairing") == 0) handler_flags = SA_SIGINFO | SA_RESTART;
    else if (strcmp(name, "plain") == 0) handler_flags = SA_NODEFER;
    else if (strcmp(name, "once") == 0) handler_flags = (int)SA_RESETHAND;
    else return -1;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    if (handler_flags & SA_SIGINFO) action.sa_sigaction = handle_with_information;
    else action.sa_handler = handle;
    action.sa_flags = handler_flags;
    sigaddset(&action.sa_mask, SIGUSR1);
    // The parent process may have blocked these signals, and the program would inherit that.
    sigset_t both;
    sigemptyset(&both);
    sigaddset(&both, SIGUSR1);
    sigaddset(&both, SIGBUS);
    pthread_sigmask(SIG_UNBLOCK, &both, NULL);
    return sigaction(SIGBUS, &action, NULL);
}

unsigned foreign_handler_calls(void) { return atomic_load(&calls); }

const char *foreign_handler_complaint(void) { return atomic_load(&complaint); }

// A mapped page of a separate file, which `cut` truncates.
struct page {
    FILE *file;
    char *bytes;
};

static struct page map_page(void) {
    struct page page = {.file = tmpfile(), .bytes = NULL};
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    if (page.file == NULL || ftruncate(fileno(page.file), (off_t)page_size) != 0) return page;
    void *bytes = mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(page.file), 0);
    if (bytes != MAP_FAILED) page.bytes = bytes;
    return page;
}

static int cut(struct page page) { return page.bytes != NULL && ftruncate(fileno(page.file), 0) == 0; }

static void unmap(struct page page) {
    if (page.bytes != NULL) munmap(page.bytes, page_size);
    if (page.file != NULL) fclose(page.file);
}

// Reads the first byte of a page whose file was truncated.
static int read_cut_page(char *bytes) {
    unsigned before = foreign_handler_calls();
    met_page = bytes;
    if (sigsetjmp(recovery, 1) == 0) (void)*(volatile char *)bytes;
    met_page = NULL;
    return foreign_handler_calls() == before + 1 && !is_blocked(SIGUSR1) && !is_blocked(SIGBUS);
}

int foreign_fault(void) {
    struct page page = map_page();
    int is_good = cut(page) && read_cut_page(page.bytes);
    unmap(page);
    return is_good ? 0 : -1;
}

int foreign_fault_in_store(void) {
    struct page from = map_page(), to = map_page();
    unsigned before = foreign_handler_calls();
    volatile int error = -1;
    // If the handler returns, larder_store continues and faults on a truncated page itself.
    const uint32_t *is_lost = to.bytes != NULL ? larder_watch_map(to.bytes, page_size) : NULL;
    int is_ready = cut(from) && is_lost != NULL && (handler_jumps || cut(to));
    met_page = from.bytes;
    if (is_ready && sigsetjmp(recovery, 1) == 0) error = larder_store(to.bytes, from.bytes, 64, is_lost);
    met_page = NULL;
    int is_good = is_ready && foreign_handler_calls() == before + 1 && error == (handler_jumps ? -1 : EIO);
    // A fault on a map that is no longer watched goes to the other handler. Pages that were lost before remain zeros.
    if (is_ready) larder_forget_map(to.bytes);
    is_good = is_good && (handler_jumps ? cut(to) && read_cut_page(to.bytes) : foreign_fault() == 0);
    unmap(from);
    unmap(to);
    return is_good ? 0 : -1;
}
