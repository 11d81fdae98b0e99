#if Objects
/// A set of row ids, stored as a bitmap.
///
/// Consecutive ids take about a fifth of a byte each.
struct RowIDSet: Sendable {
    /// The words of the bitmap, keyed by the id divided by 64.
    ///
    /// Each word represents 64 consecutive ids.
    private var words: [Int64: UInt64] = [:]
    private(set) var count = 0

    init() {}

    init(_ ids: [Int64]) { for id in ids { insert(id) } }

    var isEmpty: Bool { count == 0 }

    /// Inserts an id into the set.
    ///
    /// - Returns: `true` if the set did not contain the id.
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

    /// Returns all ids in the set in ascending order.
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
