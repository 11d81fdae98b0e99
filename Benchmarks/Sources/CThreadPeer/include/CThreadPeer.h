#include <pthread.h>

/// A mutex that spins for a while before it sleeps (`PTHREAD_MUTEX_ADAPTIVE_NP`), where the C library has such; else a plain one.
pthread_mutex_t *_Nonnull adaptive_mutex_create(void);
void adaptive_mutex_destroy(pthread_mutex_t *_Nonnull mutex);

/// The processor time of all threads of the process so far, in nanoseconds.
double processor_time(void);
