#ifndef LARDER_LOCK_H
#define LARDER_LOCK_H

#include <pthread.h>

/// A mutex of the system's that spins for a moment before it sleeps, where there is such.
typedef struct larder_lock {
    pthread_mutex_t mutex;
} larder_lock;

void larder_lock_init(larder_lock *lock);
void larder_lock_destroy(larder_lock *lock);
static inline void larder_lock_take(larder_lock *lock) { pthread_mutex_lock(&lock->mutex); }
static inline void larder_lock_release(larder_lock *lock) { pthread_mutex_unlock(&lock->mutex); }

#endif
