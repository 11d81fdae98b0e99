#if Objects
import Foundation
import LarderCore
import LarderObjects
import LarderTestTraits
import Testing

/// Tests of behaviors 12 to 24 and 95, which cover fetches, deletions and saves in a context.
@Suite(.expectsIssues(.repeatedQuery)) struct ContextTests {
    /// Inserts a hundred customers with ages from 0 to 99.
    ///
    /// The last ten remain unsaved.
    private func fill(_ storage: any WritableStorageType) throws {
        for age in 0..<90 { try storage.insertNewObject(ofType: Customer.self).age = age }
        try storage.saveIfNeeded()
        for age in 90..<100 { try storage.insertNewObject(ofType: Customer.self).age = age }
    }

    // Behavior 12.
    @Test(arguments: Place.allCases) func fetchedObjectsAreSorted(_ place: Place) async throws {
        try await withStorage(place) { manager in
            try await manager.performAndSave { storage in
                try fill(storage)
                let ages = try storage.allObjects(
                    ofType: Customer.self,
                    sortedBy: [SortDescriptor(\.age, order: .reverse)]
                )
                #expect(ages.map(\.age) == Array((0..<100).reversed()))
            }
            let ages = try manager.viewStorage.allObjects(ofType: Customer.self, sortedBy: [SortDescriptor(\.age)])
            #expect(ages.map(\.age) == Array(0..<100))
        }
    }

    // Behavior 13.
    @Test(arguments: Place.allCases) func betweenFilterIncludesBounds(_ place: Place) async throws {
        try await withStorage(place) { manager in
            try await manager.performAndSave { storage in
                try fill(storage)
                let some = try storage.allObjects(ofType: Customer.self, matching: (\Customer.age).between(85...94))
                #expect(some.map(\.age) == Array(85...94))
            }
            let some = try manager.viewStorage.allObjects(
                ofType: Customer.self,
                matching: (\Customer.age).between(50...59)
            )
            #expect(some.map(\.age) == Array(50...59))
        }
    }

    // Behavior 14.
    @Test func countObjectsReturnsNumberOfMatches() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                try fill(storage)
                #expect(try storage.countObjects(ofType: Customer.self) == 100)
                #expect(try storage.countObjects(ofType: Customer.self, matching: \.age >= 88) == 12)
            }
        }
    }

    @Test func limitAndOffsetIncludeUnsavedObjects() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                try fill(storage)
                let sort = [SortDescriptor(\Customer.age, order: .reverse)]
                let page = try storage.allObjects(ofType: Customer.self, sortedBy: sort, limit: 4, offset: 8)
                #expect(page.map(\.age) == [91, 90, 89, 88])
            }
        }
    }

    // Behavior 15.
    @Test func deletionIsVisibleBeforeSave() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                try fill(storage)
                let first = try #require(try storage.firstObject(ofType: Customer.self))
                try storage.deleteObject(first)
                #expect(try storage.countObjects(ofType: Customer.self) == 99)
                #expect(first.isDeleted)
            }
        }
    }

    // Behavior 16.
    @Test func deletionOfAllObjectsIsVisibleBeforeSave() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                try fill(storage)
                try storage.deleteAllObjects(ofType: Customer.self)
                #expect(try storage.countObjects(ofType: Customer.self) == 0)
                #expect(try storage.allObjects(ofType: Customer.self).isEmpty)
            }
        }
    }

    // Behavior 17.
    @Test func firstObjectReturnsMatchOrNil() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                try fill(storage)
                #expect(try storage.firstObject(ofType: Customer.self, matching: \.age == 42)?.age == 42)
                #expect(try storage.firstObject(ofType: Customer.self, matching: \.age == 420) == nil)
            }
        }
    }

    // Behavior 18.
    @Test func insertedObjectHasRequestedClass() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                let order: any Object = try storage.insertNewObject(ofType: Order.self)
                (order as? Order)?.number = 1
                #expect(type(of: order) == Order.self)
            }
        }
    }

    // Behavior 19.
    @Test func storageHasChangesUntilSave() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                #expect(!storage.hasChanges)
                let customer = try storage.insertNewObject(ofType: Customer.self)
                #expect(storage.hasChanges && customer.hasChanges)
                try storage.saveIfNeeded()
                #expect(!storage.hasChanges && !customer.hasChanges)
                customer.age = 3
                #expect(storage.hasChanges && customer.hasChanges)
                customer.age = 0
                #expect(!storage.hasChanges && !customer.hasChanges)
            }
        }
    }

    // Behavior 20.
    @Test(arguments: Place.allCases) func unsavedObjectIsLoadedByID(
        _ place: Place
    ) async throws {
        try await withStorage(place) { manager in
            let id = try await manager.performAndSave { storage in
                let customer = try storage.insertNewObject(ofType: Customer.self)
                customer.name = "Ada"
                let loaded = try storage.loadObject(ofType: Customer.self, with: customer.objectID)
                #expect(loaded === customer && loaded?.name == "Ada")
                return customer.objectID
            }
            #expect(try manager.viewStorage.loadObject(ofType: Customer.self, with: id)?.name == "Ada")
        }
    }

    // Behavior 21.
    @Test(arguments: Place.allCases) func deletedObjectIsNotLoadedByID(_ place: Place) async throws {
        try await withStorage(place) { manager in
            let id = try await manager.performAndSave { try $0.insertNewObject(ofType: Customer.self).objectID }
            try await manager.performAndSave { storage in
                let customer = try #require(try storage.loadObject(ofType: Customer.self, with: id))
                try storage.deleteObject(customer)
                #expect(try storage.loadObject(ofType: Customer.self, with: id) == nil)
                try storage.saveIfNeeded()
                #expect(try storage.loadObject(ofType: Customer.self, with: id) == nil)
            }
            #expect(try manager.viewStorage.loadObject(ofType: Customer.self, with: id) == nil)
        }
    }

    // Behavior 22.
    @Test func entityNameIsClassName() {
        #expect(Order.entityName == "Order")
        #expect(Customer.entityName == "Customer")
    }

    // Behavior 23.
    @Test(arguments: Place.allCases) func fetchesIncludeUnsavedChanges(_ place: Place) async throws {
        try await withStorage(place) { manager in
            try await manager.performAndSave { storage in
                try fill(storage)
                let inserted = try storage.insertNewObject(ofType: Customer.self)
                inserted.age = 200
                #expect(try storage.firstObject(ofType: Customer.self, matching: \.age == 200) === inserted)
                let updated = try #require(try storage.firstObject(ofType: Customer.self, matching: \.age == 5))
                updated.age = 300
                #expect(try storage.firstObject(ofType: Customer.self, matching: \.age == 5) == nil)
                #expect(try storage.firstObject(ofType: Customer.self, matching: \.age > 200) === updated)
                let deleted = try #require(try storage.firstObject(ofType: Customer.self, matching: \.age == 6))
                try storage.deleteObject(deleted)
                #expect(try storage.countObjects(ofType: Customer.self, matching: (\Customer.age).between(4...7)) == 2)
            }
        }
    }

    // Behavior 24.
    @Test(arguments: Place.allCases) func eachRowHasSingleInstance(_ place: Place) async throws {
        try await withStorage(place) { manager in
            try await manager.performAndSave { storage in
                let ada = try storage.insertNewObject(ofType: Customer.self)
                ada.name = "Ada"
                #expect(try storage.firstObject(ofType: Customer.self, matching: \.name == "Ada") == ada)
                try storage.saveIfNeeded()
                ada.name = "Eve"
                #expect(try storage.firstObject(ofType: Customer.self, matching: \.name == "Eve") === ada)
                let order = try storage.insertNewObject(ofType: Order.self)
                (order.number, order.customer) = (1, ada)
                #expect(try storage.allObjects(ofType: Order.self).first?.customer === ada)
            }
            let view = manager.viewStorage
            let customer = try view.firstObject(ofType: Order.self)?.customer
            #expect(try view.firstObject(ofType: Customer.self) === customer)
        }
    }

    // Behavior 95.
    @Test func filterOperatorsHaveSwiftPrecedence() async throws {
        let equal: Filter<Customer> = \.age == 5
        let different: Filter<Customer> = \.age != 5 && \.age < 7
        let among: Filter<Customer> = (\Customer.age).in([5, 6, 500])
        let amongInSigns: Filter<Customer> = \.age === [5, 6]
        let either: Filter<Customer> = \.age == 1 || \.age == 99
        let unbracketed: Filter<Customer> = \.age == 1 || \.age > 95 && \.age != 98
        let bracketed: Filter<Customer> = (\.age == 1 || \.age > 95) && \.age != 98
        let negated: Filter<Customer> = !(\.age < 98)
        let cases = [
            (equal, [5]), (different, [0, 1, 2, 3, 4, 6]), (among, [5, 6]), (amongInSigns, [5, 6]), (either, [1, 99]),
            (unbracketed, [1, 96, 97, 99]), (bracketed, [1, 96, 97, 99]), (negated, [98, 99]),
            (bracketed || equal, [1, 5, 96, 97, 99]),
        ]
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                try fill(storage)
                for (filter, ages) in cases {
                    #expect(try storage.allObjects(ofType: Customer.self, matching: filter).map(\.age) == ages)
                }
            }
            for (filter, ages) in cases {
                #expect(try manager.viewStorage.allObjects(ofType: Customer.self, matching: filter).map(\.age) == ages)
            }
        }
    }

    // Behavior 95.
    @Test func filterAndBindsTighterThanOr() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                try fill(storage)
                let unbracketed = \Customer.age == 98 || \.age > 95 && \.age != 98
                let bracketed = (\Customer.age == 98 || \.age > 95) && \.age != 98
                #expect(try storage.countObjects(ofType: Customer.self, matching: unbracketed) == 4)
                #expect(try storage.countObjects(ofType: Customer.self, matching: bracketed) == 3)
            }
        }
    }

    @Test func missingRequiredValueFailsEntireSave() async throws {
        try await withStorage { manager in
            let error = await #expect(throws: ObjectError.self) {
                try await manager.performAndSave { storage in
                    _ = try storage.insertNewObject(ofType: Order.self)
                    _ = try storage.insertNewObject(ofType: Order.self)
                    try storage.insertNewObject(ofType: Customer.self).name = "Ada"
                }
            }
            #expect(error?.code == .invalidObjects)
            #expect(error?.problems.count == 2)
            let count = try manager.viewStorage.countObjects(ofType: Customer.self)
            #expect(count == 0)
        }
    }

    @Test func failedSaveCanBeRetriedInSameOperation() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                for _ in 0..<2 { try storage.insertNewObject(ofType: Tag.self).name = "same" }
                let error = #expect(throws: ObjectError.self) { try storage.saveIfNeeded() }
                #expect(error?.code == .duplicate)
                try storage.firstObject(ofType: Tag.self)?.name = "other"
            }
            let names = try manager.viewStorage.allObjects(ofType: Tag.self, sortedBy: [SortDescriptor(\.name)]).map(
                \.name
            )
            #expect(names == ["other", "same"])
        }
    }

    @Test func uniqueValuesCanBeSwappedInOneSave() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                let a = try storage.insertNewObject(ofType: Tag.self)
                let b = try storage.insertNewObject(ofType: Tag.self)
                (a.name, b.name) = ("a", "b")
                try storage.saveIfNeeded()
                (a.name, b.name) = ("b", "a")
            }
            #expect(try manager.viewStorage.allObjects(ofType: Tag.self).map(\.name) == ["b", "a"])
        }
    }

    @Test func insertedObjectCanReuseUniqueValueOfDeletedObject() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "a" }
            try await manager.performAndSave { storage in
                try storage.deleteAllObjects(ofType: Tag.self)
                try storage.insertNewObject(ofType: Tag.self).name = "a"
            }
            #expect(try manager.viewStorage.countObjects(ofType: Tag.self) == 1)
        }
    }

    @Test func stringsWithQuotesAreBoundAsParameters() async throws {
        let name = "x'); DROP TABLE \"Customer\"; --\u{0}\"%_"
        try await withStorage { manager in
            try await manager.performAndSave { try $0.insertNewObject(ofType: Customer.self).name = name }
            let found = try manager.viewStorage.firstObject(ofType: Customer.self, matching: \.name == name)
            #expect(found?.name == name)
        }
    }
}
#endif
