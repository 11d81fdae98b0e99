#include <stdint.h>

// Returns whether allocations can be counted on this platform.
int allocations_can_be_counted(void);
// Returns the number of allocations that this thread has made since its last call to allocations_begin().
uint64_t allocations_count(void);
// Resets this thread's count to zero.
void allocations_begin(void);
