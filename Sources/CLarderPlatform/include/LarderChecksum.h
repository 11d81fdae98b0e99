#ifndef LARDER_CHECKSUM_H
#define LARDER_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/// Returns the CRC-32C checksum of the bytes that produced `crc` followed by `count` more bytes; pass 0 to start a checksum.
///
/// Uses the processor's CRC instruction if there is one.
uint32_t larder_crc32c(uint32_t crc, const void *bytes, size_t count);

/// Returns the same checksum as `larder_crc32c`, computed with tables on any processor. Tests compare both functions.
uint32_t larder_crc32c_by_table(uint32_t crc, const void *bytes, size_t count);

/// Returns the checksum of two consecutive runs of bytes, given the checksums `crc` and `next` of both runs and the `count` of bytes in the
/// second run.
uint32_t larder_crc32c_combine(uint32_t crc, uint32_t next, size_t count);

/// Returns the checksum of the bytes before the last `count` bytes, given the checksum `crc` that includes the last bytes.
uint32_t larder_crc32c_backwards(uint32_t crc, const void *bytes, size_t count);

#endif
