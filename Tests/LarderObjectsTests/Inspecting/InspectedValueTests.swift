#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import Testing

/// Tests of the values on the pages of an inspected database.
@Suite struct InspectedValueTests {
    @Entity final class Paper {
        var title: String = ""
        var bytes: Data = Data()
        var number: Int = 0
        var amount: Decimal = 0
    }

    private static let model = ObjectModel([Paper.self])
    private static let titles = ["ab\u{0}cd", String(repeating: "long ", count: 20_000), "aaaaaaaaaé", "café", ""]

    private func withPapers(_ body: (SQLiteStorageManager, InspectionQuery) async throws -> Void) async throws {
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave { storage in
                for (index, title) in Self.titles.enumerated() {
                    let paper = try storage.insertNewObject(ofType: Paper.self)
                    paper.title = title
                    paper.bytes = Data(repeating: UInt8(index), count: index * 50)
                    paper.number = 1_000 + index
                    paper.amount = Decimal(index) / 8
                }
            }
            try await body(manager, InspectionQuery(table: "Paper"))
        }
    }

    @Test func exportedValuesAreWhole() async throws {
        try await withPapers { manager, query in
            let records = try manager.inspectionPage(query).records
            #expect(records.map { $0.values[0] } == Self.titles.map { .string($0) })
            #expect(records[4].values[1] == .data(Data(repeating: 4, count: 200)))
            #expect(records.allSatisfy { $0.sizes.isEmpty && $0.problem == nil })
        }
    }

    @Test func longValuesAreCutAndHaveTheirTrueSizes() async throws {
        try await withPapers { manager, query in
            var query = query
            query.longestValue = 10
            let records = try manager.inspectionPage(query).records
            let titles = ["ab\u{0}cd", "long long ", "aaaaaaaaa", "café", ""]
            #expect(records.map { $0.values[0] } == titles.map { .string($0) })
            #expect(records.map { $0.sizes[0] } == [nil, 100_000, 11, nil, nil])
            #expect(records[4].values[1] == .data(Data(repeating: 4, count: 10)))
            #expect(records.map { $0.sizes[1] } == [nil, 50, 100, 150, 200])
            #expect(records.allSatisfy { $0.problem == nil && $0.sizes[2] == nil && $0.sizes[3] == nil })
            let whole = try #require(try manager.inspectionRecord(records[1].key, in: "Paper"))
            #expect(whole.values[0] == .string(Self.titles[1]) && whole.sizes.isEmpty)
        }
    }

    @Test func longValueOfAnotherTypeIsCut() async throws {
        try await withPapers { manager, query in
            let text = String(repeating: "9", count: 5_000)
            try await manager.write {
                try $0.execute(
                    sql: "UPDATE Paper SET amount = 'x' || ?, title = CAST(x'FF80808080FF80' AS TEXT)",
                    arguments: [text]
                )
            }
            var query = query
            query.longestValue = 3
            let record = try #require(try manager.inspectionPage(query).records.first)
            #expect(record.sizes == [0: 7, 3: 5_001] && record.values[3] == .string("x" + text.prefix(1_023)))
            #expect(record.problem?.contains("amount") == true)
            try await manager.write { try $0.execute(sql: "DELETE FROM Paper") }
        }
    }

    @Test func pageEndsAfterItsBytes() async throws {
        try await withPapers { manager, query in
            let all = try manager.inspectionPage(query).records
            var query = query
            query.bytes = 1_000
            var pages: [[InspectionRecord]] = []
            repeat {
                let page = try manager.inspectionPage(query)
                #expect(page.total == (pages.isEmpty ? 5 : nil))
                pages.append(page.records)
                query.after = page.next
            } while query.after != nil
            #expect(pages.map(\.count) == [2, 3] && pages.flatMap(\.self) == all)
            query.bytes = 0
            let first = try manager.inspectionPage(query)
            #expect(first.records.count == 1 && first.next != nil)
        }
    }

    @Test(arguments: [("É", [2, 3]), ("e", []), ("100", [0, 1, 2, 3, 4]), ("\u{3}\u{3}", [3]), ("cd", [0])])
    func searchFindsWhatItFindsInStores(_ text: String, _ expected: [Int64]) async throws {
        try await withPapers { manager, query in
            var query = query
            query.text = text
            let found = try manager.inspectionPage(query).records.map { $0.values[2] }
            #expect(found == expected.map { .int(1_000 + $0) })
        }
    }

    @Test func keyIsFoundByItsDigitsAndPrefix() async throws {
        try await withPapers { manager, query in
            var query = query
            let key = try #require(try manager.inspectionPage(query).records.last?.key)
            query.prefix = String(key.prefix(1))
            #expect(try manager.inspectionPage(query).records.contains { $0.key == key })
            query.prefix = key + "x"
            #expect(try manager.inspectionPage(query).records.isEmpty)
            query.prefix = key
            query.text = key
            #expect(try manager.inspectionPage(query).records.map(\.key) == [key])
        }
    }
}
#endif
