#define _GNU_SOURCE
#include "CLarderPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <limits.h>
#include <linux/futex.h>
#include <sys/statfs.h>
#include <sys/syscall.h>

int larder_word_wait(const uint32_t *word, uint32_t expected, int64_t nanoseconds) {
    struct timespec limit = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
    if (syscall(SYS_futex, word, FUTEX_WAIT, expected, &limit, NULL, 0) == 0) return 0;
    // The word had already changed, a signal arrived, or the file was truncated. In each case the caller must check the word again.
    return errno == EAGAIN || errno == EINTR || errno == EFAULT ? 0 : errno;
}

int64_t larder_volume_type(const char *path) {
    struct statfs status;
    return statfs(path, &status) == 0 ? (int64_t)(uint32_t)status.f_type : -1;
}

int larder_reserve(int descriptor, int64_t size) { return fallocate(descriptor, 0, 0, (off_t)size); }

int larder_word_wake(const uint32_t *word) {
    if (syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0) >= 0) return 0;
    // No thread can be waiting on a word beyond the end of a truncated file.
    return errno == EFAULT ? 0 : errno;
}
#elif defined(__APPLE__)
#include <os/os_sync_wait_on_address.h>

int larder_word_wait(const uint32_t *word, uint32_t expected, int64_t nanoseconds) {
    if (os_sync_wait_on_address_with_timeout(
            (void *)word, expected, 4, OS_SYNC_WAIT_ON_ADDRESS_SHARED, OS_CLOCK_MACH_ABSOLUTE_TIME,
            (uint64_t)nanoseconds) >= 0) return 0;
    return errno == EINTR || errno == EFAULT ? 0 : errno;
}

int larder_word_wake(const uint32_t *word) {
    if (os_sync_wake_by_address_all((void *)word, 4, OS_SYNC_WAKE_BY_ADDRESS_SHARED) == 0) return 0;
    return errno == ENOENT ? 0 : errno;
}
#else
int larder_word_wait(const uint32_t *word, uint32_t expected, int64_t nanoseconds) { return ENOTSUP; }
int larder_word_wake(const uint32_t *word) { return ENOTSUP; }
#endif

int larder_word_wait_is_supported(void) {
#if defined(__linux__) || defined(__APPLE__)
    return 1;
#else
    return 0;
#endif
}

#if !defined(__linux__)
int larder_reserve(int descriptor, int64_t size) {
    errno = ENOTSUP;
    return -1;
}

int64_t larder_volume_type(const char *path) {
    errno = ENOTSUP;
    return -1;
}
#endif

int larder_rename_exclusively(const char *source, const char *destination) {
#if defined(__linux__) && defined(SYS_renameat2)
    // The flag 1 is RENAME_NOREPLACE, which some C libraries do not declare.
    if (syscall(SYS_renameat2, AT_FDCWD, source, AT_FDCWD, destination, 1u) == 0) return 0;
    if (errno == EINVAL || errno == ENOSYS) errno = ENOTSUP;
    return -1;
#elif defined(__APPLE__)
    return renamex_np(source, destination, RENAME_EXCL);
#else
    errno = ENOTSUP;
    return -1;
#endif
}

#if defined(__linux__) && defined(F_OFD_SETLK)
static struct flock range(int64_t first, int64_t count) {
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = first, .l_len = count};
    return range;
}

int larder_hold(int descriptor, int64_t place, int is_shared) {
    struct flock wanted = range(place, 1);
    if (is_shared) wanted.l_type = F_RDLCK;
    if (fcntl(descriptor, F_OFD_SETLK, &wanted) == 0) return 1;
    return errno == EAGAIN || errno == EACCES ? 0 : -1;
}

int larder_let_go(int descriptor, int64_t place) {
    struct flock wanted = range(place, 1);
    wanted.l_type = F_UNLCK;
    return fcntl(descriptor, F_OFD_SETLK, &wanted);
}

int64_t larder_held(int descriptor, int64_t first, int64_t count) {
    struct flock wanted = range(first, count);
    if (fcntl(descriptor, F_OFD_GETLK, &wanted) != 0) return -1;
    if (wanted.l_type == F_UNLCK) return 0;
    return wanted.l_start < first ? first : wanted.l_start;
}
#else
int larder_hold(int descriptor, int64_t place, int is_shared) {
    errno = ENOTSUP;
    return -1;
}

int larder_let_go(int descriptor, int64_t place) {
    errno = ENOTSUP;
    return -1;
}

int64_t larder_held(int descriptor, int64_t first, int64_t count) {
    errno = ENOTSUP;
    return -1;
}
#endif

// Accessing a mapped page that can't be read raises SIGBUS. Pages of watched maps are replaced; any other SIGBUS is passed on to the
// handler that was installed before.

// A signal may interrupt a sanitizer's own code, so the handler must not call into the sanitizer.
#if defined(__has_attribute) && __has_attribute(disable_sanitizer_instrumentation)
#define IN_SIGNAL_HANDLER __attribute__((disable_sanitizer_instrumentation))
#else
#define IN_SIGNAL_HANDLER
#endif

// The watched maps. The list only grows, because the signal handler may be walking it; free entries are reused. A start of 0 marks a free
// entry, and 1 marks an entry that is being filled in.
struct watched_map {
    _Atomic uintptr_t start;
    _Atomic size_t count;
    uint32_t is_lost;
    struct watched_map *next;
};
static _Atomic(struct watched_map *) watched_maps;
static size_t page_size;

IN_SIGNAL_HANDLER static struct watched_map *watched(uintptr_t address) {
    for (struct watched_map *place = atomic_load(&watched_maps); place != NULL; place = place->next) {
        uintptr_t start = atomic_load(&place->start);
        // The start is checked again, because the entry may have been reused between the two loads.
        if (start > 1 && address - start < atomic_load(&place->count) && atomic_load(&place->start) == start) return place;
    }
    return NULL;
}

// Replaces a page of a watched map with zeros. The faulting instruction then runs again and reads the zeros.
IN_SIGNAL_HANDLER static int replace_page(uintptr_t address) {
    struct watched_map *place = watched(address);
    if (place == NULL) return 0;
    uintptr_t page = address & ~(uintptr_t)(page_size - 1);
    // If two threads fault on a page at once, both replace it, and the second may discard what the first has stored since. That is
    // harmless, because data stored in a lost page is discarded in any case.
    __atomic_store_n(&place->is_lost, 1, __ATOMIC_SEQ_CST);
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, error = errno;
#if defined(SYS_mmap) && defined(__LP64__) && !defined(__s390x__)
    // Bypasses the library's mmap, which a sanitizer would treat as a write to the whole page. Other systems have a different call.
    int is_done = syscall(SYS_mmap, page, page_size, PROT_READ | PROT_WRITE, flags, -1, 0) == (long)page;
#else
    int is_done = mmap((void *)page, page_size, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED;
#endif
    errno = error;
    return is_done;
}

static struct sigaction earlier_bus_action;
static _Atomic int earlier_handler_is_spent;
static const struct sigaction default_action = {.sa_handler = SIG_DFL};
static pthread_once_t bus_once = PTHREAD_ONCE_INIT;

// Handles a SIGBUS that is not caused by Larder as if Larder's handler were not installed.
//
// An earlier handler is called as the kernel would call it, but not reinstalled, because it may return and this handler is still needed
// for Larder's next lost page.
IN_SIGNAL_HANDLER static void pass_on(int number, siginfo_t *information, void *context) {
    const struct sigaction *earlier = &earlier_bus_action;
    int was_sent = information->si_code <= 0;
#if defined(BUS_MCEERR_AO)
    // The memory failed before any access to it, so no instruction would fault again.
    was_sent = was_sent || information->si_code == BUS_MCEERR_AO;
#endif
    void (*handler)(int) = earlier->sa_handler;
    if (handler == SIG_IGN && was_sent) return;
    // When the kernel calls a handler with SA_RESETHAND, it uninstalls the handler for all threads.
    int is_spent = (earlier->sa_flags & (int)SA_RESETHAND) != 0 && atomic_exchange(&earlier_handler_is_spent, 1);
    if (handler == SIG_DFL || handler == SIG_IGN || is_spent) {
        // Ends the process, even if the fault was ignored. The faulting instruction runs again, so that a core dump shows its
        // location. A signal that a process sent is raised again.
        sigaction(number, &default_action, NULL);
        if (was_sent) raise(number);
        return;
    }
    sigset_t blocked = earlier->sa_mask, before;
    if ((earlier->sa_flags & SA_NODEFER) == 0) sigaddset(&blocked, number);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    if ((earlier->sa_flags & SA_SIGINFO) != 0) earlier->sa_sigaction(number, information, context);
    else handler(number);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

IN_SIGNAL_HANDLER static void handle_bus_error(int number, siginfo_t *information, void *context) {
    uintptr_t address = (uintptr_t)information->si_addr;
    if (information->si_code > 0 && replace_page(address)) return;
    pass_on(number, information, context);
}

static void watch_bus_errors(void) {
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle_bus_error;
    // The earlier handler is read before the new one is installed, because the new one may call it.
    sigaction(SIGBUS, NULL, &earlier_bus_action);
    // The signal is not masked while the handler runs, because an earlier handler that it calls may not return. The earlier handler
    // decides whether interrupted system calls are restarted.
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK | (earlier_bus_action.sa_flags & SA_RESTART);
    sigaction(SIGBUS, &action, &earlier_bus_action);
}

const uint32_t *larder_watch_map(void *start, size_t count) {
    pthread_once(&bus_once, watch_bus_errors);
    struct watched_map *place = atomic_load(&watched_maps);
    for (; place != NULL; place = place->next) {
        uintptr_t expected = 0;
        if (atomic_compare_exchange_strong(&place->start, &expected, 1)) break;
    }
    if (place == NULL) {
        place = malloc(sizeof *place);
        if (place == NULL) return NULL;
        atomic_init(&place->start, 1);
        place->next = atomic_load(&watched_maps);
        while (!atomic_compare_exchange_weak(&watched_maps, &place->next, place)) {}
    }
    atomic_store(&place->count, count);
    __atomic_store_n(&place->is_lost, 0, __ATOMIC_SEQ_CST);
    atomic_store(&place->start, (uintptr_t)start);
    return &place->is_lost;
}

void larder_forget_map(void *start) {
    for (struct watched_map *place = atomic_load(&watched_maps); place != NULL; place = place->next) {
        uintptr_t expected = (uintptr_t)start;
        if (expected != 0 && atomic_compare_exchange_strong(&place->start, &expected, 0)) return;
    }
}

static _Atomic uint64_t fork_generation;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void count_fork(void) { atomic_fetch_add_explicit(&fork_generation, 1, memory_order_relaxed); }
static void watch_forks(void) { pthread_atfork(NULL, NULL, count_fork); }

const void *larder_fork_counter(void) {
    pthread_once(&fork_once, watch_forks);
    return &fork_generation;
}

uint64_t larder_fork_generation(void) {
    pthread_once(&fork_once, watch_forks);
    return atomic_load_explicit(&fork_generation, memory_order_relaxed);
}

void larder_sleep(int64_t seconds, int64_t nanoseconds) {
    struct timespec rest = {.tv_sec = (time_t)seconds, .tv_nsec = (long)nanoseconds};
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {}
}
