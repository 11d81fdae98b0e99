import CLarderPlatform

/// The Castagnoli cyclic redundancy check: of the bytes "123456789" it is 0xE3069283.
package enum CRC32C {
    /// The check of `bytes`, or of what `crc` is the check of followed by `bytes`.
    package static func of(_ bytes: UnsafeRawBufferPointer, continuing crc: UInt32 = 0) -> UInt32 {
        larder_crc32c(crc, bytes.baseAddress, bytes.count)
    }

    /// What a check that came to `crc` over `bytes` had come to before them: ``of(_:continuing:)`` backwards.
    package static func beginning(of bytes: UnsafeRawBufferPointer, endingIn crc: UInt32) -> UInt32 {
        larder_crc32c_backwards(crc, bytes.baseAddress, bytes.count)
    }

    /// The same without the processor's instruction, to compare with.
    package static func byTable(_ bytes: UnsafeRawBufferPointer, continuing crc: UInt32 = 0) -> UInt32 {
        larder_crc32c_by_table(crc, bytes.baseAddress, bytes.count)
    }
}
