#define _GNU_SOURCE
#include "LarderThreads.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct start {
    void (*body)(void *context);
    void *context;
    char name[16];
};

static void *run(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
#if defined(__APPLE__)
    pthread_setname_np(start.name);
#elif defined(__linux__)
    pthread_setname_np(pthread_self(), start.name);
#endif
    start.body(start.context);
    return NULL;
}

// Blocks all signals, except SIGPROF, which profilers use, and signals that the thread itself causes.
static void block_signals_of_others(sigset_t *earlier) {
    static const int own[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPIPE, SIGPROF, SIGSEGV, SIGSYS, SIGTRAP};
    sigset_t blocked;
    sigfillset(&blocked);
    for (size_t index = 0; index < sizeof own / sizeof own[0]; index += 1) sigdelset(&blocked, own[index]);
    pthread_sigmask(SIG_SETMASK, &blocked, earlier);
}

int larder_start_thread(void (*body)(void *context), void *context, const char *name) {
    // Some C libraries give a thread only 128 KiB, which is too small for callers' handlers.
    static const size_t smallest_stack = 1 << 20;
    struct start *start = calloc(1, sizeof *start);
    if (start == NULL) return ENOMEM;
    start->body = body;
    start->context = context;
    strncpy(start->name, name, sizeof start->name - 1);
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error != 0) {
        free(start);
        return error;
    }
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    size_t stack = 0;
    if (pthread_attr_getstacksize(&attributes, &stack) == 0 && stack < smallest_stack) {
        pthread_attr_setstacksize(&attributes, smallest_stack);
    }
    // The new thread inherits the mask, so that it never receives a signal before blocking it.
    sigset_t earlier;
    block_signals_of_others(&earlier);
    pthread_t thread;
    error = pthread_create(&thread, &attributes, run, start);
    pthread_sigmask(SIG_SETMASK, &earlier, NULL);
    pthread_attr_destroy(&attributes);
    if (error != 0) free(start);
    return error;
}

uint32_t larder_thread_number(void) {
    static _Atomic uint32_t last;
    static _Thread_local uint32_t number;
    while (number == 0) number = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    return number;
}

struct larder_semaphore {
    pthread_mutex_t mutex;
    pthread_cond_t is_signalled;
    unsigned count;
};

larder_semaphore *larder_semaphore_create(void) {
    larder_semaphore *semaphore = calloc(1, sizeof *semaphore);
    if (semaphore == NULL) return NULL;
    pthread_mutex_init(&semaphore->mutex, NULL);
#if defined(__APPLE__)
    pthread_cond_init(&semaphore->is_signalled, NULL);
#else
    // The wall-clock time may be set back, so the monotonic clock is used.
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&semaphore->is_signalled, &attributes);
    pthread_condattr_destroy(&attributes);
#endif
    return semaphore;
}

void larder_semaphore_destroy(larder_semaphore *semaphore) {
    pthread_cond_destroy(&semaphore->is_signalled);
    pthread_mutex_destroy(&semaphore->mutex);
    free(semaphore);
}

void larder_semaphore_signal(larder_semaphore *semaphore) {
    pthread_mutex_lock(&semaphore->mutex);
    semaphore->count += 1;
    pthread_cond_signal(&semaphore->is_signalled);
    pthread_mutex_unlock(&semaphore->mutex);
}

// Returns the time `nanoseconds` from now on the clock that the condition variable uses.
static struct timespec deadline(int64_t nanoseconds) {
    struct timespec time = {0, 0};
#if !defined(__APPLE__)
    clock_gettime(CLOCK_MONOTONIC, &time);
#endif
    // Limits of more than a century are shortened to prevent overflow.
    int64_t longest = INT64_C(1000000000) * 86400 * 365 * 100;
    if (nanoseconds > longest) nanoseconds = longest;
    time.tv_sec += (time_t)(nanoseconds / 1000000000);
    time.tv_nsec += (long)(nanoseconds % 1000000000);
    if (time.tv_nsec >= 1000000000) {
        time.tv_sec += 1;
        time.tv_nsec -= 1000000000;
    }
    return time;
}

int larder_semaphore_wait(larder_semaphore *semaphore, int64_t nanoseconds) {
    struct timespec limit = nanoseconds < 0 ? (struct timespec){0, 0} : deadline(nanoseconds);
    int error = 0;
    pthread_mutex_lock(&semaphore->mutex);
    while (semaphore->count == 0 && error == 0) {
        if (nanoseconds < 0) {
            error = pthread_cond_wait(&semaphore->is_signalled, &semaphore->mutex);
            continue;
        }
#if defined(__APPLE__)
        // A spurious wake-up starts the wait again with the full limit; callers check their condition.
        error = pthread_cond_timedwait_relative_np(&semaphore->is_signalled, &semaphore->mutex, &limit);
#else
        error = pthread_cond_timedwait(&semaphore->is_signalled, &semaphore->mutex, &limit);
#endif
    }
    int is_signalled = semaphore->count > 0;
    if (is_signalled) semaphore->count -= 1;
    pthread_mutex_unlock(&semaphore->mutex);
    return is_signalled;
}
