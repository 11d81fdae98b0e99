#if Objects
/// The sort values of an object as a string of bytes, which compares like the values in SQLite, and the object's row id.
///
/// Keys of one list have the same number of values. No value's bytes are the beginning of another value's bytes.
struct SortKey: Sendable, Hashable {
    let id: Int64
    /// The first eight bytes, followed by zeros if there are fewer.
    private let first: UInt64
    /// The next eight bytes.
    private let second: UInt64
    /// The bytes after the first 16.
    private let rest: [UInt8]

    /// Creates the key of a row.
    ///
    /// - Parameters:
    ///   - values: The values of the sort order, without the row id.
    ///   - descending: For each value, whether it sorts in descending order.
    ///   - id: The row id, which decides between equal values, in ascending order.
    init(_ values: [ColumnValue], descending: [Bool], id: Int64) {
        var bytes: [UInt8] = []
        for (value, isDescending) in zip(values, descending) {
            let start = bytes.count
            SortKeyCoding.append(value, to: &bytes)
            if isDescending { for place in start..<bytes.count { bytes[place] = ~bytes[place] } }
        }
        self.init(bytes: bytes, id: id)
    }

    private init(bytes: [UInt8], id: Int64) {
        func word(_ start: Int) -> UInt64 {
            (start..<start + 8).reduce(0) { $0 << 8 | UInt64($1 < bytes.count ? bytes[$1] : 0) }
        }
        first = word(0)
        second = word(8)
        rest = bytes.count > 16 ? Array(bytes[16...]) : []
        self.id = id
    }

    /// The bytes of the values, followed by zeros if there are fewer than 16.
    private var bytes: [UInt8] {
        [first, second].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } } + rest
    }

    /// Returns the first `count` values.
    func values(_ count: Int) -> [ColumnValue] {
        var bytes = bytes
        return (0..<count).map { _ in
            let (value, length) = SortKeyCoding.value(at: bytes)
            bytes.removeFirst(length)
            return value
        }
    }

    /// The first value, and a range that contains all keys with this value and no others.
    var section: (value: ColumnValue, keys: Range<SortKey>) {
        let bytes = bytes
        let (value, count) = SortKeyCoding.value(at: bytes)
        let start = Array(bytes[..<count])
        // No value begins with the byte 0xFF.
        let end = start + Array(repeating: 0xFF, count: max(1, 16 - count))
        return (value, SortKey(bytes: start, id: .min)..<SortKey(bytes: end, id: .max))
    }
}

extension SortKey: Comparable {
    static func < (first: SortKey, second: SortKey) -> Bool {
        if first.first != second.first { return first.first < second.first }
        if first.second != second.second { return first.second < second.second }
        if !(first.rest.isEmpty && second.rest.isEmpty), first.rest != second.rest {
            return first.rest.lexicographicallyPrecedes(second.rest)
        }
        return first.id < second.id
    }
}
#endif
