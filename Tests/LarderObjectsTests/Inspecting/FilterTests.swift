#if Objects
import Foundation
import LarderCore
import LarderObjects
import LarderTesting
import Testing

/// Tests of the filters of an inspection.
@Suite struct FilterTests {
    /// Runs `body` with a manager that contains the objects of ``PredicateTests/fill(_:)``.
    private func withOrders(_ body: (SQLiteStorageManager) async throws -> Void) async throws {
        try await withStorage { manager in
            try await manager.performAndSave { try PredicateTests.fill($0) }
            try await body(manager)
        }
    }

    private func numbers(_ filter: String, _ manager: SQLiteStorageManager) throws -> [Int64] {
        var query = InspectionQuery(table: "Order", limit: 1_000)
        query.filter = filter
        let columns = try #require(try manager.inspectionTables().first { $0.name == "Order" }?.columns)
        let place = try #require(columns.firstIndex { $0.name == "number" })
        return try manager.inspectionPage(query).records.map { record in
            if case .int(let number) = record.values[place] { number } else { -1 }
        }
    }

    @Test(arguments: 0..<4) func randomFiltersSelectTheSameObjectsAsSwift(_ part: Int) async throws {
        try await withOrders { manager in
            var filters = RandomFilters(seed: UInt64(part) + 7)
            var selective = 0
            for _ in 0..<100 {
                nonisolated(unsafe) let sample = filters.sample(depth: 3)
                let expected = try await manager.withView { view in
                    try view.objects(ObjectRequest<Order>()).filter(sample.matches).map(\.number)
                }
                let found = try numbers(sample.text, manager)
                #expect(found == expected, "\(sample.text)")
                if !found.isEmpty, found.count < 15 { selective += 1 }
            }
            #expect(selective > 40)
        }
    }

    private static let filters: [(String, [Int64])] = [
        ("number == 3 && (status == .paid || note.contains(\"é\"))", []), ("", Array(0..<15)),
        (" \n", Array(0..<15)), ("true", Array(0..<15)), ("!true || false", []),
        ("number in []", []), ("total >= -0.25 && total<0.5", [6, 7, 8]), ("1_0 == number", [10]),
        ("placedAt < 2001-01-01T02:00:01+02:00", [0, 1, 2]), ("placedAt >= 2001-01-02", []),
        ("objectID > 0 && number < 2", [0, 1]), ("`number` == 1", [1]), ("number == 1e0", [1]),
        ("note.localizedStandardContains(\"E\")", [4, 5, 6]), ("note == \"e\\u{301}\"", [4, 5]),
        ("!(note.isEmpty) && number < 3", [0, 2]), ("customer.orders.items.quantity == 12", [1, 6, 11]),
        ("customer.boss.boss.name == \"Éva\"", [5, 10]), ("`customer`?.`name`.hasPrefix(\"É\")", [2, 7]),
    ]

    @Test(arguments: filters) func filterSelectsObjects(_ filter: String, _ expected: [Int64]) async throws {
        try await withOrders { manager in
            let found = try numbers(filter, manager)
            #expect(found == expected)
        }
    }

    private static let mistakes: [(String, Range<Int>, String)] = [
        ("totl > 1", 0..<4, "Type total instead"), ("number = 1", 7..<8, "Type =="),
        ("number == ", 10..<10, "not complete"),
        ("number == \"1\"", 10..<13, "Type a number"), ("note == 1", 8..<9, "quotation marks"),
        ("(number == 1", 0..<1, "Type )"), ("number == 1)", 11..<12, "Remove )"), ("number", 0..<6, "not a Bool"),
        ("number == 1 and note == nil", 12..<15, "Type &&"), ("note.contain(\"a\")", 5..<12, "Type contains"),
        ("status == .payed", 10..<16, "Type \"paid\""), ("placedAt > 2026-13-01", 11..<21, "Type a date"),
        ("customer.nme == \"Ada\"", 9..<12, "Type name"), ("items == nil", 0..<5, "several objects"),
        ("note == \"x", 8..<10, "Type \""), ("number > nil", 9..<12, "no order"), ("1 == 2", 0..<6, "needs a property"),
        ("note == null", 8..<12, "Type nil"), ("number in 1", 10..<11, "brackets"), ("é == 1", 0..<1, "no property é"),
        ("number + 1 == 2", 7..<8, "can't calculate"), ("note == “a”", 8..<9, "straight"),
        ("customer == \"Order/1\"", 12..<21, "Type its key"), ("number < note", 0..<13, "different types"),
        ("items.quantity > number", 0..<14, "several values"), ("number in [1 2]", 13..<14, "comma"),
        ("number.foo == 1", 7..<10, "no property foo"), ("true && && true", 8..<10, "missing"),
        ("`nil` == 1", 0..<5, "no property nil"), ("`true`", 0..<6, "no property true"),
        ("number == 1 `in`", 12..<16, "before in"), ("`number` `in` [1]", 9..<13, "Type && or ||"),
        ("number <> 1", 7..<9, "Type !="), ("note == \"\\q\"", 9..<11, "escape"),
    ]

    @Test(arguments: mistakes) func mistakeIsReportedAtItsPlace(
        _ filter: String,
        _ place: Range<Int>,
        _ message: String
    ) async throws {
        try await withOrders { manager in
            let error = #expect(throws: InspectionQueryError.self) { _ = try numbers(filter, manager) }
            #expect(error?.place == place, "\(error?.message ?? "")")
            #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        }
    }

    @Test func nonsenseIsRejectedOnSmallStack() async throws {
        try await withOrders { manager in
            let texts = [
                String(repeating: "(", count: 9_000) + "number == 1",
                String(repeating: "!", count: 9_001) + "(number == 1)",
                String(repeating: "(", count: 20) + "number == 1" + String(repeating: ")", count: 20),
                Array(repeating: "number==1", count: 900).joined(separator: "||"),
                Array(repeating: "number==1&&!note.isEmpty", count: 300).joined(separator: "||"),
                "number in [" + String(repeating: "1,", count: 4_900) + "1]",
                Array(repeating: "customer", count: 2_000).joined(separator: "."),
                String(repeating: "customer.boss.", count: 4) + "name == \"\"",
                String(repeating: "x", count: 1_000_000),
                (0..<20).reduce("number == 1") { text, turn in "(\(text) \(turn % 2 == 0 ? "&&" : "||") note != nil)" },
            ]
            try await onSmallThread {
                var filters = RandomFilters(seed: 99)
                for text in texts + (0..<600).map({ _ in filters.nonsense() }) {
                    var query = InspectionQuery(table: "Order", limit: 5)
                    query.filter = text
                    do {
                        _ = try manager.inspectionPage(query)
                    } catch let error as InspectionQueryError {
                        guard let place = error.place else {
                            Issue.record("\(text.prefix(100)): \(error)")
                            continue
                        }
                        #expect(place.upperBound <= text.unicodeScalars.count, "\(text.prefix(100))")
                        #expect(error.message.hasSuffix("."), "\(error)")
                    }
                }
            }
        }
    }

    @Test(arguments: [4, 9]) func deepFilterIsAnsweredOrRefusedAtItsPlace(_ links: Int) async throws {
        try await withStorage { manager in
            var query = InspectionQuery(table: "Tag")
            let path = Array(repeating: "orders.tags", count: links / 2).joined(separator: ".")
            let (start, end) = (String(repeating: "!(", count: 20), String(repeating: ")", count: 20))
            query.filter = start + path + ".name == \"x\"" + end
            do {
                let (page, plan) = (try manager.inspectionPage(query), try manager.inspectionPlan(query))
                #expect(page.records.isEmpty && plan?.steps.isEmpty == false)
            } catch let error as InspectionQueryError {
                #expect(error.place == 0..<query.filter.unicodeScalars.count, "\(error)")
            }
        }
    }

    @Test func filterCannotChangeMeaningOfSQL() async throws {
        try await withOrders { manager in
            for filter in [
                "note == \"' OR 1=1 --\"", "note.contains(\"'; DROP TABLE Item; --\")",
                "`note\" OR 1=1 --` == 1", "customer.`name\" IS NOT NULL OR \"1` == \"x\"",
            ] {
                let found: [Int64]
                do { found = try numbers(filter, manager) } catch is InspectionQueryError { found = [] }
                #expect(found == [])
            }
            let tables = try manager.inspectionTables()
            #expect(tables.first { $0.name == "Item" }?.count == 15)
        }
    }
}
#endif
