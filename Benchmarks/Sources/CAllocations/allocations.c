#include "CAllocations.h"

#include <stddef.h>

// These functions replace the C library's functions in every module of the process. They count each thread's calls and forward them.
#include <stdlib.h>

#if defined(__linux__) && defined(__GLIBC__)
#include <errno.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static _Thread_local uint64_t count __attribute__((tls_model("initial-exec")));

void *malloc(size_t size) {
    count++;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count++;
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    count++;
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    count++;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    count++;
    void *made = __libc_memalign(alignment, size);
    if (made == NULL) return ENOMEM;
    *result = made;
    return 0;
}

int allocations_can_be_counted(void) { return 1; }
uint64_t allocations_count(void) { return count; }
void allocations_begin(void) { count = 0; }
#else
int allocations_can_be_counted(void) { return 0; }
uint64_t allocations_count(void) { return 0; }
void allocations_begin(void) {}
#endif
