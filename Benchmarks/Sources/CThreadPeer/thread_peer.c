#define _GNU_SOURCE
#include "CThreadPeer.h"

#include <stdlib.h>
#include <sys/resource.h>

pthread_mutex_t *adaptive_mutex_create(void) {
    pthread_mutex_t *mutex = aligned_alloc(64, 64);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
#if defined(__GLIBC__)
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
    pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return mutex;
}

void adaptive_mutex_destroy(pthread_mutex_t *mutex) {
    pthread_mutex_destroy(mutex);
    free(mutex);
}

double processor_time(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e9
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e3;
}
