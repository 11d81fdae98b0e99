#if Objects
/// A set of column indexes in one entity.
struct ColumnSet: Hashable, Sendable {
    /// The bit mask for the columns with indexes below 64.
    private var low: UInt64 = 0
    /// The bit masks for the columns with indexes of 64 and above.
    private var high: [UInt64] = []

    init() {}

    init(_ columns: some Sequence<Int>) { for column in columns { insert(column) } }

    var isEmpty: Bool { low == 0 && high.isEmpty }

    mutating func insert(_ column: Int) {
        if column < 64 {
            low |= 1 << UInt64(column)
            return
        }
        let place = column / 64 - 1
        while high.count <= place { high.append(0) }
        high[place] |= 1 << UInt64(column % 64)
    }

    mutating func formUnion(_ other: ColumnSet) {
        low |= other.low
        while high.count < other.high.count { high.append(0) }
        for place in other.high.indices { high[place] |= other.high[place] }
    }

    func contains(_ column: Int) -> Bool {
        if column < 64 { return low & 1 << UInt64(column) != 0 }
        let place = column / 64 - 1
        return place < high.count && high[place] & 1 << UInt64(column % 64) != 0
    }

    func isDisjoint(with other: ColumnSet) -> Bool {
        low & other.low == 0 && zip(high, other.high).allSatisfy { $0 & $1 == 0 }
    }

    /// The column indexes in ascending order.
    var columns: [Int] {
        (0..<64 * (1 + high.count)).filter(contains)
    }
}
#endif
