#include <stddef.h>
#include <stdint.h>

/// Computes a CRC-32C with Larder's own function, which is not part of its API, so that stores and peers use the same function.
uint32_t larder_crc32c(uint32_t crc, const void *_Nullable bytes, size_t count);
