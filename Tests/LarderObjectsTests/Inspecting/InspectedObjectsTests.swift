#if Objects
import Foundation
import LarderCore
import LarderObjects
import LarderTestSupport
import Testing

/// Tests of what an inspection tells of a database of objects.
@Suite struct InspectedObjectsTests {
    /// Runs `body` with a manager of a file that contains an order with relationships, and with a database without classes.
    private func withShop(_ body: (SQLiteStorageManager, ObjectDatabase) async throws -> Void) async throws {
        try await withStorage(.file) { manager in
            try await manager.performAndSave { storage in
                let ada = try storage.insertNewObject(ofType: Customer.self)
                ada.name = "Ada"
                ada.boss = ada
                let order = try storage.insertNewObject(ofType: Order.self)
                order.number = 7
                order.total = Decimal(string: "12.50") ?? 0
                order.customer = ada
                order.items = try ["b", "a", "c"].map { name in
                    let item = try storage.insertNewObject(ofType: Item.self)
                    item.name = name
                    return item
                }
                let tag = try storage.insertNewObject(ofType: Tag.self)
                tag.name = "red"
                order.tags = [tag]
                let refund = try storage.insertNewObject(ofType: Refund.self)
                refund.order = order
            }
            let database = try ObjectDatabase(reading: manager.url.path)
            defer { database.close() }
            try await body(manager, database)
        }
    }

    private func record(_ table: String, _ instance: any Inspectable) throws -> InspectionRecord {
        try #require(try instance.inspectionPage(InspectionQuery(table: table)).records.first)
    }

    @Test func entitiesAreTables() async throws {
        try await withShop { manager, database in
            for instance in [manager, database] as [any Inspectable] {
                #expect(instance.inspectionRole == .objects && instance.inspectionName == manager.url.path)
                let tables = try instance.inspectionTables()
                #expect(tables.map(\.name) == ["Customer", "Item", "Order", "Refund", "Tag"])
                #expect(tables.map(\.count) == [1, 3, 1, 1, 1])
                let order = tables[2]
                let types = [
                    "siteID Int64", "number Int64", "status Status", "total Decimal", "note String?", "placedAt Date",
                    "quantity Int64",
                ]
                #expect(order.columns.map { "\($0.name) \($0.type)" } == types)
                #expect(order.columns.allSatisfy { $0.isSortable })
                let items = try #require(order.relationships.first { $0.name == "items" })
                #expect(
                    items.isToMany && items.isOrdered && items.inverse == "order" && items.deletionRule == "cascade"
                )
                #expect(items.destination == "Item")
                #expect(order.indexes.contains { $0.isUnique && $0.columns == ["siteID", "number"] })
                #expect(order.indexes.contains { !$0.isUnique && $0.columns == ["status", "placedAt"] })
                #expect(order.bytes.map { $0 >= 4_096 } ?? true)
            }
        }
    }

    @Test func factsDescribeTheFile() async throws {
        try await withShop { manager, database in
            for instance in [manager, database] as [any Inspectable] {
                let facts = try instance.inspectionFacts()
                let values = Dictionary(facts.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
                #expect(values["file"] == manager.url.path && values["model version"] == "1")
                #expect(values["fingerprint"]?.count == 16 && values["format"] == "3")
                #expect(values["health"] == "good")
                #expect(values["history"]?.hasPrefix("1 save") == true)
                #expect(Int(values["pages"] ?? "").map { $0 > 5 } == true)
                #if os(Linux)
                #expect(values["open in processes"]?.contains("\(ProcessInfo.processInfo.processIdentifier)") == true)
                #endif
            }
        }
    }

    @Test func recordHasValuesAndRelatedKeys() async throws {
        try await withShop { manager, database in
            for instance in [manager, database] as [any Inspectable] {
                let order = try record("Order", instance)
                let values: [StoredValue] = [
                    1, 7, "pending", "12.5", .null, .date(Date(timeIntervalSinceReferenceDate: 0)), 0,
                ]
                #expect(order.values == values && order.problem == nil)
                #expect(order.counts == ["items": 3, "tags": 1])
                #expect(
                    try order.related == [
                        "customer": record("Customer", instance).key, "refund": record("Refund", instance).key,
                    ]
                )
                #expect(try instance.inspectionRecord(order.key, in: "Order") == order)
                #expect(try instance.inspectionRecord("999999", in: "Order") == nil)
                #expect(try instance.inspectionRecord("x", in: "Order") == nil)
                let rows = try instance.inspectionRows(prefix: "Ord", limit: 10)
                #expect(rows.map(\.key) == ["Order/\(order.key)"] && rows[0].value.contains("number: 7"))
                #expect(try instance.inspectionRows(prefix: "", limit: 4).count == 4)
                #expect(try instance.inspectionRows(prefix: "Order/x", limit: 4).isEmpty)
            }
        }
    }

    @Test func relationshipsLeadInBothDirections() async throws {
        try await withShop { manager, _ in
            func related(_ table: String, _ owner: String, _ relationship: String) throws -> [StoredValue] {
                var query = InspectionQuery(table: table, limit: 2)
                query.relation = .init(of: try record(owner, manager).key, in: owner, relationship)
                var values: [StoredValue] = []
                repeat {
                    let page = try manager.inspectionPage(query)
                    values += page.records.map { $0.values[0] }
                    query.after = page.next
                } while query.after != nil
                return values
            }
            let expected: [(table: String, owner: String, relationship: String, values: [StoredValue])] = [
                ("Item", "Order", "items", ["b", "a", "c"]), ("Customer", "Order", "customer", ["Ada"]),
                ("Tag", "Order", "tags", ["red"]), ("Order", "Tag", "orders", [1]), ("Order", "Item", "order", [1]),
                ("Refund", "Order", "refund", ["0"]), ("Customer", "Customer", "reports", ["Ada"]),
            ]
            for (table, owner, relationship, values) in expected {
                let found = try related(table, owner, relationship)
                #expect(found == values, "\(owner).\(relationship)")
            }
            #expect(throws: InspectionQueryError.self) { try related("Tag", "Order", "items") }
        }
    }

    @Test func planShowsMissingIndex() async throws {
        try await withShop { manager, database in
            var query = InspectionQuery(table: "Order")
            query.filter = "quantity == 100"
            for instance in [manager, database] as [any Inspectable] {
                let plan = try #require(try instance.inspectionPlan(query))
                #expect(plan.statement.contains("\"quantity\" = ?1") && plan.steps.contains { $0.hasPrefix("SCAN t0") })
                #expect(plan.advice.contains { $0.contains("Add @Attribute(.indexed) to Order.quantity.") }, "\(plan)")
            }
            query.filter = "status == .paid"
            #expect(try manager.inspectionPlan(query)?.advice == [])
            query.filter = "customer.name == \"Ada\""
            #expect(try manager.inspectionPlan(query)?.advice.first?.contains("Customer.name") == true)
            query.filter = "note.contains(\"x\")"
            #expect(try manager.inspectionPlan(query)?.advice.first?.contains("would not help") == true)
        }
    }

    @Test func planIsThatOfTheShownQuery() async throws {
        try await withShop { manager, _ in
            var query = InspectionQuery(table: "Item")
            query.text = "b"
            let search = try #require(try manager.inspectionPlan(query))
            #expect(search.statement.contains("larder_search(t0.\"name\", ?1)"))
            #expect(search.advice.first?.contains("The search reads every object of Item") == true)
            query.relation = .init(of: try record("Order", manager).key, in: "Order", "items")
            query.prefix = "1"
            let related = try #require(try manager.inspectionPlan(query))
            #expect(related.statement.contains("t0.\"order\" = ?1") && related.statement.contains("substr(CAST("))
            #expect(related.steps.contains { $0.hasPrefix("SEARCH t0") } && related.advice.isEmpty, "\(related)")
            query = InspectionQuery(table: "Order", limit: 1)
            query.filter = "quantity < 5"
            #expect(try manager.inspectionPlan(query)?.statement.contains("SELECT t0.\"objectID\", (t0.") == true)
            query.order = [.init("quantity")]
            query.after = "1,i3"
            #expect(try manager.inspectionPlan(query)?.statement.contains("t0.\"quantity\" > ?") == true)
        }
    }

    @Test func tableIsReadWithoutCounts() async throws {
        try await withShop { manager, database in
            for instance in [manager, database] as [any Inspectable] {
                let order = try #require(try instance.inspectionTable(named: "Order"))
                #expect(order.count == nil && order.bytes == nil && order.columns.count == 7)
                #expect(order.indexes.allSatisfy { $0.bytes == nil } && order.relationships.count == 4)
                #expect(try instance.inspectionTable(named: "Orders") == nil)
            }
        }
    }

    @Test func rowsContinueAfterTheLongestPage() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                for number in 0..<1_050 { try storage.insertNewObject(ofType: Item.self).quantity = number }
            }
            #expect(try manager.inspectionRows(prefix: "Item/", limit: 1_040).count == 1_040)
            let rows = try manager.inspectionRows(prefix: "", limit: 2_000)
            #expect(rows.count == 1_050 && Set(rows.map(\.key)).count == 1_050)
        }
    }

    @Test func reportsShowVersionsAndSaves() async throws {
        try await withShop { manager, database in
            for instance in [manager, database] as [any Inspectable] {
                let reports = try instance.inspectionReports()
                let versions = try #require(reports.first { $0.title == "Versions and migrations" })
                #expect(versions.rows.count == 1 && versions.rows[0][0] == 1 && versions.note == nil)
                #expect(versions.rows[0].count == versions.columns.count)
                let saves = try #require(reports.first { $0.title == "Last saves" })
                guard case .string(let changes) = saves.rows.first?.last else { throw Refusal() }
                #expect(changes.contains("1 inserted Order") && changes.contains("1 inserted links of"), "\(changes)")
                #expect(reports.contains { $0.title == "Slow queries" && $0.note != nil })
            }
        }
    }

    @Test func queriesAreMeasuredOnlyWhileObserved() async throws {
        try await withShop { manager, _ in
            func slow() throws -> [[StoredValue]] {
                try manager.inspectionReports().first { $0.title == "Slow queries" }?.rows ?? []
            }
            func names() throws -> [String] { try manager.inspectionStatistics().map(\.name) }
            _ = try await manager.withView { try $0.objects(ObjectRequest<Customer>()).count }
            #expect(try slow().isEmpty && !names().contains("queries"))
            let observation = try #require(try manager.observeForInspection { _ in })
            _ = try await manager.withView { try $0.countObjects(ObjectRequest(\Customer.age == 3)) }
            try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "blue" }
            #expect(try slow().contains { if case .string(let sql) = $0[0] { sql.contains("\"age\"") } else { false } })
            let statistics = try manager.inspectionStatistics()
            #expect(statistics.first { $0.name == "saves of this program" }?.number == 1)
            #expect(statistics.first { $0.name == "save, median" }.map { $0.number > 0 } == true)
            observation.cancel()
            #expect(try !names().contains("queries") && slow().isEmpty)
        }
    }

    @Test func actionsVerifyAndCopyTheDatabase() async throws {
        try await withShop { manager, database in
            for (number, instance) in ([manager, database] as [any Inspectable]).enumerated() {
                #expect(instance.inspectionActions.map(\.name) == ["verify", "backup"])
                let (verify, backup) = (instance.inspectionActions[0], instance.inspectionActions[1])
                let copy = manager.url.path + ".copy\(number)"
                #expect(backup.fileName == "shop.sqlite" && verify.fileName == nil)
                try perform(instance, verify, backup, copy)
                let copied = try ObjectDatabase(reading: copy)
                defer { copied.close() }
                #expect(try copied.inspectionTables().map(\.count) == database.inspectionTables().map(\.count))
            }
        }
    }

    @Test(arguments: [true, false]) func pagesAreReadDuringActions(_ isTraced: Bool) async throws {
        try await withShop { manager, _ in
            let copy = manager.url.path + ".live"
            try manager.backup(to: URL(fileURLWithPath: copy))
            let database =
                isTraced ? try ObjectDatabase(reading: copy) : try ObjectDatabase(readingWithoutTrace: copy)
            defer { database.close() }
            try readDuringActions(database, writingTo: manager.url.path + ".copy")
        }
    }

    private func readDuringActions(_ database: ObjectDatabase, writingTo file: String) throws {
        for action in database.inspectionActions {
            var pages = 0
            _ = try database.perform(action, writingTo: action.fileName.map { _ in file }) { _ in
                let page = try database.inspectionPage(InspectionQuery(table: "Item"))
                #expect(page.records.count == 3)
                pages += 1
            }
            #expect(pages > 0)
        }
        #expect(throws: InspectionQueryError.self) {
            try database.perform(database.inspectionActions[1], writingTo: nil) { _ in }
        }
    }

    private func perform(
        _ instance: any Inspectable,
        _ verify: InspectionAction,
        _ backup: InspectionAction,
        _ copy: String
    ) throws {
        let facts = try instance.perform(verify, writingTo: nil) { _ in }
        #expect(
            facts.contains(InspectionFact("problems", "0")) && facts.contains(InspectionFact("objects checked", "7"))
        )
        #expect(throws: Refusal.self) { try instance.perform(verify, writingTo: nil) { _ in throw Refusal() } }
        #expect(throws: Refusal.self) { try instance.perform(backup, writingTo: copy) { _ in throw Refusal() } }
        #expect(!FileManager.default.fileExists(atPath: copy))
        var last: StoreProgress?
        _ = try instance.perform(backup, writingTo: copy) { last = $0 }
        #expect(last?.fraction == 1)
        #expect(throws: InspectionQueryError.self) {
            try instance.perform(InspectionAction("erase", ""), writingTo: nil) { _ in }
        }
    }
}
#endif
