// Announces acquires and releases of Swift's Mutex that ThreadSanitizer does not see.
//
// An uncontended `Mutex` of the module Synchronization is acquired and released in code that is compiled into the program, and so
// instrumented. A contended one goes through three functions of libswiftSynchronization.so, which is not instrumented: there the kernel
// changes the word (FUTEX_LOCK_PI, FUTEX_UNLOCK_PI). Without this library ThreadSanitizer would miss every hand-over between threads and
// report accesses under the lock as races. This library is loaded before libswiftSynchronization.so, forwards the calls, and announces
// the acquire after locking and the release before unlocking. It suppresses nothing else.
//
// Built and used by Scripts/sanitize.sh; Linux only.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Missing in a process that is not instrumented.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) __asm__(LOCK_SLOW);
SWIFT bool try_lock_slow(SELF void *mutex) __asm__(TRY_LOCK_SLOW);
SWIFT void unlock_slow(SELF void *mutex) __asm__(UNLOCK_SLOW);

typedef SWIFT void (*lock_function)(uint32_t thread, SELF void *mutex);
typedef SWIFT bool (*try_lock_function)(SELF void *mutex);
typedef SWIFT void (*unlock_function)(SELF void *mutex);

static lock_function next_lock;
static try_lock_function next_try_lock;
static unlock_function next_unlock;

// Runs before other threads start.
__attribute__((constructor)) static void find_what_is_behind(void) {
    next_lock = (lock_function)dlsym(RTLD_NEXT, LOCK_SLOW);
    next_try_lock = (try_lock_function)dlsym(RTLD_NEXT, TRY_LOCK_SLOW);
    next_unlock = (unlock_function)dlsym(RTLD_NEXT, UNLOCK_SLOW);
}

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) {
    next_lock(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool try_lock_slow(SELF void *mutex) {
    bool is_taken = next_try_lock(mutex);
    if (is_taken && __tsan_acquire) __tsan_acquire(mutex);
    return is_taken;
}

SWIFT void unlock_slow(SELF void *mutex) {
    if (__tsan_release) __tsan_release(mutex);
    next_unlock(mutex);
}
