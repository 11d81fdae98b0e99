// What Swift can't import of the C library on some platform: feature-gated calls and variadic ones; and the few functions
// that need the processor's own instructions.
#ifndef C_LARDER_PLATFORM_H
#define C_LARDER_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

#include "LarderChecksum.h"

// Waiting on a word of memory that processes share. Both return 0 or an error number.

/// Whether the platform has it.
int larder_word_wait_is_supported(void);
/// Blocks while *word is `expected`, up to `nanoseconds`. May return early. ETIMEDOUT when the time is up.
int larder_word_wait(const uint32_t *word, uint32_t expected, int64_t nanoseconds);
/// Wakes everybody, in any process, who waits on the word.
int larder_word_wake(const uint32_t *word);

// A lock of one number, kept by an open file until it is closed, however its process ends. ENOTSUP where there is no such
// thing.

/// Takes the lock: 1, or 0 when another open file has it, or -1 and errno.
int larder_hold(int descriptor, int64_t number);
/// Lets go of it: 0, or -1 and errno. A map of the file keeps it open after it was closed.
int larder_let_go(int descriptor, int64_t number);
/// One of the `count` numbers from `first` on whose lock another open file has; 0 when there is none, or -1 and errno.
int64_t larder_held(int descriptor, int64_t first, int64_t count);

// Storing to a map of a file.

/// Copies `count` bytes to mapped memory: 0, or EIO when the operating system could not give the memory because the file was
/// cut or its disk failed. Then any part may have been stored.
int larder_store(void *to, const void *from, size_t count);
/// Has zeros, of this process alone, take the place of the mapped page at `start` when the operating system can't give it any more,
/// until it is forgotten, which must be before it is unmapped: 0 or an error number.
int larder_watch_page(void *start);
/// Whether that has happened.
int larder_page_is_lost(const void *start);
/// Harmless for a page that is not watched.
void larder_forget_page(void *start);
/// Makes the pages present and writable now, where the system can: 0 or an error number.
int larder_populate(void *start, size_t count);

/// Has the processor fetch the memory there, to be written, while it goes on; any address will do.
static inline void larder_prefetch(const void *address) { __builtin_prefetch(address, 1, 3); }

/// Asks for large pages behind memory that is about to be used; harmless where there are none.
void larder_prefer_large_pages(void *start, size_t count);

/// How many times a process that this one descends from was forked since the library was first asked.
uint64_t larder_fork_generation(void);
/// Where that number stands, to be read by atomic loads.
const void *larder_fork_counter(void);

/// On Linux, the number of the kind of file system that `path` is on, or -1 and errno.
int64_t larder_volume_type(const char *path);

#endif
