#if Objects
@testable import LarderObjects
import LarderTesting

/// A sectioned list as a sorted array, the model that random tests compare a ``ResultsIndex`` with.
struct NaiveList: Equatable {
    struct Section: Equatable {
        let value: Int64
        var ids: [Int64]
    }
    struct Row {
        var section: Int64
        var key: Int64
    }
    /// The order of a list.
    struct Order {
        let isSectioned: Bool
        let descending: [Bool]

        func key(_ id: Int64, _ row: Row) -> SortKey {
            isSectioned
                ? SortKey([.integer(row.section), .integer(row.key)], descending: descending, id: id)
                : SortKey([.integer(row.key)], descending: [descending[1]], id: id)
        }
    }

    var sections: [Section] = []

    init(_ rows: [Int64: Row], _ order: Order) {
        let sorted = rows.sorted { first, second in
            let (a, b) = (first.value, second.value)
            if order.isSectioned, a.section != b.section { return (a.section < b.section) != order.descending[0] }
            if a.key != b.key { return (a.key < b.key) != order.descending[1] }
            return first.key < second.key
        }
        if !order.isSectioned { sections = [Section(value: 0, ids: sorted.map(\.key))] }
        for (id, row) in sorted where order.isSectioned {
            if sections.last?.value != row.section { sections.append(Section(value: row.section, ids: [])) }
            sections[sections.count - 1].ids.append(id)
        }
    }

    init(_ index: ResultsIndex) {
        sections = index.sections.map { Section(value: $0.value.integerValue ?? 0, ids: $0.keys.map(\.id)) }
    }

    subscript(path: ResultsPath) -> Int64 { sections[path.section].ids[path.item] }

    /// Applies a difference in the documented order.
    ///
    /// - Parameters:
    ///   - difference: The difference between this list and the new list.
    ///   - new: The new list, for the values of inserted sections.
    /// - Returns: Whether all deleted sections were empty.
    mutating func apply(_ difference: IndexDifference, to new: NaiveList) -> Bool {
        for path in difference.deletions { sections[path.section].ids.remove(at: path.item) }
        for section in difference.deletedSections where !sections.remove(at: section).ids.isEmpty { return false }
        for section in difference.insertedSections {
            sections.insert(Section(value: new.sections[section].value, ids: []), at: section)
        }
        for insertion in difference.insertions {
            sections[insertion.path.section].ids.insert(insertion.id, at: insertion.path.item)
        }
        return true
    }
}

/// A random program that changes the rows of a list.
struct RandomRows {
    private(set) var rows: [Int64: NaiveList.Row] = [:]
    private var random: SeededGenerator
    private var nextID: Int64 = 1
    let order: NaiveList.Order
    private let sections: Int64
    private let keys: Int64

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        order = NaiveList.Order(
            isSectioned: seed % 3 != 0,
            descending: [.random(using: &random), .random(using: &random)]
        )
        sections = [2, 5, 30].randomElement(using: &random) ?? 2
        keys = [3, 10, 1_000].randomElement(using: &random) ?? 3
        self.random = random
    }

    mutating func isTrue(once count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    /// Changes up to eight rows, and returns the ids of the rows that may have changed.
    mutating func change() -> Set<Int64> {
        var changed: Set<Int64> = []
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let choice = Int.random(in: 0..<7, using: &random)
            guard choice > 2, let id = rows.keys.sorted().randomElement(using: &random) else {
                rows[nextID] = NaiveList.Row(
                    section: .random(in: 0..<sections, using: &random),
                    key: .random(in: 0..<keys, using: &random)
                )
                changed.insert(nextID)
                nextID += 1
                continue
            }
            switch choice {
            case 3: rows[id] = nil
            case 4: rows[id]?.key = .random(in: 0..<keys, using: &random)
            case 5: rows[id]?.section = .random(in: 0..<sections, using: &random)
            default: break
            }
            changed.insert(id)
        }
        return changed
    }
}
#endif
