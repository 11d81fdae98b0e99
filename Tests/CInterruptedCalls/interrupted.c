#define _GNU_SOURCE
#include "CInterruptedCalls.h"

#if defined(__linux__) && defined(__LP64__)
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_int enabled;
static atomic_uint calls;
static atomic_uint cut;

int larder_interrupt_calls(void) {
    atomic_store(&enabled, 1);
    return 1;
}

unsigned larder_interrupted_calls(void) { return atomic_load(&cut); }

// Whether the call is to end with EINTR; else how many of `count` bytes it may do.
static int interrupts(size_t *count) {
    if (!atomic_load(&enabled)) return 0;
    switch (atomic_fetch_add(&calls, 1) % 3) {
    case 0:
        atomic_fetch_add(&cut, 1);
        return 1;
    case 1:
        if (count && *count > 1) {
            *count /= 2;
            atomic_fetch_add(&cut, 1);
        }
        return 0;
    default:
        return 0;
    }
}

// A program's own definition comes before the C library's for everything that is linked into it.
ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    if (interrupts(&count)) {
        errno = EINTR;
        return -1;
    }
    return syscall(SYS_pwrite64, file, bytes, count, offset);
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
    if (interrupts(&count)) {
        errno = EINTR;
        return -1;
    }
    return syscall(SYS_pread64, file, bytes, count, offset);
}

int fdatasync(int file) {
    if (interrupts(0)) {
        errno = EINTR;
        return -1;
    }
    return (int)syscall(SYS_fdatasync, file);
}

int fsync(int file) {
    if (interrupts(0)) {
        errno = EINTR;
        return -1;
    }
    return (int)syscall(SYS_fsync, file);
}

// It returns the number of the error, and leaves errno alone.
int posix_fallocate(int file, off_t offset, off_t count) {
    if (interrupts(0)) return EINTR;
    return syscall(SYS_fallocate, file, 0, offset, count) == 0 ? 0 : errno;
}
#else
int larder_interrupt_calls(void) { return 0; }
unsigned larder_interrupted_calls(void) { return 0; }
#endif
