#if Objects
import Foundation
import LarderCore
import LarderObjects
import Testing

/// Tests of custom stages of a migration.
@Suite struct StageTests {
    enum State: String, Codable, Sendable, CaseIterable { case placed, sent }

    enum First {
        @Entity final class Order {
            var number: Int = 0
            var total: Double = 0
            var state: String = "placed"
            var customerName: String = ""
            var phone: String?
            @Relationship(deleteRule: .cascade, inverse: \Item.order, ordered: true) var items: [Item]
            @Relationship(inverse: \Tag.orders) var tags: [Tag]
        }
        @Entity final class Item {
            var title: String = ""
            @Relationship var order: Order?
        }
        @Entity final class Tag {
            var name: String = ""
            @Relationship var orders: [Order]
        }
        @Entity final class Fax { var number: String = "" }

        static let entities: [any Object.Type] = [Order.self, Item.self, Tag.self, Fax.self]
        static let model = ObjectModel(entities)

        static func fill(_ storage: any WritableStorageType) throws {
            let tags = try (0..<3).map { number in
                let tag = try storage.insertNewObject(ofType: Tag.self)
                tag.name = "tag \(number)"
                return tag
            }
            for number in 0..<8 {
                let order = try storage.insertNewObject(ofType: Order.self)
                (order.number, order.total) = (number, Double(number) + 0.5)
                order.state = number % 2 == 0 ? "placed" : "sent"
                order.customerName = "customer \(number % 3)"
                order.phone = number % 3 == 0 ? nil : "phone \(number % 3)"
                for place in 0..<3 {
                    let item = try storage.insertNewObject(ofType: Item.self)
                    item.title = "item \(number).\(place)"
                    order.items.insert(item, at: 0)
                }
                order.tags = [tags[number % 3], tags[(number + 1) % 3]]
            }
            try storage.insertNewObject(ofType: Fax.self).number = "fax"
        }
    }
    enum Second {
        @Entity final class Order {
            var number: Int = 0
            var cents: Int
            var state: State = State.placed
            @Relationship var customer: Customer?
            @Relationship(deleteRule: .cascade, inverse: \Item.order, ordered: true) var items: [Item]
            @Relationship(inverse: \Tag.orders) var tags: [Tag]
        }
        @Entity final class Customer {
            @Attribute(.unique, .searchable) var name: String = ""
            var phone: String?
            var token: UUID = UUID()
            @Relationship(inverse: \Order.customer) var orders: [Order]
        }
        @Entity final class Item {
            var title: String = ""
            @Relationship var order: Order?
        }
        @Entity final class Tag {
            var name: String = ""
            @Relationship var orders: [Order]
        }
        @Entity final class Fax { var number: String = "" }
        static let entities: [any Object.Type] = [Order.self, Customer.self, Item.self, Tag.self, Fax.self]
    }

    /// Returns the model of version 2 with a stage from version 1.
    private static func model(
        _ entities: [any Object.Type] = Second.entities,
        _ body: @escaping @Sendable (Migration) throws -> Void
    ) throws -> ObjectModel {
        let plan = MigrationPlan(
            versions: .models([try First.model.frozen()]),
            stages: [MigrationStage(from: 1, to: 2, body)]
        )
        return ObjectModel(entities, version: 2, plan: plan)
    }

    /// Splits the entity of version 1 into the two entities of version 2.
    @Sendable private static func split(_ migration: Migration) throws {
        var customers: [String: ObjectID] = [:]
        try migration.migrate("Order") { old, new in
            let name = old["customerName"] as String? ?? ""
            if customers[name] == nil {
                customers[name] = try migration.insert("Customer") { customer in
                    customer["name"] = name
                    customer["phone"] = old["phone"] as String?
                }
            }
            try new.set("customer", to: customers[name])
            new["cents"] = Int((old["total"] as Double? ?? 0) * 100)
        }
    }

    private func withFirst(_ body: (MigratingFile) async throws -> Void) async throws {
        try await withFile(of: First.model, fill: First.fill, body)
    }

    /// Returns the content of all tables of version 1.
    private func content(_ file: MigratingFile) async throws -> [[String?]] {
        var content: [[String?]] = []
        for sql in [
            "SELECT objectID || number || total || state || customerName || coalesce(phone, '-') FROM \"Order\" ORDER BY 1",
            "SELECT objectID || title || \"order\" || \"order.position\" FROM Item ORDER BY 1",
            "SELECT source || '-' || target FROM \"Order.tags\" ORDER BY 1", "SELECT name FROM Tag ORDER BY objectID",
            "SELECT sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite%' ORDER BY name",
            "SELECT next FROM larder_sequence",
        ] { content.append(try await SchemaProbe.values(of: file.url, sql)) }
        return content
    }

    /// Opens the file with a model whose stage fails, and returns the thrown error.
    private func failure(
        _ file: MigratingFile,
        _ entities: [any Object.Type] = Second.entities,
        _ body: @escaping @Sendable (Migration) throws -> Void
    ) async throws -> ObjectError? {
        let before = try await content(file)
        let error = #expect(throws: ObjectError.self) { try file.open(try Self.model(entities, body)) }
        #expect(try await content(file) == before)
        #expect(try await file.migrate(to: First.model) { _ in })
        return error
    }

    @Test func stageCanSplitEntity() async throws {
        try await withFirst { file in
            let ids = try await SchemaProbe.values(of: file.url, "SELECT objectID FROM \"Order\" ORDER BY number")
            let last = try await SchemaProbe.values(of: file.url, "SELECT max(objectID) FROM Item")
            let isEqual = try await file.migrate(to: try Self.model(Second.entities, Self.split)) { manager in
                let orders = try manager.viewStorage.allObjects(ofType: Second.Order.self).sorted {
                    $0.number < $1.number
                }
                #expect(orders.map { "\($0.objectID.rowID)" } == ids)
                #expect(orders.map(\.cents) == (0..<8).map { $0 * 100 + 50 })
                #expect(orders.map(\.state) == (0..<8).map { $0 % 2 == 0 ? .placed : .sent })
                #expect(orders.map(\.customer?.name) == (0..<8).map { "customer \($0 % 3)" })
                #expect(orders.map(\.customer?.phone) == (0..<8).map { $0 % 3 == 0 ? nil : "phone \($0 % 3)" })
                #expect(orders[4].items.map(\.title) == ["item 4.2", "item 4.1", "item 4.0"])
                #expect(orders.allSatisfy { $0.tags.count == 2 })
                let customers = try manager.viewStorage.allObjects(ofType: Second.Customer.self)
                // Each object has a new id and a default that was evaluated for this object.
                #expect(Set(customers.map(\.token)).count == 3)
                let end = try #require(Int64(last[0] ?? ""))
                #expect(customers.allSatisfy { $0.objectID.rowID > end })
                let found = try manager.viewStorage.allObjects(
                    ofType: Second.Customer.self,
                    matching: \Second.Customer.name == "customer 1"
                )
                #expect(found.count == 1)
                try await manager.performAndSave { storage in
                    let customer = try storage.insertNewObject(ofType: Second.Customer.self)
                    customer.name = "later"
                }
            }
            #expect(isEqual)
            let history = try await SchemaProbe.values(
                of: file.url,
                "SELECT summary FROM larder_history WHERE summary LIKE '%run the stage from 1 to 2%'"
            )
            #expect(history.count == 1)
        }
    }

    @Test func throwingStageLeavesFileUnchanged() async throws {
        try await withFirst { file in
            let error = try await failure(file) { migration in
                try Self.split(migration)
                try migration.deleteAll("Tag")
                try migration.forEach("Order") { if $0["number"] as Int? == 5 { throw Refusal() } }
            }
            #expect(error?.code == .migrationFailed)
            #expect(error?.underlying is Refusal)
            #expect(error?.message.contains("from 1 to 2 failed in Order/") == true)
            #expect(error?.path == file.url.path)
        }
    }

    @Test func missingValueErrorNamesObjectAndProperty() async throws {
        try await withFirst { file in
            let error = try await failure(file) { migration in
                try migration.migrate("Order") { if $0["number"] as Int? != 3 { $1["cents"] = 5 } }
            }
            #expect(error?.code == .migrationFailed)
            let problem = try #require(error?.problems.first)
            #expect(problem.contains("property Order/") && problem.contains(".cents has no value"))
        }
    }

    @Test func unknownEntityOrPropertyNameFailsStage() async throws {
        try await withFirst { file in
            let misspelled: [@Sendable (Migration) throws -> Void] = [
                { try $0.migrate("Order") { old, new in new["cents"] = Int(old["totl"] as Double? ?? 0) } },
                { try $0.migrate("Order") { _, new in new["cent"] = 5 } },
                { try $0.migrate("Order") { _, new in try new.set("customers", to: nil) } },
                { try $0.forEach("Orders") { _ in } },
                // Customer has no old objects.
                { try $0.migrate("Customer") { _, _ in } },
            ]
            for body in misspelled {
                let error = try await failure(file, Second.entities, body)
                #expect(error?.code == .migrationFailed)
                #expect((error?.underlying as? ObjectError)?.code == .invalidModel)
            }
        }
    }

    @Test func inexactConversionFailsStage() async throws {
        try await withFirst { file in
            let inexact: [@Sendable (Migration) throws -> Void] = [
                { try $0.migrate("Order") { old, new in new["cents"] = old["total"] as Int? } },
                { try $0.migrate("Order") { _, new in new["cents"] = 1.5 } },
                { try $0.migrate("Order") { _, new in new["state"] = "unknown" } },
                { try $0.forEach("Order") { _ = $0["customerName"] as State? } },
                // A caught error fails the stage too.
                { migration in
                    try migration.forEach("Order") { old in
                        _ = try? old.records("item"); _ = old["x"] as Int?
                    }
                },
            ]
            for body in inexact {
                let error = try await failure(file, Second.entities, body)
                #expect(error?.code == .migrationFailed)
            }
        }
    }

    @Test func lookupByIDOfUnknownEntityFailsStage() async throws {
        try await withFirst { file in
            let id = ObjectID(entityName: "Unknown", rowID: 1)
            let lookups: [@Sendable (Migration) throws -> Void] = [
                { _ = try $0.old(id) }, { _ = try $0.new(id) },
                // A caught error fails the stage too.
                { _ = try? $0.old(id) }, { _ = try? $0.new(id) },
            ]
            for lookup in lookups {
                let error = try await failure(file) { migration in
                    try Self.split(migration)
                    try lookup(migration)
                }
                #expect(error?.code == .migrationFailed)
                #expect(error?.description.contains("\"Unknown\"") == true)
            }
        }
    }

    @Test func settingToManyRelationshipToMissingObjectFailsStage() async throws {
        try await withFirst { file in
            let missing = ObjectID(entityName: "Order", rowID: 1_000_000)
            let error = try await failure(file) { migration in
                try Self.split(migration)
                try migration.forEachNew("Customer") { try $0.set("orders", to: [missing]) }
            }
            #expect(error?.code == .migrationFailed)
            #expect(error?.description.contains("Order/1000000") == true)
        }
    }

    @Test func changingNewObjectsDoesNotChangeOldObjects() async throws {
        try await withFirst { file in
            let model = try Self.model { migration in
                try Self.split(migration)
                // Neither the tags nor their links change between the versions.
                var names: [String] = []
                try migration.migrate("Tag") { old, new in
                    new["name"] = "new " + (old["name"] as String? ?? "")
                    try new.set("orders", to: [])
                    names.append(old["name"] as String? ?? "")
                    #expect(try old.records("orders").count > 4 && new.records("orders").isEmpty)
                }
                #expect(names == ["tag 0", "tag 1", "tag 2"])
                try migration.forEach("Tag") { tag in
                    #expect((tag["name"] as String?)?.hasPrefix("tag") == true)
                    let order = try #require(try tag.records("orders").first)
                    #expect(try order.records("tags").contains { $0.id == tag.id })
                    #expect((try migration.new(tag.id)?["name"] as String?)?.hasPrefix("new tag") == true)
                }
                try migration.forEachNew("Order") { order in
                    try order.set("items", to: order.records("items").map(\.id).reversed())
                    let tag = try #require(try migration.old(order.id)?.records("tags").last)
                    try order.set("tags", to: tag.id)
                }
                try migration.forEach("Item") { item in
                    let order = try #require(item["order"] as MigrationRecord?)
                    #expect(try order.records("items").contains { $0.id == item.id })
                }
            }
            let isEqual = try await file.migrate(to: model) { manager in
                let orders = try manager.viewStorage.allObjects(ofType: Second.Order.self)
                #expect(orders.allSatisfy { $0.tags.count == 1 && $0.tags[0].name.hasPrefix("new tag") })
                let order = try #require(orders.first { $0.number == 4 })
                #expect(order.items.map(\.title) == ["item 4.0", "item 4.1", "item 4.2"])
            }
            #expect(isEqual)
        }
    }

    @Test func stageDeletionsFollowDeleteRules() async throws {
        try await withFirst { file in
            let model = try Self.model { migration in
                try Self.split(migration)
                try migration.forEachNew("Order") { order in
                    if order["state"] as State? == .sent { try order.delete() }
                }
                #expect(try migration.count("Order") == 4)
                try migration.forEachNew("Order") { #expect($0["state"] as State? == .placed) }
                try migration.deleteAll("Tag")
                #expect(try migration.count("Tag") == 0)
            }
            let isEqual = try await file.migrate(to: model) { manager in
                let orders = try manager.viewStorage.allObjects(ofType: Second.Order.self)
                #expect(Set(orders.map(\.number)) == [0, 2, 4, 6])
                #expect(try manager.viewStorage.countObjects(ofType: Second.Item.self) == 12)
                #expect(try manager.viewStorage.countObjects(ofType: Second.Tag.self) == 0)
                #expect(orders.allSatisfy { $0.tags.isEmpty })
            }
            #expect(isEqual)
            let links = try await SchemaProbe.values(of: file.url, "SELECT count(*) FROM \"Order.tags\"")
            #expect(links == ["0"])
            let history = try await SchemaProbe.values(
                of: file.url,
                "SELECT summary FROM larder_history WHERE summary LIKE '%{\"count\":12,\"entity\":\"Item\"%'"
            )
            #expect(history.count == 1)
        }
    }

    @Test func mergedObjectIsNoLongerFound() async throws {
        try await withFirst { file in
            let ids = try await SchemaProbe.values(of: file.url, "SELECT objectID FROM \"Order\" ORDER BY number")
                .compactMap { $0.flatMap(Int64.init) }.map { ObjectID(entityName: "Order", rowID: $0) }
            let tags = try await SchemaProbe.values(of: file.url, "SELECT objectID FROM Tag ORDER BY name")
                .compactMap { $0.flatMap(Int64.init) }.map { ObjectID(entityName: "Tag", rowID: $0) }
            let model = try Self.model { migration in
                try Self.split(migration)
                // Object 2 is merged into object 1, together with the objects that were merged into object 2.
                try migration.merge(ids[3], into: ids[2])
                try migration.merge(ids[2], into: ids[1])
                #expect(try migration.new(ids[2]) == nil)
                try migration.merge(tags[2], into: tags[0])
            }
            let isEqual = try await file.migrate(to: model) { manager in
                let storage = manager.viewStorage
                #expect(try storage.loadObject(ofType: Second.Order.self, with: ids[2]) == nil)
                #expect(try storage.loadObject(ofType: Second.Order.self, with: ids[3]) == nil)
                let order = try #require(try storage.loadObject(ofType: Second.Order.self, with: ids[1]))
                #expect(order.number == 1 && order.items.count == 9)
                #expect(Set(order.items.map { $0.title.prefix(6) }) == ["item 1", "item 2", "item 3"])
                let tag = try #require(try storage.loadObject(ofType: Second.Tag.self, with: tags[0]))
                #expect(try storage.loadObject(ofType: Second.Tag.self, with: tags[2]) == nil)
                // Every order had two of the three tags.
                #expect(tag.orders.count == 6)
            }
            #expect(isEqual)
        }
    }

    @Test func mergingObjectIntoItselfFails() async throws {
        try await withFirst { file in
            let error = try await failure(file) { migration in
                try migration.forEachNew("Order") { try migration.merge($0.id, into: $0.id) }
            }
            #expect(error?.code == .migrationFailed)
        }
    }

    enum Combined {
        @Entity final class Order {
            var number: Int = 0
            var text: String = ""
        }
        @Entity final class Fax { var number: String = "" }
        static let entities: [any Object.Type] = [Order.self, Fax.self]
    }

    @Test func stageCanMergeEntities() async throws {
        try await withFirst { file in
            let model = try Self.model(Combined.entities) { migration in
                try migration.migrate("Order") { old, new in
                    new["text"] = try old.records("items").compactMap { $0["title"] as String? }.joined(separator: ",")
                }
                try migration.forEach("Tag") { tag in
                    try migration.insert("Order") { order in
                        order["number"] = 100
                        order["text"] = tag["name"] as String?
                    }
                }
                try migration.forEach("Item") { _ in }
            }
            let isEqual = try await file.migrate(to: model) { manager in
                let orders = try manager.viewStorage.allObjects(ofType: Combined.Order.self)
                #expect(orders.first { $0.number == 2 }?.text == "item 2.2,item 2.1,item 2.0")
                #expect(orders.filter { $0.number == 100 }.map(\.text) == ["tag 0", "tag 1", "tag 2"])
            }
            #expect(isEqual)
        }
    }

    enum WithoutFax {
        @Entity final class Order {
            var number: Int = 0
            var total: Double = 0
            var state: String = "placed"
            var customerName: String = ""
            var phone: String?
            @Relationship(deleteRule: .cascade, inverse: \Item.order, ordered: true) var items: [Item]
            @Relationship(inverse: \Tag.orders) var tags: [Tag]
        }
        @Entity final class Item {
            var title: String = ""
            @Relationship var order: Order?
        }
        @Entity final class Tag {
            var name: String = ""
            @Relationship var orders: [Order]
        }
        static let entities: [any Object.Type] = [Order.self, Item.self, Tag.self]
    }

    @Test func lossOfEntityNotReadByStageMustBeAllowed() async throws {
        try await withFirst { file in
            let error = try await failure(file, WithoutFax.entities) { migration in
                try migration.forEach("Order") { _ in }
            }
            #expect(error?.code == .modelMismatch)
            #expect(error?.losses.map(\.entity) == ["Fax"] && error?.losses.first?.count == 1)
            let model = try Self.model(WithoutFax.entities) { migration in try migration.forEach("Fax") { _ in } }
            #expect(try await file.migrate(to: model) { _ in })
        }
    }

    @Test func stageRunsEvenIfModelIsUnchanged() async throws {
        try await withFirst { file in
            let model = try Self.model(First.entities) {
                migration in
                try migration.forEachNew("Order") { order in
                    order["total"] = (order["total"] as Double? ?? 0) * 2
                    try order.clear("phone")
                }
            }
            let isEqual = try await file.migrate(to: model) { manager in
                let orders = try manager.viewStorage.allObjects(ofType: First.Order.self)
                let totals: [Double] = (0..<8).map { Double($0) * 2 + 1 }
                #expect(orders.map(\.total).sorted() == totals)
                #expect(orders.allSatisfy { $0.phone == nil && $0.items.count == 3 })
            }
            #expect(isEqual)
        }
    }

    /// Holds a reference to a migration after its stage has ended.
    private final class Holder: @unchecked Sendable {
        // Safe because the test reads the reference after the migration, on the same thread.
        var migration: Migration?
        var record: MigrationRecord?
    }

    @Test func stageRecordsAreInvalidAfterStageEnds() async throws {
        try await withFirst { file in
            let holder = Holder()
            let model = try Self.model { migration in
                try Self.split(migration)
                holder.migration = migration
                try migration.forEach("Order") { holder.record = $0 }
            }
            #expect(try await file.migrate(to: model) { _ in })
            let error = #expect(throws: ObjectError.self) { try holder.migration?.count("Order") }
            #expect(error?.code == .expired)
            let other = #expect(throws: ObjectError.self) { try holder.record?.records("items") }
            #expect(other?.code == .expired)
            let third = #expect(throws: ObjectError.self) { try holder.migration?.insert("Order") }
            #expect(third?.code == .expired)
        }
    }

    @Test func consecutiveStagesRunInOrder() async throws {
        try await withFirst { file in
            let second = try ObjectModel(Second.entities, version: 2).frozen()
            let plan = MigrationPlan(
                versions: .models([try First.model.frozen(), second]),
                stages: [
                    MigrationStage(from: 1, to: 2) { migration in
                        try Self.split(migration)
                        // No class in the program creates this default any more.
                        try migration.forEachNew("Customer") { $0["token"] = UUID() }
                    },
                    MigrationStage(from: 2, to: 3) { migration in
                        try migration.migrate("Order") { old, new in
                            new["number"] = old["cents"] as Int?
                            new["text"] = (old["customer"] as MigrationRecord?)?["name"] as String?
                        }
                        for entity in ["Item", "Tag", "Customer"] { try migration.forEach(entity) { _ in } }
                    },
                ]
            )
            let isEqual = try await file.migrate(to: ObjectModel(Combined.entities, version: 3, plan: plan)) {
                manager in
                let orders = try manager.viewStorage.allObjects(ofType: Combined.Order.self)
                #expect(orders.map(\.number).sorted() == (0..<8).map { $0 * 100 + 50 })
                #expect(orders.first { $0.number == 450 }?.text == "customer 1")
            }
            #expect(isEqual)
        }
    }

    @Test func duplicatesInsertedByStageRollBackMigration() async throws {
        try await withFirst { file in
            let error = try await failure(file) { migration in
                try Self.split(migration)
                try migration.insert("Customer") { $0["name"] = "customer 1" }
            }
            #expect(error?.code == .modelMismatch)
            #expect(error?.message.contains("Customer.name") == true)
        }
    }

    @Test func stageReadsEveryObjectOfLargeEntity() async throws {
        try await withFile(of: First.model) { storage in
            for number in 0..<3_500 { try storage.insertNewObject(ofType: First.Tag.self).name = "\(number)" }
            // One row is larger than the amount that is read at once.
            try storage.insertNewObject(ofType: First.Tag.self).name = String(repeating: "x", count: 2_000_000)
        } _: { file in
            let model = try Self.model(First.entities) { migration in
                var lengths = 0
                try migration.migrate("Tag") { old, new in
                    let name = old["name"] as String? ?? ""
                    lengths += name.utf8.count
                    if name.utf8.count < 10 { new["name"] = name + "!" }
                }
                #expect(lengths == 12_890 + 2_000_000)
                var seen = 0
                try migration.forEachNew("Tag") { tag in
                    seen += 1
                    if seen <= 3_500 { #expect((tag["name"] as String?)?.hasSuffix("!") == true) }
                    // The enumeration includes objects that are inserted in the meantime.
                    if seen == 1 { try migration.insert("Tag") { $0["name"] = "last!" } }
                }
                #expect(seen == 3_502)
            }
            let isEqual = try await file.migrate(to: model) { manager in
                let count = try manager.viewStorage.countObjects(ofType: First.Tag.self)
                #expect(count == 3_502)
            }
            #expect(isEqual)
        }
    }

    @Test func settingToOneRelationshipToMissingObjectFailsStage() async throws {
        try await withFirst { file in
            let error = try await failure(file) { migration in
                try Self.split(migration)
                try migration.forEachNew("Order") {
                    try $0.set("customer", to: ObjectID(entityName: "Customer", rowID: 10_000))
                }
            }
            #expect(error?.code == .migrationFailed)
            #expect(error?.problems.first?.contains("refers to an object that does not exist") == true)
        }
    }
}
#endif
