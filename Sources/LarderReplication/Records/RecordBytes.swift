import LarderCore

/// The bytes of a record in the replica; see `Documentation/Formats/replication-v1.md`.
struct RecordWriter {
    private(set) var bytes: [UInt8]

    /// Creates the bytes of a record, which begin with the version.
    init(reserving count: Int = 64) {
        bytes = []
        bytes.reserveCapacity(count)
        bytes.append(RecordReader.version)
    }

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    mutating func append(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ number: Int64) { append(UInt64(bitPattern: number)) }

    mutating func append(count: Int) {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: count).littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ content: [UInt8]) {
        append(count: content.count)
        bytes.append(contentsOf: content)
    }

    mutating func append(_ content: [UInt8]?) {
        append(content == nil ? UInt8(0) : 1)
        if let content { append(content) }
    }

    mutating func append(_ number: Int64?) {
        append(number == nil ? UInt8(0) : 1)
        if let number { append(number) }
    }
}

/// A reader of the bytes of a record in the replica.
struct RecordReader {
    /// The version of all records.
    static let version: UInt8 = 1

    /// An error in the bytes of a record.
    enum Failure: Error {
        case damaged
        case newerVersion
    }

    private var rest: ArraySlice<UInt8>

    /// Begins to read a record, after checking its version.
    init(_ bytes: [UInt8]) throws(Failure) {
        guard let version = bytes.first else { throw .damaged }
        guard version == Self.version else { throw .newerVersion }
        rest = bytes.dropFirst()
    }

    mutating func byte() throws(Failure) -> UInt8 {
        guard let byte = rest.popFirst() else { throw .damaged }
        return byte
    }

    mutating func number() throws(Failure) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 8) { number |= UInt64(try byte()) << shift }
        return number
    }

    mutating func integer() throws(Failure) -> Int64 { Int64(bitPattern: try number()) }

    /// Reads the number of elements that follow, each of which has at least one byte.
    mutating func count() throws(Failure) -> Int {
        var number = 0
        for shift in stride(from: 0, to: 32, by: 8) { number |= Int(try byte()) << shift }
        guard number <= rest.count else { throw .damaged }
        return number
    }

    mutating func bytes() throws(Failure) -> [UInt8] {
        let count = try count()
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// Reads whether an optional element follows.
    mutating func isPresent() throws(Failure) -> Bool {
        switch try byte() {
        case 0: return false
        case 1: return true
        default: throw .damaged
        }
    }

    mutating func optionalBytes() throws(Failure) -> [UInt8]? { try isPresent() ? try bytes() : nil }

    mutating func optionalInteger() throws(Failure) -> Int64? { try isPresent() ? try integer() : nil }

    /// Checks that the record ends here.
    func end() throws(Failure) { guard rest.isEmpty else { throw .damaged } }
}
