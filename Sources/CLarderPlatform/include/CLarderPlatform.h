// What Swift can't import of the C library on some platform: feature-gated calls and variadic ones; and the few functions
// that need the processor's own instructions.
#ifndef C_LARDER_PLATFORM_H
#define C_LARDER_PLATFORM_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "LarderChecksum.h"
#include "LarderLock.h"
#include "LarderThreads.h"

// Waiting on a word of memory that processes share. Both return 0 or an error number.

/// Whether the platform has it.
int larder_word_wait_is_supported(void);
/// Blocks while *word is `expected`, up to `nanoseconds`. May return early. ETIMEDOUT when the time is up.
int larder_word_wait(const uint32_t *word, uint32_t expected, int64_t nanoseconds);
/// Wakes everybody, in any process, who waits on the word.
int larder_word_wake(const uint32_t *word);

// A lock of one byte of a file, there or not, kept by an open file until it is closed, however its process ends. ENOTSUP where there
// is no such thing.

/// Acquires the lock, one that other open files may share or an exclusive one: 1, or 0 when another open file has a lock that excludes
/// it, or -1 and errno.
int larder_hold(int descriptor, int64_t place, int is_shared);
/// Lets go of it: 0, or -1 and errno. A map of the file keeps it open after it was closed.
int larder_let_go(int descriptor, int64_t place);
/// One of the `count` bytes from `first`, not the file's first, on whose lock another open file has; 0 when there is none, or -1 and errno.
int64_t larder_held(int descriptor, int64_t first, int64_t count);

/// Renames a file in one step unless something has the new name: 0, or -1 and errno, which is EEXIST then, or ENOTSUP where the system
/// or the file system cannot do that.
int larder_rename_exclusively(const char *source, const char *destination);

/// Reserves room for the first `size` bytes of a file, and grows it to that: 0, or -1 and errno, which is ENOTSUP, or the system's
/// EOPNOTSUPP, where there is no such thing. The C library's function would read all of the file then, and write into it.
int larder_reserve(int descriptor, int64_t size);

// Storing to a map of a file.

/// From now on, until it is forgotten, which must be before it is unmapped: when the operating system can't give a page of the map
/// because the file was cut or its disk failed, zeros of this process alone take the page's place. Says where it is noted that this has
/// happened: 0 until then. Null when there is no memory.
const uint32_t *larder_watch_map(void *start, size_t count);
/// Harmless for what is not watched.
void larder_forget_map(void *start);
/// Whether a page of the map was lost by now.
static inline int larder_map_is_lost(const uint32_t *is_lost) { return __atomic_load_n(is_lost, __ATOMIC_ACQUIRE) != 0; }
/// Copies `count` bytes to a watched map: 0, or EIO when it has lost a page. Then any part may have been stored.
static inline int larder_store(void *to, const void *from, size_t count, const uint32_t *is_lost) {
    memcpy(to, from, count);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return larder_map_is_lost(is_lost) ? EIO : 0;
}
/// Makes the pages present and writable now, where the system can: 0 or an error number.
int larder_populate(void *start, size_t count);

/// Has the processor fetch the memory there, to be written, while it goes on; any address will do.
static inline void larder_prefetch(const void *address) { __builtin_prefetch(address, 1, 3); }

/// Whether `count` bytes, one or more, are zero: compared with themselves one byte on, for which every C library has its fastest loop.
static inline int larder_is_zero(const void *bytes, size_t count) {
    const char *first = bytes;
    return *first == 0 && memcmp(first, first + 1, count - 1) == 0;
}

/// Asks for large pages behind memory that is about to be used; harmless where there are none.
void larder_prefer_large_pages(void *start, size_t count);

/// How many times a process that this one descends from was forked since the library was first asked.
uint64_t larder_fork_generation(void);
/// Where that number stands, to be read by atomic loads.
const void *larder_fork_counter(void);

/// Blocks the thread for at least so long.
void larder_sleep(int64_t seconds, int64_t nanoseconds);

/// On Linux, the number of the kind of file system that `path` is on, or -1 and errno.
int64_t larder_volume_type(const char *path);

#endif
