import CLarderPlatform

extension UnsafeRawBufferPointer {
    /// Whether all bytes in the buffer are zero.
    ///
    /// The value is `true` for an empty buffer.
    package var isZero: Bool {
        guard let baseAddress, count > 0 else { return true }
        return larder_is_zero(baseAddress, count) != 0
    }
}
