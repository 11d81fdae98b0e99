#include <stdint.h>

// Whether allocations can be counted here.
int allocations_can_be_counted(void);
// How many times this thread has asked for memory since the last call of allocations_begin().
uint64_t allocations_count(void);
// Begins to count from zero.
void allocations_begin(void);
