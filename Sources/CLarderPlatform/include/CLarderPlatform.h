// What Swift can't import of the C library on some platform: feature-gated calls and variadic ones; and the few functions
// that need the processor's own instructions.
#ifndef C_LARDER_PLATFORM_H
#define C_LARDER_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

#include "LarderChecksum.h"

// Waiting on a word of memory that processes share. Both return 0 or an error number.

/// Blocks while *word is `expected`, up to `nanoseconds`. May return early. ETIMEDOUT when the time is up.
int larder_word_wait(const uint32_t *word, uint32_t expected, int64_t nanoseconds);
/// Wakes everybody, in any process, who waits on the word.
int larder_word_wake(const uint32_t *word);

// A lock in memory that processes share, which tells when its holder died. ENOTSUP where there is no such thing.

/// How many bytes it takes.
size_t larder_mutex_size(void);
/// Makes one. Nobody may be using it.
int larder_mutex_initialize(void *mutex);
/// Waits up to `nanoseconds`. EOWNERDEAD: it is held now, but its last holder died within.
int larder_mutex_lock(void *mutex, int64_t nanoseconds);
/// After EOWNERDEAD: what it guards is in order again.
int larder_mutex_make_consistent(void *mutex);
int larder_mutex_unlock(void *mutex);

/// How many times a process that this one descends from was forked since the library was first asked.
uint64_t larder_fork_generation(void);

/// On Linux, the number of the kind of file system that `path` is on, or -1 and errno.
int64_t larder_volume_type(const char *path);

#endif
