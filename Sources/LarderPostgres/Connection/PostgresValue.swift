#if Postgres
/// A parameter of a statement, in PostgreSQL's binary format.
enum PostgresValue: Sendable {
    case boolean(Bool)
    case int4(Int32)
    case int8(Int64?)
    case text(String)
    case bytes([UInt8])
    case int4Array([Int32])
    case int8Array([Int64?])
    case bytesArray([[UInt8]?])

    /// The number of the type in PostgreSQL's catalog.
    var type: UInt32 {
        switch self {
        case .boolean: 16
        case .bytes: 17
        case .int8: 20
        case .int4: 23
        case .text: 25
        case .bytesArray: 1001
        case .int4Array: 1007
        case .int8Array: 1016
        }
    }

    /// The bytes of the value, or `nil` for a null value.
    var encoded: [UInt8]? {
        switch self {
        case .boolean(let value): [value ? 1 : 0]
        case .int4(let value): value.networkBytes
        case .int8(let value): value?.networkBytes
        case .text(let value): Array(value.utf8)
        case .bytes(let value): value
        case .int4Array(let values): Self.array(of: 23, values) { $0.networkBytes }
        case .int8Array(let values): Self.array(of: 20, values) { $0?.networkBytes }
        case .bytesArray(let values): Self.array(of: 17, values) { $0 }
        }
    }

    /// Returns the bytes of an array: dimensions, whether there are null values, the type, the length, the first index, then the elements.
    private static func array<Element>(
        of type: Int32,
        _ elements: [Element],
        _ encode: (Element) -> [UInt8]?
    ) -> [UInt8] {
        guard !elements.isEmpty else { return Int32(0).networkBytes + Int32(0).networkBytes + type.networkBytes }
        var bytes: [UInt8] = []
        for number in [1, 1, type, Int32(clamping: elements.count), 1] { bytes += number.networkBytes }
        for element in elements {
            guard let encoded = encode(element) else {
                bytes += Int32(-1).networkBytes
                continue
            }
            bytes += Int32(clamping: encoded.count).networkBytes
            bytes += encoded
        }
        return bytes
    }
}

extension FixedWidthInteger {
    /// The bytes of the number, the most significant one first.
    var networkBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }

    /// Creates a number from bytes with the most significant one first, or returns `nil` if their count is not that of the type.
    init?(networkBytes bytes: some Collection<UInt8>) {
        guard bytes.count == Self.bitWidth / 8 else { return nil }
        self = bytes.reduce(0) { ($0 << 8) | Self(truncatingIfNeeded: $1) }
    }
}
#endif
