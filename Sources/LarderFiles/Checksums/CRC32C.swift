import CLarderPlatform

/// A namespace for functions that compute CRC-32C checksums.
///
/// CRC-32C uses the Castagnoli polynomial. The checksum of the ASCII string "123456789" is 0xE3069283.
package enum CRC32C {
    /// Returns the checksum of `bytes`, continuing from `crc`, the checksum of any preceding bytes.
    package static func of(_ bytes: UnsafeRawBufferPointer, continuing crc: UInt32 = 0) -> UInt32 {
        larder_crc32c(crc, bytes.baseAddress, bytes.count)
    }

    /// Returns the checksum of two adjacent byte ranges, given their checksums `crc` and `next` and the length `count` of the second range.
    ///
    /// The cost is logarithmic in `count`.
    package static func combining(_ crc: UInt32, with next: UInt32, of count: Int) -> UInt32 {
        larder_crc32c_combine(crc, next, count)
    }

    /// Returns the checksum of the bytes that precede `bytes`, given the checksum `crc` of the preceding bytes followed by `bytes`.
    ///
    /// This function is the inverse of ``of(_:continuing:)``.
    package static func beginning(of bytes: UnsafeRawBufferPointer, endingIn crc: UInt32) -> UInt32 {
        larder_crc32c_backwards(crc, bytes.baseAddress, bytes.count)
    }

    /// Returns the same checksum as ``of(_:continuing:)``, without using the processor's CRC instruction.
    package static func byTable(_ bytes: UnsafeRawBufferPointer, continuing crc: UInt32 = 0) -> UInt32 {
        larder_crc32c_by_table(crc, bytes.baseAddress, bytes.count)
    }
}
