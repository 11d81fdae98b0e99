// Functions of the C library that Swift can't import on some platforms, because they are variadic or need a feature macro, and the few
// functions that need special processor instructions.
#ifndef C_LARDER_PLATFORM_H
#define C_LARDER_PLATFORM_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "LarderChecksum.h"
#include "LarderLock.h"
#include "LarderThreads.h"
#include "LarderWatch.h"

// Futex-like waiting on a 32-bit word in shared memory.

/// Returns 1 if the platform supports waiting on a word in shared memory, and 0 otherwise.
int larder_word_wait_is_supported(void);
/// Blocks the thread while `*word` equals `expected`, for at most `nanoseconds`. The call may return early.
///
/// Returns 0, ETIMEDOUT if the time limit was reached, or another error number.
int larder_word_wait(const uint32_t *word, uint32_t expected, int64_t nanoseconds);
/// Wakes all threads that wait on the word, in every process. Returns 0 or an error number.
int larder_word_wake(const uint32_t *word);

// Locks on single bytes of a file, which may lie beyond the end of the file. An open file holds its locks until it is closed, and also
// loses them if its process crashes. Platforms without such locks report ENOTSUP.

/// Acquires a shared or exclusive lock on the byte at `place`.
///
/// Returns 1 if the lock was acquired, 0 if another open file holds a conflicting lock, or -1 and sets errno.
int larder_hold(int descriptor, int64_t place, int is_shared);
/// Releases the lock on the byte at `place`. Otherwise, a memory mapping of the file keeps the lock after the descriptor is closed.
///
/// Returns 0, or -1 and sets errno.
int larder_let_go(int descriptor, int64_t place);
/// Searches the `count` bytes from `first`, which must not be 0, for a byte that another open file has locked.
///
/// Returns the offset of such a byte, 0 if no byte is locked, or -1 and sets errno.
int64_t larder_held(int descriptor, int64_t first, int64_t count);

/// Renames a file atomically unless `destination` exists.
///
/// Returns 0, or -1 and sets errno: to EEXIST if `destination` exists, or to ENOTSUP if the system or the file system does not support
/// the operation.
int larder_rename_exclusively(const char *source, const char *destination);

/// Reserves disk space for the first `size` bytes of a file, and extends the file to that size.
///
/// Returns 0, or -1 and sets errno: to ENOTSUP or EOPNOTSUPP if the operation is not supported. In that case, posix_fallocate would
/// write to each block of the file instead.
int larder_reserve(int descriptor, int64_t size);

// Writing to memory-mapped files.

/// Protects a memory-mapped file against lost pages. A page is lost if the file was truncated or its disk failed. Accessing a lost page
/// replaces it with zeros that are private to this process, instead of raising SIGBUS.
///
/// Call `larder_forget_map` before unmapping the file. Returns the address of a word that becomes nonzero when a page is lost, or NULL if
/// there is not enough memory.
const uint32_t *larder_watch_map(void *start, size_t count);
/// Ends the protection that `larder_watch_map` started. Has no effect on unprotected memory.
void larder_forget_map(void *start);
/// Returns whether a page of the memory-mapped file has been lost.
static inline int larder_map_is_lost(const uint32_t *is_lost) { return __atomic_load_n(is_lost, __ATOMIC_ACQUIRE) != 0; }
/// Copies `count` bytes to a memory-mapped file that `larder_watch_map` protects.
///
/// Returns 0, or EIO if the file has lost a page. In that case, any part of the bytes may have been stored.
static inline int larder_store(void *to, const void *from, size_t count, const uint32_t *is_lost) {
    memcpy(to, from, count);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return larder_map_is_lost(is_lost) ? EIO : 0;
}

/// Returns whether all `count` bytes are zero; `count` must be at least 1.
///
/// Compares the bytes with themselves, shifted by one byte, because every C library has a fast loop for comparisons.
static inline int larder_is_zero(const void *bytes, size_t count) {
    const char *first = bytes;
    return *first == 0 && memcmp(first, first + 1, count - 1) == 0;
}

/// Returns a counter that is incremented in each child process after a fork. Forks before the first call are not counted.
uint64_t larder_fork_generation(void);
/// Returns the address of the counter that `larder_fork_generation` returns, which must be read with atomic loads.
const void *larder_fork_counter(void);

/// Blocks the thread for at least the given time.
void larder_sleep(int64_t seconds, int64_t nanoseconds);

/// Returns the magic number of the file system that contains `path` on Linux, or -1 and sets errno.
int64_t larder_volume_type(const char *path);

#endif
