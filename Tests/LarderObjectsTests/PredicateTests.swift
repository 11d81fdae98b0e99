#if Objects
import Foundation
import LarderCore
import LarderObjects
import Testing

/// Tests that predicates produce the same results in SQL and in memory.
///
/// The tests cover behaviors 13, 30, 32 and 33.
@Suite struct PredicateTests {
    /// Expects that each filter selects the same orders in SQL and in memory.
    ///
    /// The orders have unusual values.
    private func expectAgreement(_ filters: [Filter<Order>]) async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in try Self.fill(storage) }
            let all = try manager.viewStorage.allObjects(ofType: Order.self)
            for (index, filter) in filters.enumerated() {
                let found = try manager.viewStorage.allObjects(ofType: Order.self, matching: filter).map(\.number)
                let expected = try all.filter { try filter.evaluate($0) }.map(\.number)
                #expect(found == expected, "filter \(index)")
                #expect(try manager.viewStorage.countObjects(ofType: Order.self, matching: filter) == found.count)
            }
        }
    }

    static func fill(_ storage: any WritableStorageType) throws {
        let notes: [String?] = [
            nil, "", "a", "A", "é", "e\u{301}", "É", "x\u{302}y", "🇫🇷", "👩‍👩‍👧", "a\r\nb", "50%", "a_b", "abc", "\u{0}a",
        ]
        let names: [String] = ["Ada", "ada", "Éva", "", "Zoë"]
        let customers = try names.enumerated().map { index, name in
            let customer = try storage.insertNewObject(ofType: Customer.self)
            customer.name = name
            customer.age = index * 10
            customer.nickname = index % 2 == 0 ? nil : name.lowercased()
            return customer
        }
        customers[0].boss = customers[1]
        customers[1].boss = customers[2]
        let tags = try ["red", "blue", "green"].map { name in
            let tag = try storage.insertNewObject(ofType: Tag.self)
            tag.name = name
            return tag
        }
        let statuses: [Status] = [.pending, .paid, .sent]
        for (index, note) in notes.enumerated() {
            let order = try storage.insertNewObject(ofType: Order.self)
            order.number = Int64(index)
            order.note = note
            order.status = statuses[index % 3]
            order.total = Decimal(index - 7) / 4
            order.quantity = index - 5
            order.placedAt = Date(timeIntervalSinceReferenceDate: Double(index) / 3)
            order.customer = index % 4 == 0 ? nil : customers[index % 5]
            order.tags = Array(tags.prefix(index % 4))
            order.items = try (0..<index % 3).map { place in
                let item = try storage.insertNewObject(ofType: Item.self)
                item.name = "item \(place)"
                item.quantity = place + index
                return item
            }
        }
    }

    @Test func comparisonsAgreeInSQLAndMemory() async throws {
        let (number, total, quantity) = (5 as Int64, Decimal(string: "0.50") ?? 0, 3)
        let date = Date(timeIntervalSinceReferenceDate: 2)
        let paid = Status.paid
        let numbers: [Int64] = [1, 3, 99]
        let range = 1...4
        try await expectAgreement([
            Filter(#Predicate { $0.number == number }), Filter(#Predicate { $0.number != number }),
            Filter(#Predicate { $0.total < total }), Filter(#Predicate { $0.total == total }),
            Filter(#Predicate { $0.quantity >= quantity }), Filter(#Predicate { $0.placedAt > date }),
            Filter(#Predicate { $0.status == paid }), Filter(#Predicate { $0.status.rawValue == "sent" }),
            Filter(#Predicate { numbers.contains($0.number) }), Filter(#Predicate { !numbers.contains($0.number) }),
            Filter(#Predicate { range.contains($0.quantity) }), Filter(#Predicate { (1..<4).contains($0.quantity) }),
            Filter(#Predicate { $0.quantity * 2 + 1 > quantity }), Filter(#Predicate { $0.quantity % 3 == 1 }),
            Filter(#Predicate { $0.quantity / 2 == 1 }), Filter(#Predicate { -$0.quantity > quantity }),
            Filter(#Predicate { ($0.quantity > 0 ? $0.quantity : 7) == 7 }), Filter(#Predicate { _ in true }),
        ])
    }

    @Test func comparisonsWithNilAgreeInSQLAndMemory() async throws {
        let none: String? = nil
        let notes: [String?] = [nil, "a"]
        try await expectAgreement([
            Filter(#Predicate { $0.note == nil }), Filter(#Predicate { $0.note != nil }),
            Filter(#Predicate { $0.note == none }),
            Filter(#Predicate { $0.note != "a" }), Filter(#Predicate { !($0.note == "a") }),
            Filter(#Predicate { notes.contains($0.note) }), Filter(#Predicate { !notes.contains($0.note) }),
            Filter(#Predicate { ($0.note ?? "a") == "a" }), Filter(#Predicate { $0.customer == nil }),
            Filter(#Predicate { $0.note?.isEmpty == true }), Filter(#Predicate { $0.note?.isEmpty != false }),
            Filter(#Predicate { $0.note.flatMap { $0 == "a" } ?? true }),
            Filter(#Predicate { if let note = $0.note { return note == "a" } else { return true } }),
            \.note == nil, \.note != nil, \.note != "a", !(\Order.note == "a"), (\Order.note).in([nil, "abc"]),
        ])
    }

    @Test(arguments: ["", "a", "e", "é", "e\u{301}", "x", "🇫", "👩", "\n", "%", "_", "A"])
    func stringConditionsAgreeInSQLAndMemory(_ text: String) async throws {
        try await expectAgreement([
            Filter(#Predicate { $0.note == text }), Filter(#Predicate { ($0.note ?? "") < text }),
            Filter(#Predicate { ($0.note ?? "").contains(text) }),
            Filter(#Predicate { ($0.note ?? "").starts(with: text) }),
            Filter(#Predicate { $0.note?.contains(text) == true }), Filter(#Predicate { ($0.note ?? "").count == 1 }),
            (\Order.note).contains(text), (\Order.note).hasPrefix(text), \.note =~ text,
            !((\Order.note).contains(text)),
        ])
    }

    @Test(arguments: ["", "a", "É", "e\u{301}", "x", "A", "ABC", "z"])
    func additionalStringFunctionsAgreeInSQLAndMemory(_ text: String) async throws {
        let (same, before) = (ComparisonResult.orderedSame, ComparisonResult.orderedAscending)
        try await expectAgreement([
            Filter(#Predicate { ($0.note ?? "").caseInsensitiveCompare(text) == same }),
            Filter(#Predicate { $0.note?.caseInsensitiveCompare(text) == same }),
            Filter(#Predicate { $0.note?.caseInsensitiveCompare(text) != same }),
            Filter(#Predicate { ($0.note ?? "").caseInsensitiveCompare(text) == before }),
            Filter(#Predicate { ($0.note ?? "").localizedCompare(text) == before }),
            Filter(#Predicate { $0.customer?.name.localizedCompare(text) == same }),
            Filter(#Predicate { $0.note?.localizedStandardContains(text) == true }),
        ])
    }

    @Test func relationshipConditionsAgreeInSQLAndMemory() async throws {
        let (name, red) = ("Ada", "red")
        try await expectAgreement([
            Filter(#Predicate { $0.customer?.name == name }), Filter(#Predicate { $0.customer?.name != name }),
            Filter(#Predicate { ($0.customer?.age ?? 0) > 10 }), Filter(#Predicate { $0.customer?.boss?.name == name }),
            Filter(#Predicate { $0.customer?.nickname == nil }),
            Filter(#Predicate { $0.items.isEmpty }), Filter(#Predicate { $0.items.count > 1 }),
            Filter(#Predicate { $0.items.contains { $0.quantity > 8 } }),
            Filter(#Predicate { $0.items.allSatisfy { $0.quantity > 8 } }),
            Filter(#Predicate { $0.items.filter { $0.quantity > 8 }.count == 1 }),
            Filter(#Predicate { order in order.items.contains { $0.quantity == order.quantity + 5 } }),
            Filter(#Predicate { $0.tags.contains { $0.name == red } }),
            Filter(#Predicate { !$0.tags.contains { $0.name == red } }),
            \.customer?.name == "Ada", \.customer?.boss?.age > 5, .any(\.items, \.quantity > 8),
            .all(\.items, \.quantity > 8),
            .any(\.tags, \.name == red) && .count(\.items, in: 1...1),
            .count(\.items, where: \.quantity > 8, in: 2...9),
            \.items.count > 1, \.items.count == 0, \.items.isEmpty == true, \.items.isEmpty == false,
            \.customer?.orders.count > 2, \.customer?.orders.count == nil, !(\.customer?.reports.isEmpty == true),
            \.tags.count != 2, (\Order.tags.count).between(1...2),
        ])
    }

    @Test func objectsAreFoundByIDOfRelatedObject() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in try Self.fill(storage) }
            let customer = try #require(
                try manager.viewStorage.firstObject(ofType: Customer.self, matching: \.name == "ada")
            )
            let id = customer.objectID
            let found = try manager.viewStorage.allObjects(
                ofType: Order.self,
                matching: #Predicate { $0.customer?.objectID == id }
            )
            #expect(found.map(\.number) == customer.orders.map(\.number))
            #expect(!found.isEmpty)
        }
    }

    // Behavior 30.
    @Test func keyPathFromGenericFunctionIsResolved() async throws {
        func byName<T: Object & Named>(_ type: T.Type, _ name: String, _ storage: any StorageType) throws -> T? {
            try storage.firstObject(ofType: type, matching: #Predicate { $0.name == name })
        }
        try await withStorage { manager in
            try await manager.performAndSave { storage in try Self.fill(storage) }
            #expect(try byName(Customer.self, "Zoë", manager.viewStorage)?.age == 40)
        }
    }

    @Test func filterIncludesUnsavedChangesToRelatedObjects() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in try Self.fill(storage) }
            try await manager.performAndSave { storage in
                for customer in try storage.allObjects(ofType: Customer.self) { customer.name = "Same" }
                let found = try storage.allObjects(ofType: Order.self, matching: \Order.customer?.name == "Same")
                #expect(found.count == 11)
            }
        }
    }

    @Test func untranslatableFilterErrorSuggestsAlternative() async throws {
        try await withStorage { manager in
            let error = #expect(throws: ObjectError.self) {
                _ = try manager.viewStorage.allObjects(ofType: Order.self, matching: \.label == "1")
            }
            #expect(error?.code == .unsupportedQuery)
            #expect(error?.message.contains("Use stored properties") == true)
        }
    }

    @Test func sortKeyPathCanTraverseRelationship() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in try Self.fill(storage) }
            let sort = [SortDescriptor(\Order.customer?.name), SortDescriptor(\Order.number, order: .reverse)]
            let found = try manager.viewStorage.allObjects(ofType: Order.self, sortedBy: sort)
            let keys = found.map { ($0.customer.map { "1" + $0.name } ?? "0") }
            #expect(keys == keys.sorted())
        }
    }

    /// Random predicates produce the same results in SQL and in memory.
    ///
    /// The environment variable `LARDER_ORACLE_CASES` sets the number of predicates.
    @Test func randomPredicatesAgreeInSQLAndMemory() async throws {
        let cases = ProcessInfo.processInfo.environment["LARDER_ORACLE_CASES"].flatMap { Int($0) } ?? 1_000
        try await withStorage { manager in
            try await manager.performAndSave { storage in try Self.fill(storage) }
            let all = try manager.viewStorage.allObjects(ofType: Order.self, prefetch: [\.items, \.tags, \.customer])
            for seed in 0..<cases {
                var maker = RandomPredicates(seed: UInt64(seed))
                let filter = maker.filter(depth: 3)
                let found = try manager.viewStorage.allObjects(ofType: Order.self, matching: filter).map(\.number)
                let expected = try all.filter { try filter.evaluate($0) }.map(\.number)
                #expect(found == expected, "seed \(seed)")
            }
        }
    }
}

protocol Named {
    var name: String { get }
}
extension Customer: Named {}

extension Order {
    var label: String { "#\(number)" }
}
#endif
