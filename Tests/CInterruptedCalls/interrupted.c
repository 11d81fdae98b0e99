#define _GNU_SOURCE
#include "CInterruptedCalls.h"

#if defined(__linux__) && defined(__LP64__)
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// One of every three calls is interrupted, and one processes half of its bytes.
static const int every_third = -1;

static atomic_int chosen;
static atomic_uint first_cut;
static atomic_uint calls;
static atomic_uint cut;
static atomic_int refuses_room;
static atomic_uint refused;

// Some of these functions are called before a sanitizer is initialized.
#if defined(__clang__)
#define PLAIN __attribute__((no_sanitize("address", "thread", "undefined"), disable_sanitizer_instrumentation))
#else
#define PLAIN
#endif

PLAIN static int begin(int way, unsigned first) {
    atomic_store(&chosen, larder_cut_nothing);
    atomic_store(&calls, 0);
    atomic_store(&first_cut, first);
    atomic_store(&chosen, way);
    return 1;
}

int larder_interrupt_calls(void) { return begin(every_third, 1); }

int larder_cut_calls(larder_cut way, unsigned first) { return begin((int)way, first); }

unsigned larder_counted_calls(void) { return atomic_load(&calls); }

unsigned larder_interrupted_calls(void) { return atomic_load(&cut); }

int larder_refuse_room(void) {
    atomic_store(&refuses_room, 1);
    return 1;
}

unsigned larder_refused_room(void) { return atomic_load(&refused); }

PLAIN static int cuts(void) {
    atomic_fetch_add(&cut, 1);
    return 1;
}

PLAIN static int halves(size_t *count) {
    if (count && *count > 1) {
        *count /= 2;
        atomic_fetch_add(&cut, 1);
    }
    return 0;
}

// Returns whether the call must fail with EINTR. Otherwise, sets `count` to the number of bytes that the call may process.
PLAIN static int interrupts(size_t *count) {
    int way = atomic_load(&chosen);
    if (way == larder_cut_nothing) return 0;
    if ((way == larder_halve_one || way == larder_halve_each) && !(count && *count > 1)) return 0;
    unsigned number = atomic_fetch_add(&calls, 1) + 1;
    if (number < atomic_load(&first_cut)) return 0;
    unsigned later = number - atomic_load(&first_cut);
    switch (way) {
    case larder_cut_one: return later == 0 && cuts();
    case larder_cut_each_twice: return later % 3 < 2 && cuts();
    case larder_halve_one: return later == 0 && halves(count);
    case larder_halve_each: return halves(count);
    case larder_cut_and_halve_each: return later % 2 == 0 ? cuts() : halves(count);
    default: return later % 3 == 0 ? cuts() : later % 3 == 1 && halves(count);
    }
}

#define INTERRUPTIBLE(count) \
    if (interrupts(count)) { \
        errno = EINTR; \
        return -1; \
    }

// A program's own definition takes precedence over that of the C library in all code that is linked into the program.
PLAIN ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    INTERRUPTIBLE(&count)
    return syscall(SYS_pwrite64, file, bytes, count, offset);
}

PLAIN ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
    INTERRUPTIBLE(&count)
    return syscall(SYS_pread64, file, bytes, count, offset);
}

PLAIN int fdatasync(int file) {
    INTERRUPTIBLE(NULL)
    return (int)syscall(SYS_fdatasync, file);
}

PLAIN int fsync(int file) {
    INTERRUPTIBLE(NULL)
    return (int)syscall(SYS_fsync, file);
}

PLAIN int msync(void *bytes, size_t count, int flags) {
    INTERRUPTIBLE(NULL)
    return (int)syscall(SYS_msync, bytes, count, flags);
}

PLAIN int fallocate(int file, int mode, off_t offset, off_t count) {
    if (atomic_load(&refuses_room)) {
        atomic_fetch_add(&refused, 1);
        errno = EOPNOTSUPP;
        return -1;
    }
    INTERRUPTIBLE(NULL)
    return (int)syscall(SYS_fallocate, file, mode, offset, count);
}

PLAIN int ftruncate(int file, off_t size) {
    INTERRUPTIBLE(NULL)
    return (int)syscall(SYS_ftruncate, file, size);
}

PLAIN int fchmod(int file, mode_t permissions) {
    INTERRUPTIBLE(NULL)
    return (int)syscall(SYS_fchmod, file, permissions);
}

PLAIN int fchown(int file, uid_t user, gid_t group) {
    INTERRUPTIBLE(NULL)
    return (int)syscall(SYS_fchown, file, user, group);
}

PLAIN int flock(int file, int operation) {
    INTERRUPTIBLE(NULL)
    return (int)syscall(SYS_flock, file, operation);
}

PLAIN int fcntl(int file, int command, ...) {
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_OFD_GETLK) {
        INTERRUPTIBLE(NULL)
    }
    return (int)syscall(SYS_fcntl, file, command, argument);
}

// Returns whether `path` is in the folder of a process or thread. Dispatch reads the state of its threads there, and ends the process if it
// can't.
PLAIN static int is_of_thread(const char *path) {
    static const char folder[] = "/proc/";
    size_t count = 0;
    while (folder[count]) {
        if (path[count] != folder[count]) return 0;
        count++;
    }
    return path[count] >= '0' && path[count] <= '9';
}

PLAIN int open(const char *path, int flags, ...) {
    mode_t permissions = 0;
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_list list;
        va_start(list, flags);
        permissions = va_arg(list, mode_t);
        va_end(list);
    }
    if (!is_of_thread(path)) {
        INTERRUPTIBLE(NULL)
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, permissions);
}

PLAIN int rename(const char *from, const char *to) {
    INTERRUPTIBLE(NULL)
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

PLAIN int unlink(const char *path) {
    INTERRUPTIBLE(NULL)
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

// On Linux, the descriptor is closed even if the call fails.
PLAIN int close(int file) {
    int result = (int)syscall(SYS_close, file);
    if (result == 0) {
        INTERRUPTIBLE(NULL)
    }
    return result;
}
#else
int larder_interrupt_calls(void) { return 0; }
int larder_cut_calls(larder_cut way, unsigned first) { return 0; }
unsigned larder_counted_calls(void) { return 0; }
unsigned larder_interrupted_calls(void) { return 0; }
int larder_refuse_room(void) { return 0; }
unsigned larder_refused_room(void) { return 0; }
#endif
