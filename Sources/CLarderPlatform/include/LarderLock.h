#ifndef LARDER_LOCK_H
#define LARDER_LOCK_H

#include <pthread.h>
#include <stdbool.h>

/// A mutex of the system's that spins for a moment before it sleeps, where there is such.
typedef struct larder_lock {
    pthread_mutex_t mutex;
} larder_lock;

/// With `checks_owner` a thread that takes what it has gets an error, instead of waiting for itself, and no thread spins.
void larder_lock_init(larder_lock *lock, bool checks_owner);
void larder_lock_destroy(larder_lock *lock);
/// 0, or EDEADLK where the owner is checked and has it already.
static inline int larder_lock_take(larder_lock *lock) { return pthread_mutex_lock(&lock->mutex); }
/// Whether it was free, and is taken now.
static inline bool larder_lock_try(larder_lock *lock) { return pthread_mutex_trylock(&lock->mutex) == 0; }
static inline void larder_lock_release(larder_lock *lock) { pthread_mutex_unlock(&lock->mutex); }

#endif
