#if Objects
import Foundation
import GRDB
@testable import LarderObjects
import LarderTesting
import Testing

/// Tests of the strings of bytes that compare like SQLite's values.
@Suite struct SortKeyTests {
    private struct Row {
        let id: Int64
        let values: [ColumnValue]
    }

    /// Columns contain values of one type, except those of `UInt64`, which contain integers and strings.
    private enum Kind: CaseIterable {
        case integer, real, text, blob, unsigned

        func value(_ random: inout SeededGenerator) -> ColumnValue {
            if Int.random(in: 0..<6, using: &random) == 0 { return .null }
            switch self {
            case .integer:
                let value = Int64.random(in: .min ... .max, using: &random)
                return .integer(value >> Int64.random(in: 0...63, using: &random))
            case .real:
                let value = Double(bitPattern: .random(in: 0...(.max), using: &random))
                let isSmall = Bool.random(using: &random) || !value.isFinite
                return .real(isSmall ? Double(Int.random(in: -3...3, using: &random)) / 2 : value)
            case .text:
                let letters: [Character] = ["\0", "\u{1}", "a", "b", "é", "語", "🙂"]
                return .text(String(Self.content(letters, &random)))
            case .blob: return .blob(Data(Self.content([0, 1, 254, 255], &random)))
            case .unsigned:
                let value = UInt64.random(in: 0...(.max), using: &random)
                return (value >> UInt64.random(in: 0...63, using: &random)).columnValue
            }
        }

        private static func content<Element>(_ elements: [Element], _ random: inout SeededGenerator) -> [Element] {
            (0..<Int.random(in: 0..<20, using: &random)).compactMap { _ in elements.randomElement(using: &random) }
        }
    }

    @Test(arguments: 1...10) func orderIsThatOfSQLite(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let kinds = (0..<3).map { _ in Kind.allCases.randomElement(using: &random) ?? .integer }
        // Values repeat, so that later columns and ids decide.
        let pools = kinds.map { kind in (0..<12).map { _ in kind.value(&random) } }
        let rows = (1...500).map { id in
            Row(id: Int64(id), values: pools.map { $0.randomElement(using: &random) ?? .null })
        }
        let queue = try DatabaseQueue()
        try queue.write { database in
            try database.execute(sql: "CREATE TABLE pair (id INTEGER PRIMARY KEY, a, b, c)")
            let statements = StatementCache(database)
            for row in rows {
                try statements.run("INSERT INTO pair VALUES (?, ?, ?, ?)", [.integer(row.id)] + row.values)
            }
        }
        for order in 0..<8 {
            let descending = (0..<3).map { order & 1 << $0 != 0 }
            let terms = zip(["a", "b", "c"], descending).map { $1 ? "\($0) DESC" : $0 } + ["id"]
            let sorted = try queue.read {
                try Int64.fetchAll($0, sql: "SELECT id FROM pair ORDER BY \(terms.joined(separator: ", "))")
            }
            let keys = rows.map { SortKey($0.values, descending: descending, id: $0.id) }.sorted()
            #expect(keys.map(\.id) == sorted)
        }
    }

    @Test(arguments: 1...10) func firstValueCanBeReadBack(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let kind = Kind.allCases.randomElement(using: &random) ?? .integer
            let (value, other) = (kind.value(&random), kind.value(&random))
            let descending = [Bool.random(using: &random), Bool.random(using: &random)]
            let section = SortKey([value, other], descending: descending, id: 1).section
            #expect(section.value == value)
            #expect(section.keys.contains(SortKey([value, .null], descending: descending, id: .max)))
            #expect(section.keys.contains(SortKey([other, value], descending: descending, id: 1)) == (value == other))
        }
    }
}
#endif
