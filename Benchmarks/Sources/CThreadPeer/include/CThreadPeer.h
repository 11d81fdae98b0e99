#include <pthread.h>

/// Creates an adaptive mutex (`PTHREAD_MUTEX_ADAPTIVE_NP`), or a plain mutex if the C library has no adaptive one.
pthread_mutex_t *_Nonnull adaptive_mutex_create(void);
void adaptive_mutex_destroy(pthread_mutex_t *_Nonnull mutex);

/// Returns the processor time that all threads of the process have used so far, in nanoseconds.
double processor_time(void);
