#ifndef LARDER_LOCK_H
#define LARDER_LOCK_H

#include <pthread.h>
#include <stdbool.h>

/// A pthread mutex that spins briefly before it sleeps, if the C library supports spinning.
typedef struct larder_lock {
    pthread_mutex_t mutex;
} larder_lock;

/// Initializes an unlocked mutex.
///
/// If `checks_owner` is true, a thread that acquires a mutex it already holds gets an error instead of a deadlock, but threads do not spin.
void larder_lock_init(larder_lock *lock, bool checks_owner);
void larder_lock_destroy(larder_lock *lock);
/// Acquires the mutex. Returns 0, or EDEADLK if the mutex checks its owner and this thread already holds it.
static inline int larder_lock_take(larder_lock *lock) { return pthread_mutex_lock(&lock->mutex); }
/// Acquires the mutex if it is free. Returns whether the mutex was acquired.
static inline bool larder_lock_try(larder_lock *lock) { return pthread_mutex_trylock(&lock->mutex) == 0; }
static inline void larder_lock_release(larder_lock *lock) { pthread_mutex_unlock(&lock->mutex); }

#endif
