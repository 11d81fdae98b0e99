import LarderCore

/// Values as the entries of a log hold them: `stored-value-v1`.
enum LogValue {
    /// How many bytes the encoding of `value` takes.
    @inline(__always)
    static func size(of value: StoredValue) -> Int {
        if case .int(let number) = value { return StoredValue.encodedSize(of: number) }
        return value.encodedSize
    }

    /// Stores the encoding of `value`, which was validated, where there is room for it, and returns its size.
    @inline(__always)
    static func encode(_ value: StoredValue, to start: UnsafeMutableRawPointer) throws -> Int {
        if case .int(let number) = value { return StoredValue.encode(number, to: start) }
        return try value.encode(to: start)
    }

    /// The value that `bytes` are the encoding of, or `nil` when they are none that this version knows.
    @inline(__always)
    static func decode(_ bytes: UnsafeRawBufferPointer) -> StoredValue? {
        if let number = StoredValue.integer(encodedAs: bytes) { return .int(number) }
        return decodeOther(bytes)
    }

    @inline(never)
    private static func decodeOther(_ bytes: UnsafeRawBufferPointer) -> StoredValue? {
        // Why not does not matter: whoever reads the log makes damage of `nil`, with its place.
        try? StoredValue(decoding: bytes)
    }
}
