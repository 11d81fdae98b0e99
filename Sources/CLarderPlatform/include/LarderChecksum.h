#ifndef LARDER_CHECKSUM_H
#define LARDER_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/// Continues the CRC-32C checksum `crc` with `count` more bytes and returns the result. Pass 0 to start a checksum.
///
/// Uses the processor's CRC instruction if available.
uint32_t larder_crc32c(uint32_t crc, const void *bytes, size_t count);

/// Returns the same checksum as `larder_crc32c`, computed with tables on any processor. Tests compare both functions.
uint32_t larder_crc32c_by_table(uint32_t crc, const void *bytes, size_t count);

/// Returns the checksum of two concatenated byte sequences, given their checksums `crc` and `next`, and the number of bytes `count` in the
/// second sequence.
uint32_t larder_crc32c_combine(uint32_t crc, uint32_t next, size_t count);

/// Removes the last `count` bytes from the checksum `crc`: returns the checksum of the bytes that precede them.
uint32_t larder_crc32c_backwards(uint32_t crc, const void *bytes, size_t count);

#endif
