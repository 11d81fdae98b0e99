#ifndef LARDER_THREADS_H
#define LARDER_THREADS_H

#include <stddef.h>
#include <stdint.h>

// Threads and semaphores that are based on pthreads and need no file descriptors.

/// Starts a detached thread that calls `body` with `context`. Returns 0 or an error number.
///
/// The thread blocks signals that are sent to the process, so that other threads receive them. Debuggers show `name`.
int larder_start_thread(void (*body)(void *context), void *context, const char *name);

/// Returns a nonzero number that identifies the current thread. Numbers repeat only after 2^32 threads.
uint32_t larder_thread_number(void);

/// A counting semaphore.
typedef struct larder_semaphore larder_semaphore;

/// Creates a semaphore with count 0. Returns NULL if there is no memory.
larder_semaphore *larder_semaphore_create(void);
void larder_semaphore_destroy(larder_semaphore *semaphore);
/// Increments the count and wakes one waiting thread.
void larder_semaphore_signal(larder_semaphore *semaphore);
/// Waits until the count is above 0, and decrements the count. Waits for at most `nanoseconds`, or indefinitely if `nanoseconds` is
/// negative.
///
/// Returns 1, or 0 if the time limit was reached.
int larder_semaphore_wait(larder_semaphore *semaphore, int64_t nanoseconds);

#endif
