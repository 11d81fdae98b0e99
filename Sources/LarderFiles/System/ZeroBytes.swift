import CLarderPlatform

extension UnsafeRawBufferPointer {
    /// Whether all bytes are zero, as those of reserved room are; true of no bytes.
    package var isZero: Bool {
        guard let baseAddress, count > 0 else { return true }
        return larder_is_zero(baseAddress, count) != 0
    }
}
