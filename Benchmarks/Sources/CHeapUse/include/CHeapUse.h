#include <stddef.h>

/// Returns the number of bytes that the program has allocated and not freed, or 0 if the allocator does not report it.
size_t heap_use(void);
