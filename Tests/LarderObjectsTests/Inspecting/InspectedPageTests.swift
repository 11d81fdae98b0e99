#if Objects
import Foundation
import LarderCore
import LarderObjects
import LarderTesting
import Testing

/// Tests of the pages and records of an inspected database.
@Suite struct InspectedPageTests {
    @Entity(indexes: [["place", "name"]]) final class Note {
        @Attribute(.indexed) var name: String?
        var place: Int = 0
        var rank: Double?
        var text: String = ""
    }

    private static let model = ObjectModel([Note.self])

    private func withNotes(_ count: Int = 300, _ body: (SQLiteStorageManager) async throws -> Void) async throws {
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave { storage in
                var random = SeededGenerator(seed: 3)
                let names: [String?] = [nil, "", "Ada", "Bob", "Éva", String(repeating: "long ", count: 100)]
                for number in 0..<count {
                    let note = try storage.insertNewObject(ofType: Note.self)
                    note.name = names.randomElement(using: &random) ?? nil
                    note.place = Int.random(in: 0..<7, using: &random)
                    note.rank = Bool.random(using: &random) ? nil : Double(Int.random(in: -3..<3, using: &random)) / 2
                    note.text = number % 50 == 7 ? "a Needle, 100%" : "hay_\(number)"
                }
            }
            try await body(manager)
        }
    }

    /// Returns the keys of all pages, and the number of pages.
    private func pages(
        _ query: InspectionQuery,
        _ manager: SQLiteStorageManager
    ) throws -> (keys: [String], count: Int) {
        var (query, keys, count) = (query, [String](), 0)
        while true {
            let page = try manager.inspectionPage(query)
            #expect(page.records.count <= query.limit)
            keys += page.records.map(\.key)
            count += 1
            guard let next = page.next else { return (keys, count) }
            #expect(query.after != next)
            query.after = next
        }
    }

    private static let orders: [[InspectionQuery.Order]] = [
        [], [.init("objectID", isAscending: false)], [.init("name")], [.init("name", isAscending: false)],
        [.init("rank"), .init("name", isAscending: false)], [.init("place", isAscending: false), .init("rank")],
        [.init("place"), .init("name"), .init("rank", isAscending: false), .init("objectID")],
    ]

    @Test(arguments: orders) func pagesContainEachObjectInOrder(_ order: [InspectionQuery.Order]) async throws {
        try await withNotes { manager in
            var query = InspectionQuery(table: "Note", limit: 1_000)
            query.order = order
            query.patience = .seconds(60)
            let all = try manager.inspectionPage(query)
            #expect(all.next == nil && all.total == 300 && all.records.count == 300)
            #expect(Set(all.records.map(\.key)).count == 300)
            let columns = ["name", "place", "rank"]
            for (first, second) in zip(all.records, all.records.dropFirst()) {
                // The first column in which two neighbors differ has the direction of the order.
                for term in order {
                    let isKey = term.column == "objectID"
                    let place = columns.firstIndex(of: term.column) ?? 0
                    let (a, b): (StoredValue, StoredValue) =
                        isKey
                        ? (.int(Int64(first.key) ?? 0), .int(Int64(second.key) ?? 0))
                        : (first.values[place], second.values[place])
                    if a == b { continue }
                    #expect(Self.precedes(a, b) == term.isAscending, "\(a) \(b)")
                    break
                }
            }
            query.limit = 7
            #expect(try pages(query, manager).keys == all.records.map(\.key))
            query.filter = "place > 1 && name != \"Bob\""
            query.limit = 1_000
            let filtered = try manager.inspectionPage(query).records.map(\.key)
            query.limit = 5
            query.patience = .zero
            let slow = try pages(query, manager)
            #expect(slow.keys == filtered && !filtered.isEmpty && filtered.count < 300)
        }
    }

    /// Returns whether SQLite sorts a value before another.
    private static func precedes(_ first: StoredValue, _ second: StoredValue) -> Bool {
        switch (first, second) {
        case (.null, _): true
        case (_, .null): false
        case (.int(let a), .int(let b)): a < b
        case (.double(let a), .double(let b)): a < b
        case (.string(let a), .string(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        default: false
        }
    }

    @Test func searchFindsTextWithoutRegardToCase() async throws {
        try await withNotes { manager in
            var query = InspectionQuery(table: "Note", limit: 100)
            query.text = "NEEDLE, 100%"
            query.patience = .seconds(60)
            let found = try pages(query, manager)
            #expect(found.keys.count == 6 && found.count == 1)
            query.patience = .zero
            let slow = try pages(query, manager)
            #expect(slow.keys == found.keys && slow.count > 3)
            query.filter = "place != 3"
            query.order = [.init("rank")]
            #expect(try Set(pages(query, manager).keys).isSubset(of: found.keys))
            query = InspectionQuery(table: "Note", limit: 100)
            query.text = "éVA"
            #expect(try !manager.inspectionPage(query).records.isEmpty)
            query.text = "eva"
            #expect(try manager.inspectionPage(query).records.isEmpty)
            query.text = "hay_1_"
            #expect(try manager.inspectionPage(query).records.isEmpty)
            query.text = found.keys[2]
            #expect(try pages(query, manager).keys.contains(found.keys[2]))
            query.text = ""
            query.prefix = "12"
            #expect(try pages(query, manager).keys.allSatisfy { $0.hasPrefix("12") })
        }
    }

    @Test func pageFollowsAnObjectWithALongName() async throws {
        try await withNotes { manager in
            var query = InspectionQuery(table: "Note", limit: 3)
            query.order = [.init("name", isAscending: false)]
            query.filter = "name.hasPrefix(\"long\")"
            let first = try manager.inspectionPage(query)
            let next = try #require(first.next)
            #expect(next.utf8.count < 50)
            query.after = next
            let last = try #require(first.records.last.flatMap { Int64($0.key) })
            let second = try manager.inspectionPage(query)
            #expect(second.records.count == 3 && !second.records.contains { $0.key == String(last) })
            try await manager.performAndSave { storage in
                for note in try storage.allObjects(ofType: Note.self) where note.name?.isEmpty == false {
                    try storage.deleteObject(note)
                }
            }
            let error = #expect(throws: InspectionQueryError.self) { try manager.inspectionPage(query) }
            #expect(error?.message.contains("first page") == true && error?.place == nil)
        }
    }

    @Test(arguments: ["", "x", "1,n", "99999999999999999999", "1,2,3", "?", "1,t=", ",", "-1,r7ff8000000000000"])
    func invalidPlaceIsRejected(_ after: String) async throws {
        try await withNotes(10) { manager in
            var query = InspectionQuery(table: "Note")
            query.after = after
            query.order = [.init("rank")]
            do { _ = try manager.inspectionPage(query) } catch let error as InspectionQueryError {
                #expect(error.message.contains("first page"))
            }
        }
    }

    @Test func queryOfUnknownNamesSuggestsNearest() async throws {
        try await withNotes(1) { manager in
            func message(_ change: (inout InspectionQuery) -> Void) -> String? {
                var query = InspectionQuery(table: "Note")
                change(&query)
                let error = #expect(throws: InspectionQueryError.self) { try manager.inspectionPage(query) }
                return error?.message
            }
            #expect(message { $0.table = "Notes" }?.contains("Choose Note.") == true)
            #expect(message { $0.order = [.init("nam")] }?.contains("Sort by name instead") == true)
            #expect(message { $0.relation = .init(of: "1", in: "Note", "x") }?.contains("no relationship") == true)
        }
    }

    @Test func indexedOrderNeedsNoSorting() async throws {
        try await withNotes { manager in
            for isAscending in [true, false] {
                var query = InspectionQuery(table: "Note")
                query.order = [.init("name", isAscending: isAscending)]
                let plan = try #require(try manager.inspectionPlan(query))
                #expect(!plan.steps.contains { $0.contains("TEMP B-TREE") } && plan.advice == [], "\(plan)")
            }
        }
    }
}
#endif
