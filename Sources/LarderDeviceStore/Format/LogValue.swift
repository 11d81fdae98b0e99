import Foundation
import LarderCore

/// The encoding of values in log entries, as defined by the format `stored-value-v1`.
enum LogValue {
    /// Returns the size of the encoded `value` in bytes.
    @inline(__always)
    static func size(of value: StoredValue) -> Int {
        if case .int(let number) = value { return StoredValue.encodedSize(of: number) }
        return value.encodedSize
    }

    /// Encodes `value` into the memory at `start`, and returns the number of bytes written.
    ///
    /// The value must be valid, and the memory must be large enough.
    @inline(__always)
    static func encode(_ value: StoredValue, to start: UnsafeMutableRawPointer) throws -> Int {
        if case .int(let number) = value { return StoredValue.encode(number, to: start) }
        return try value.encode(to: start)
    }

    /// Decodes a value, or returns `nil` if the bytes are not a valid encoding in this version of the format.
    @inline(__always)
    static func decode(_ bytes: UnsafeRawBufferPointer) -> StoredValue? {
        if let number = StoredValue.integer(encodedAs: bytes) { return .int(number) }
        return decodeOther(bytes)
    }

    /// Decodes a data value without copying its bytes.
    ///
    /// The result takes ownership of `encoded`, which must be allocated memory, and frees the memory together with the data.
    ///
    /// - Returns: The value, or `nil` if the encoded value is not data. In that case, the caller remains the owner of `encoded`.
    static func data(takingOver encoded: UnsafeMutableRawBufferPointer) -> StoredValue? {
        guard
            let offset = StoredValue.offsetOfData(encodedAs: UnsafeRawBufferPointer(encoded)),
            let start = encoded.baseAddress
        else { return nil }
        let free = Data.Deallocator.custom { _, _ in encoded.deallocate() }
        return .data(Data(bytesNoCopy: start + offset, count: encoded.count - offset, deallocator: free))
    }

    @inline(never)
    private static func decodeOther(_ bytes: UnsafeRawBufferPointer) -> StoredValue? {
        // The reason doesn't matter, because readers of the log report `nil` as corruption at the entry's offset.
        try? StoredValue(decoding: bytes)
    }
}
