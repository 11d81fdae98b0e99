#ifndef LARDER_THREADS_H
#define LARDER_THREADS_H

#include <stddef.h>
#include <stdint.h>

// Threads and what they wait for, by nothing but the system's own threads. None of it takes a file descriptor.

/// Starts a detached thread that calls `body` with `context`: 0 or an error number. Signals that are sent to the
/// process go to other threads. `name` is for debuggers.
int larder_start_thread(void (*body)(void *context), void *context, const char *name);

/// A count that threads wait for.
typedef struct larder_semaphore larder_semaphore;

/// A semaphore whose count is 0. Null when no memory is left.
larder_semaphore *larder_semaphore_create(void);
void larder_semaphore_destroy(larder_semaphore *semaphore);
/// Adds one to the count, and wakes one thread that waits for it.
void larder_semaphore_signal(larder_semaphore *semaphore);
/// Waits for at most so many nanoseconds, or without a limit where they are less than 0, and takes one off the count: 1, or 0 when the
/// time is up.
int larder_semaphore_wait(larder_semaphore *semaphore, int64_t nanoseconds);

#endif
