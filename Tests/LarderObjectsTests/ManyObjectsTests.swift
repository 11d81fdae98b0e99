#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import LarderTestTraits
import Testing

/// Tests of operations on so many objects that they are performed in parts.
@Suite(.expectsIssues(.repeatedQuery)) struct ManyObjectsTests {
    struct Parcel: Sendable, Equatable {
        var number: Int
        var title: String
    }

    @Entity(bridges: Parcel.self) final class StoredParcel {
        @Attribute(.unique) var number: Int = 0
        var title: String = ""
    }

    private static let model = ObjectModel([StoredParcel.self])
    /// The number of objects, which is too large for deleting them one by one.
    private static let many = 10_050

    private func withCustomers(_ body: (SQLiteStorageManager) async throws -> Void) async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                for number in 0..<Self.many { try storage.insertNewObject(ofType: Customer.self).age = number }
                let boss = try #require(try storage.firstObject(ofType: Customer.self))
                let order = try storage.insertNewObject(ofType: Order.self)
                order.number = 1
                order.customer = boss
            }
            try await body(manager)
        }
    }

    @Test func deletionOfManyObjectsIsMergedIntoViewAndObserved() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                let tag = try storage.insertNewObject(ofType: Tag.self)
                tag.name = "red"
                for number in 0..<Self.many {
                    let order = try storage.insertNewObject(ofType: Order.self)
                    order.number = Int64(number)
                    if number < 3 {
                        order.items = [try storage.insertNewObject(ofType: Item.self)]
                        order.tags = [tag]
                    }
                }
            }
            let order = try #require(try manager.viewStorage.firstObject(ofType: Order.self))
            var changes = manager.changes.makeAsyncIterator()
            try await manager.performAndSave { storage in
                let held = try #require(try storage.firstObject(ofType: Order.self))
                try storage.deleteAllObjects(ofType: Order.self)
                #expect(held.isDeleted)
                #expect(try storage.countObjects(ofType: Order.self) == 0)
            }
            #expect(order.isDeleted)
            #expect(await changes.next()?.deleted.count == Self.many + 3)
            #expect(try manager.viewStorage.countObjects(ofType: Item.self) == 0)
            #expect(try manager.viewStorage.firstObject(ofType: Tag.self)?.orders.isEmpty == true)
        }
    }

    @Test func denyRuleAllowsDeletionTogetherWithRelatedObjects() async throws {
        try await withCustomers { manager in
            let error = await #expect(throws: ObjectError.self) {
                try await manager.performAndSave { try $0.deleteAllObjects(ofType: Customer.self) }
            }
            #expect(error?.code == .invalidObjects)
            #expect(try manager.viewStorage.countObjects(ofType: Customer.self) == Self.many)
            try await manager.performAndSave { storage in
                try storage.deleteAllObjects(ofType: Customer.self)
                try storage.deleteAllObjects(ofType: Order.self)
            }
            #expect(try manager.viewStorage.countObjects(ofType: Customer.self) == 0)
        }
    }

    @Test func manyObjectsCanBeDeletedDespiteInvalidObject() async throws {
        try await withCustomers { manager in
            try await manager.performAndSave { storage in
                try storage.deleteAllObjects(ofType: Order.self)
                let order = try storage.insertNewObject(ofType: Order.self)
                try storage.deleteAllObjects(ofType: Customer.self)
                order.number = 7
            }
            #expect(try manager.viewStorage.countObjects(ofType: Customer.self) == 0)
            #expect(try manager.viewStorage.allObjects(ofType: Order.self).map(\.number) == [7])
        }
    }

    @Test func batchDeletionIncludesRowsWithSparseIDs() async throws {
        try await withStorage { manager in
            try await manager.write { database in
                for id in [Int64.min, -65, -64, -1, 0, 63, 64, 1 << 40] {
                    try database.execute(
                        sql: "INSERT INTO Customer (objectID, name, age) VALUES (?, 'x', 1)",
                        arguments: [id]
                    )
                }
            }
            let count = try await manager.performAndSave { try $0.batchDelete(ofType: Customer.self) }
            #expect(count == 8)
            #expect(try manager.viewStorage.countObjects(ofType: Customer.self) == 0)
        }
    }

    @Test func intermediateSaveReleasesUnusedObjects() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                let held = try storage.insertNewObject(ofType: Customer.self)
                held.name = "held"
                weak var released: Customer?
                for number in 0..<5_000 {
                    let customer = try storage.insertNewObject(ofType: Customer.self)
                    customer.age = number
                    if number == 17 { released = customer }
                }
                #expect(released != nil)
                try storage.saveIfNeeded()
                #expect(released == nil)
                #expect(try storage.loadObject(ofType: Customer.self, with: held.objectID) === held)
                try #require(try storage.firstObject(ofType: Customer.self, matching: \.age == 17)).boss = held
                #expect(held.reports.map(\.age) == [17])
            }
            let view = manager.viewStorage
            #expect(try view.countObjects(ofType: Customer.self) == 5_001)
            #expect(try view.firstObject(ofType: Customer.self, matching: \.age == 17)?.boss?.name == "held")
        }
    }

    @Test func importReleasesObjectsWhileRunning() async throws {
        try await withStorage { manager in
            var changes = manager.changes.makeAsyncIterator()
            try await manager.performAndSave { storage in
                let unfinished = try storage.insertNewObject(ofType: Tag.self)
                unfinished.name = "tag"
                weak var released: Customer?
                for number in 0..<100_010 {
                    let customer = try storage.insertNewObject(ofType: Customer.self)
                    customer.age = number
                    if number == 17 { released = customer }
                }
                #expect(released == nil)
                #expect(storage.hasChanges)
                unfinished.name = "finished"
            }
            #expect(try manager.viewStorage.countObjects(ofType: Customer.self) == 100_010)
            #expect(try manager.viewStorage.firstObject(ofType: Tag.self)?.name == "finished")
            let set = await changes.next()
            #expect(set?.inserted.count == 100_011 && set?.updated.isEmpty == true)
        }
    }

    @Test func storageHasChangesAfterAutomaticSaveOfUpsert() async throws {
        try await withStorage(model: Self.model) { manager in
            let there = (0..<20_000).map { Parcel(number: $0, title: "there") }
            try await manager.performAndSave { _ = try $0.upsert(there, by: \StoredParcel.number) }
            let states = try await manager.performAndSave { storage in
                var states = [storage.hasChanges]
                // The first part of the values is new and saved automatically. The last part already exists.
                let new = (20_000..<40_000).map { Parcel(number: $0, title: "new") }
                try storage.upsert(new + there, by: \StoredParcel.number)
                states.append(storage.hasChanges)
                try storage.saveIfNeeded()
                states.append(storage.hasChanges)
                return states
            }
            #expect(states == [false, true, false])
            #expect(try manager.viewStorage.countObjects(ofType: StoredParcel.self) == 40_000)
        }
    }

    @Test func storageHasChangesAfterAutomaticSaveOfImport() async throws {
        try await withStorage { manager in
            let states = try await manager.performAndSave { storage in
                for _ in 0..<100_000 { _ = try storage.insertNewObject(ofType: Item.self) }
                // This insertion triggers the automatic save of the other objects. The new object is then deleted.
                try storage.deleteObject(storage.insertNewObject(ofType: Item.self))
                var states = [storage.hasChanges]
                try storage.saveIfNeeded()
                states.append(storage.hasChanges)
                try storage.deleteAllObjects(ofType: Item.self)
                states.append(storage.hasChanges)
                try storage.saveIfNeeded()
                states.append(storage.hasChanges)
                return states
            }
            #expect(states == [true, false, true, false])
            #expect(try manager.viewStorage.countObjects(ofType: Item.self) == 0)
        }
    }

    @Test func failedImportLeavesNoObjects() async throws {
        try await withStorage { manager in
            await #expect(throws: Refusal.self) {
                try await manager.performAndSave { storage in
                    for _ in 0..<100_010 { _ = try storage.insertNewObject(ofType: Item.self) }
                    throw Refusal()
                }
            }
            let count = try manager.viewStorage.countObjects(ofType: Item.self)
            #expect(count == 0)
        }
    }

    @Test func upsertOfManyValuesCountsEachObjectOnce() async throws {
        try await withStorage(model: Self.model) { manager in
            let first = (0..<30_000).map { Parcel(number: $0, title: "first") }
            // Some of the first 20,000 keys occur again with other values.
            let values = first + (0..<5_000).map { Parcel(number: $0, title: "again") }
            let results = try await manager.performAndSave { storage in
                let inserted = try storage.upsert(values, by: \StoredParcel.number)
                try storage.saveIfNeeded()
                let same = Array(values[5_000..<25_000]) + Array(values[30_000...])
                let unchanged = try storage.upsert(same, by: \StoredParcel.number)
                try storage.saveIfNeeded()
                let updated = try storage.upsert(first, by: \StoredParcel.number)
                return [inserted, unchanged, updated]
            }
            #expect(results[0].inserted.count == 30_000 && results[0].updated.isEmpty && results[0].unchanged == 0)
            #expect(results[1].inserted.isEmpty && results[1].updated.isEmpty && results[1].unchanged == 25_000)
            #expect(results[2].updated.count == 5_000 && results[2].unchanged == 25_000)
            let again = try manager.viewStorage.countObjects(ofType: StoredParcel.self, matching: \.title == "again")
            #expect(again == 0)
            #expect(try manager.viewStorage.countObjects(ofType: StoredParcel.self) == 30_000)
        }
    }
}
#endif
