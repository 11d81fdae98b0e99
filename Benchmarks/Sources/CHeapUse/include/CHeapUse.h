#include <stddef.h>

/// Bytes that the program has asked the allocator for and not given back; 0 where that can't be asked.
size_t heap_use(void);
