import LarderCore

/// The content of a log, parsed according to the format document without the code under test.
struct LogDissection {
    struct Frame: Sendable {
        var range: Range<Int>
        /// The writes in order; the value of a removal is `nil`.
        var writes: [(key: String, value: StoredValue?)]
    }

    var frames: [Frame] = []
    /// The synced mark of the newer slot.
    ///
    /// All bytes before the mark are on the disk.
    let syncedMark: Int

    init(_ bytes: [UInt8]) throws {
        func number(at offset: Int, size: Int) -> Int {
            (0..<size).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
        }
        syncedMark = number(at: number(at: 48, size: 8) > number(at: 2096, size: 8) ? 64 : 2112, size: 8)
        var offset = 4096
        while offset + 16 <= bytes.count {
            let length = number(at: offset + 4, size: 4)
            guard length >= 16, offset + length <= bytes.count else { return }
            let end = offset + (length + 7) / 8 * 8
            frames.append(Frame(range: offset..<end, writes: try Self.writes(bytes[offset + 16..<offset + length])))
            offset = end
        }
    }

    /// Returns the entries of a store that lacks some frames.
    func contents(without missing: Set<Int> = []) -> Contents {
        var contents: Contents = [:]
        for (number, frame) in frames.enumerated() where !missing.contains(number) {
            for (key, value) in frame.writes { contents[key] = value }
        }
        return contents
    }

    /// Returns the entries of a store that ends before `frame`.
    func contents(before frame: Int) -> Contents { contents(without: Set(frame..<frames.count)) }

    /// Returns the keys whose surviving value is in a frame before the missing one.
    func keysInDoubt(without missing: Int) -> [String] {
        var last: [String: Int] = [:]
        for (number, frame) in frames.enumerated() where number != missing {
            for (key, value) in frame.writes { last[key] = value == nil ? nil : number }
        }
        return last.filter { $0.value < missing }.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private static func writes(_ entries: ArraySlice<UInt8>) throws -> [(key: String, value: StoredValue?)] {
        var rest = entries
        func number() -> Int {
            var result = 0
            var shift = 0
            while let byte = rest.popFirst() {
                result |= Int(byte & 0x7F) << shift
                shift += 7
                if byte < 0x80 { break }
            }
            return result
        }
        var writes: [(key: String, value: StoredValue?)] = []
        while let kind = rest.popFirst() {
            let keyLength = number()
            let valueLength = kind == 0 ? 0 : number()
            if kind == 2 { rest = rest.dropFirst(8) }
            let key = String(decoding: rest.prefix(keyLength), as: UTF8.self)
            rest = rest.dropFirst(keyLength)
            writes.append((key, kind == 0 ? nil : try StoredValue(decoding: rest.prefix(valueLength))))
            rest = rest.dropFirst(valueLength)
        }
        return writes
    }
}
