#ifndef C_CALLGRIND_H
#define C_CALLGRIND_H

#include <stdint.h>

// The client requests of valgrind's callgrind.h, repeated here so that valgrind need not be installed to compile them. They have no effect
// unless the program runs under callgrind.

static inline void larder_callgrind_request(uintptr_t request, uintptr_t argument) {
    volatile uintptr_t arguments[6] = {0x43540000 + request, argument, 0, 0, 0, 0};
    volatile uintptr_t result = 0;
#if defined(__x86_64__)
    __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
                     : "=d"(result)
                     : "a"(&arguments[0]), "0"(result)
                     : "cc", "memory");
#elif defined(__aarch64__)
    __asm__ volatile("mov x3, %1; mov x4, %2; ror x12, x12, #3; ror x12, x12, #13; ror x12, x12, #51; ror x12, x12, #61;"
                     "orr x10, x10, x10; mov %0, x3"
                     : "=r"(result)
                     : "r"(result), "r"(&arguments[0])
                     : "cc", "memory", "x3", "x4");
#endif
    (void)result;
}

/// Starts counting.
static inline void larder_callgrind_begin(void) { larder_callgrind_request(4, 0); }
/// Stops counting, and writes the counts to a separate file that contains `name`.
static inline void larder_callgrind_end(const char *name) {
    larder_callgrind_request(3, (uintptr_t)name);
    larder_callgrind_request(5, 0);
}

#endif
