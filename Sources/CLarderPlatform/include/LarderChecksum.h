#ifndef LARDER_CHECKSUM_H
#define LARDER_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/// Continues the CRC-32C `crc` over `count` bytes; 0 begins one. By the processor's instruction where it has one.
uint32_t larder_crc32c(uint32_t crc, const void *bytes, size_t count);

/// The same by tables, for every processor: what the instruction is compared with.
uint32_t larder_crc32c_by_table(uint32_t crc, const void *bytes, size_t count);

/// What the check had come to before `count` bytes, when it is `crc` behind them.
uint32_t larder_crc32c_backwards(uint32_t crc, const void *bytes, size_t count);

#endif
