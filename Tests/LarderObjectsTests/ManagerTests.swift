#if Objects
import Foundation
import LarderCore
import LarderObjects
import LarderTestTraits
import Testing

/// Tests of behaviors 1 to 8, which cover opening, resetting, writing and merging with a manager.
@Suite struct ManagerTests {
    // Behavior 1.
    @Test func databaseFileHasRequestedName() async throws {
        try await withStorage(.file) { manager in
            #expect(manager.url.lastPathComponent == "shop.sqlite")
            #expect(FileManager.default.fileExists(atPath: manager.url.path))
        }
    }

    // Behavior 3.
    @Test(arguments: Place.allCases) func viewStorageIsAlwaysSameInstance(_ place: Place) async throws {
        try await withStorage(place) { manager in #expect(manager.viewStorage === manager.viewStorage) }
    }

    // Behavior 4.
    @Test(arguments: Place.allCases) func writerStorageIsNotViewStorage(_ place: Place) async throws {
        try await withStorage(place) { manager in
            let differs = try await manager.performAndSave { storage in storage !== manager.viewStorage }
            #expect(differs)
        }
    }

    // Behavior 5.
    @Test(arguments: Place.allCases) func resetDeletesAllObjectsAndKeepsViewUsable(
        _ place: Place
    ) async throws {
        try await withStorage(place) { manager in
            try await manager.performAndSave { storage in
                let order = try storage.insertNewObject(ofType: Order.self)
                order.number = 1
                order.tags = [try storage.insertNewObject(ofType: Tag.self)]
            }
            let view = manager.viewStorage
            let held = try #require(try view.firstObject(ofType: Order.self))
            try manager.reset()
            #expect(try view.countObjects(ofType: Order.self) == 0)
            #expect(view === manager.viewStorage)
            #expect(held.isDeleted)
            #expect(held.number == 1)
        }
    }

    // Behavior 5.
    @Test func resetPostsNotification() async throws {
        try await withStorage { manager in
            let posted = Box(false)
            let observer = NotificationCenter.default.addObserver(
                forName: .StorageManagerDidResetStorage,
                object: manager,
                queue: nil
            ) { _ in posted.value = true }
            defer { NotificationCenter.default.removeObserver(observer) }
            try manager.reset()
            #expect(posted.value)
        }
    }

    // Behavior 6.
    @Test(arguments: Place.allCases) func viewContainsChangesWhenCompletionRuns(_ place: Place) async throws {
        try await withStorage(place) { manager in
            let count: Int = await withCheckedContinuation { continuation in
                manager.performAndSave(
                    { storage in
                        let order = try storage.insertNewObject(ofType: Order.self)
                        order.number = 7
                    },
                    completion: {
                        let count = try? manager.viewStorage.countObjects(ofType: Order.self)
                        continuation.resume(returning: count ?? -1)
                    },
                    on: .global()
                )
            }
            #expect(count == 1)
        }
    }

    // Behavior 6.
    @Test func operationRunsInBackground() async throws {
        try await withStorage { manager in
            let isMain = try await manager.performAndSave { _ in Thread.isMainThread }
            #expect(!isMain)
        }
    }

    // Behavior 6.
    @Test func completionRunsOnRequestedQueue() async throws {
        try await withStorage { manager in
            let key = DispatchSpecificKey<Bool>()
            let queue = DispatchQueue(label: "completion")
            queue.setSpecific(key: key, value: true)
            let isThere: Bool = await withCheckedContinuation { continuation in
                manager.performAndSave(
                    { _ in },
                    completion: { continuation.resume(returning: DispatchQueue.getSpecific(key: key) == true) },
                    on: queue
                )
            }
            #expect(isThere)
        }
    }

    // Behavior 7.
    @Test(arguments: Place.allCases) func resultIsPassedToCompletion(_ place: Place) async throws {
        try await withStorage(place) { manager in
            let result: Result<ObjectID, any Error> = await withCheckedContinuation { continuation in
                manager.performAndSave(
                    { storage in
                        let customer = try storage.insertNewObject(ofType: Customer.self)
                        customer.name = "Ada"
                        return customer.objectID
                    },
                    completion: { continuation.resume(returning: $0) },
                    on: .global()
                )
            }
            let id = try result.get()
            let customer = try #require(try manager.viewStorage.loadObject(ofType: Customer.self, with: id))
            #expect(customer.name == "Ada")
        }
    }

    // Behavior 8.
    @Test(arguments: Place.allCases) func thrownErrorRollsBackChanges(_ place: Place) async throws {
        try await withStorage(place) { manager in
            await #expect(throws: Refusal.self) {
                try await manager.performAndSave { storage in
                    let customer = try storage.insertNewObject(ofType: Customer.self)
                    customer.name = "Lost"
                    try storage.saveIfNeeded()
                    throw Refusal()
                }
            }
            #expect(try manager.viewStorage.countObjects(ofType: Customer.self) == 0)
            try await manager.performAndSave { storage in
                try storage.insertNewObject(ofType: Customer.self).name = "Kept"
            }
            #expect(try manager.viewStorage.allObjects(ofType: Customer.self).map(\.name) == ["Kept"])
        }
    }

    // Behavior 8.
    @Test(.expectsIssues(.writeFailed)) func performAndSaveWithoutResultReportsError() async throws {
        try await withStorage { manager in
            var issues = manager.issues.makeAsyncIterator()
            manager.performAndSave({ _ in throw Refusal() }, completion: nil, on: .global())
            let issue = await issues.next()
            #expect(issue?.underlying is Refusal)
        }
    }

    @Test func operationStartedInsideOperationIsQueued() async throws {
        try await withStorage { manager in
            let order = Box<[String]>([])
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                manager.performAndSave(
                    { _ in
                        manager.performAndSave(
                            { _ in order.value.append("inner") },
                            completion: { continuation.resume() },
                            on: .global()
                        )
                        order.value.append("outer")
                    },
                    completion: nil,
                    on: .global()
                )
            }
            #expect(order.value == ["outer", "inner"])
        }
    }

    @Test(arguments: Place.allCases) func viewStorageCanBeReadInsideOperation(_ place: Place) async throws {
        try await withStorage(place) { manager in
            try await manager.performAndSave { storage in
                try storage.insertNewObject(ofType: Customer.self).name = "Ada"
            }
            let counts = try await manager.performAndSave { storage in
                _ = try storage.insertNewObject(ofType: Customer.self)
                return [
                    try storage.countObjects(ofType: Customer.self),
                    try manager.viewStorage.countObjects(ofType: Customer.self),
                ]
            }
            #expect(counts == [2, 1])
        }
    }

    @Test func viewPerformsClosuresOnMergeQueue() async throws {
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "view")
        queue.setSpecific(key: key, value: true)
        let manager = try SQLiteStorageManager(inMemory: Shop.model, configuration: .init(viewQueue: queue))
        let isThere = await withCheckedContinuation { continuation in
            manager.viewStorage.perform { continuation.resume(returning: DispatchQueue.getSpecific(key: key) == true) }
        }
        #expect(isThere)
        let order = Box<[String]>([])
        try await manager.performAndSave { storage in
            storage.perform { order.value.append("performed") }
            order.value.append("after")
        }
        #expect(order.value == ["performed", "after"])
        #expect(try manager.verify().isIntact)
        try manager.close()
    }

    @Test func saveErrorIsPassedToCompletion() async throws {
        try await withStorage { manager throws in
            let code = await withCheckedContinuation { continuation in
                manager.performAndSave(
                    { storage in
                        for _ in 0..<2 { try storage.insertNewObject(ofType: Tag.self).name = "same" }
                        return 2
                    },
                    completion: { result in
                        guard case .failure(let error as ObjectError) = result else {
                            return continuation.resume(returning: nil as ObjectError.Code?)
                        }
                        continuation.resume(returning: error.code)
                    },
                    on: .global()
                )
            }
            #expect(code == .duplicate)
            #expect(try manager.viewStorage.countObjects(ofType: Tag.self) == 0)
        }
    }

    @Test func writerThrowsIfUsedAfterClosure() async throws {
        try await withStorage { manager in
            let kept = Kept()
            try await manager.performAndSave { storage in kept.storage = storage }
            let error = #expect(throws: ObjectError.self) { _ = try kept.storage?.insertNewObject(ofType: Order.self) }
            #expect(error?.code == .expired)
        }
    }

    /// Objects that are released after the completion must not keep the connection open.
    @Test func managerCanBeClosedInCompletion() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
            for _ in 0..<5 {
                let manager = try SQLiteStorageManager(model: Shop.model, url: url, configuration: configuration)
                try await manager.performAndSave { storage in
                    for number in 0..<10_000 { try storage.insertNewObject(ofType: Customer.self).age = number }
                }
                try manager.close()
            }
            let manager = try SQLiteStorageManager(model: Shop.model, url: url, configuration: configuration)
            #expect(try manager.viewStorage.countObjects(ofType: Customer.self) == 50_000)
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    @Test func retainedObjectDoesNotPreventClose() async throws {
        let kept = Box<ObjectKeeper?>(nil)
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                kept.value = ObjectKeeper(object: try storage.insertNewObject(ofType: Customer.self))
            }
        }
        #expect(kept.value?.object.name == "")
    }

    @Test func viewObjectsAreReadOnly() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { try $0.insertNewObject(ofType: Customer.self).name = "Ada" }
            let customer = try #require(try manager.viewStorage.firstObject(ofType: Customer.self))
            let codes = Box<[LarderIssue.Code]>([])
            withIssueHandler({ codes.value.append($0.code) }) { customer.name = "Eve" }
            #expect(codes.value == [.writeFailed])
            #expect(customer.name == "Ada")
        }
    }

    @Test func viewObjectsAreUpdatedBeforeCompletion() async throws {
        try await withStorage { manager in
            let id = try await manager.performAndSave { storage in
                let customer = try storage.insertNewObject(ofType: Customer.self)
                customer.name = "Ada"
                return customer.objectID
            }
            let customer = try #require(try manager.viewStorage.loadObject(ofType: Customer.self, with: id))
            #expect(customer.orders.isEmpty)
            try await manager.performAndSave { storage in
                let customer = try #require(try storage.loadObject(ofType: Customer.self, with: id))
                customer.name = "Ada L."
                let order = try storage.insertNewObject(ofType: Order.self)
                order.number = 1
                order.customer = customer
            }
            #expect(customer.name == "Ada L.")
            #expect(customer.orders.map(\.number) == [1])
        }
    }

    @Test func eachSaveSendsOneChangeSet() async throws {
        try await withStorage { manager in
            var changes = manager.changes.makeAsyncIterator()
            let id = try await manager.performAndSave { storage in
                let customer = try storage.insertNewObject(ofType: Customer.self)
                return customer.objectID
            }
            #expect(await changes.next()?.inserted == [id])
            try await manager.performAndSave { storage in
                let customer = try #require(try storage.loadObject(ofType: Customer.self, with: id))
                customer.age = 36
                customer.name = customer.name
            }
            #expect(await changes.next()?.updated == [id: ["age"]])
            try await manager.performAndSave { storage in
                let customer = try #require(try storage.loadObject(ofType: Customer.self, with: id))
                try storage.deleteObject(customer)
            }
            #expect(await changes.next()?.deleted == [id])
        }
    }

    @Test func idsOfDeletedObjectsAreNeverReused() async throws {
        try await withTemporaryFolder { folder in
            let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
            func insertAndDelete() async throws -> ObjectID {
                let manager = try SQLiteStorageManager(
                    model: Shop.model,
                    name: "shop",
                    in: folder,
                    configuration: configuration
                )
                defer { try? manager.close() }
                let id = try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).objectID }
                try await manager.performAndSave { try $0.deleteAllObjects(ofType: Tag.self) }
                #expect(try manager.verify().isIntact)
                return id
            }
            let first = try await insertAndDelete()
            let second = try await insertAndDelete()
            #expect(second.rowID > first.rowID)
        }
    }
}

/// Keeps a writer after its closure has returned.
private final class Kept: @unchecked Sendable {
    // This is safe because one thread uses it after the other.
    var storage: (any WritableStorageType)?
}

/// Keeps an object after its storage has ended, which the compiler would otherwise reject.
private struct ObjectKeeper: @unchecked Sendable {
    // This is safe because one thread uses it after the other.
    let object: Customer
}
#endif
