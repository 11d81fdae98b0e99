#include "CHeapUse.h"

#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>

size_t heap_use(void) {
    struct mallinfo2 information = mallinfo2();
    return information.uordblks + information.hblkhd;
}
#else
size_t heap_use(void) { return 0; }
#endif
