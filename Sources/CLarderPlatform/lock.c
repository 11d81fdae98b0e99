#define _GNU_SOURCE
#include "LarderLock.h"

void larder_lock_init(larder_lock *lock, bool checks_owner) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
#if defined(__GLIBC__)
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
    if (checks_owner) pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock->mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

void larder_lock_destroy(larder_lock *lock) { pthread_mutex_destroy(&lock->mutex); }
