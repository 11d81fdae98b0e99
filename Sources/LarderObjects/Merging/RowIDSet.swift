#if Objects
/// Ids of rows, a bit each: ids that follow one another, as they mostly do, take a fifth of a byte.
struct RowIDSet: Sendable {
    /// For each 64 ids, which of them are in the set.
    private var words: [Int64: UInt64] = [:]
    private(set) var count = 0

    init() {}

    init(_ ids: [Int64]) { for id in ids { insert(id) } }

    var isEmpty: Bool { count == 0 }

    /// Adds an id.
    ///
    /// - Returns: Whether it is new.
    @discardableResult
    mutating func insert(_ id: Int64) -> Bool {
        let bit = UInt64(1) << UInt64(id & 63)
        let isNew = words[id >> 6, default: 0] & bit == 0
        guard isNew else { return false }
        words[id >> 6, default: 0] |= bit
        count += 1
        return true
    }

    func contains(_ id: Int64) -> Bool { words[id >> 6, default: 0] & UInt64(1) << UInt64(id & 63) != 0 }

    /// All ids in ascending order.
    func sorted() -> [Int64] {
        var ids: [Int64] = []
        ids.reserveCapacity(count)
        for key in words.keys.sorted() {
            var word = words[key, default: 0]
            while word != 0 {
                ids.append(key << 6 | Int64(word.trailingZeroBitCount))
                word &= word - 1
            }
        }
        return ids
    }
}
#endif
