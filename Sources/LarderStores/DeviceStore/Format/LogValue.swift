import LarderCore

/// Values as the entries of a log hold them: `stored-value-v1`.
enum LogValue {
    /// Appends the encoding of `value`, which was validated.
    static func append(_ value: StoredValue, to bytes: inout [UInt8]) throws { try value.encode(into: &bytes) }

    /// The value that `bytes` are the encoding of, or `nil` when they are none that this version knows.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> StoredValue? { try? StoredValue(decoding: bytes) }
}
