#if Objects
import Foundation
import LarderCore
import LarderFiles
import LarderObjects
import Testing

/// Tests that use every name in the original storage document as documented.
@Suite struct SeedStorageTests {
    /// A type that depends only on the protocols in the document.
    private struct OrderBook: Sendable {
        let storageManager: any StorageManagerType

        func insertOrder(number: Int64, completion: @escaping @Sendable () -> Void) {
            storageManager.performAndSave(
                { storage in
                    let order = try storage.insertNewObject(ofType: Order.self)
                    order.number = number
                },
                completion: completion,
                on: .main
            )
        }

        func insertAndFail(completion: @escaping @Sendable (Result<Int64, any Error>) -> Void) {
            storageManager.performAndSave(
                { storage in
                    try storage.insertNewObject(ofType: Order.self).number = 9
                    throw Refusal()
                },
                completion: completion,
                on: .main
            )
        }

        var count: Int { get throws { try storageManager.viewStorage.countObjects(ofType: Order.self) } }
    }

    @Test func insertedObjectIsVisibleInViewWhenCompletionRuns() async throws {
        let manager = try SQLiteStorageManager(inMemory: Shop.model)
        let book = OrderBook(storageManager: manager)
        await withCheckedContinuation { continuation in book.insertOrder(number: 1) { continuation.resume() } }
        #expect(try book.count == 1)
        #expect(try manager.verify().isIntact)
        try manager.close()
    }

    @Test func performAndSavePassesThrownErrorToCompletion() async throws {
        let manager = try SQLiteStorageManager(inMemory: Shop.model)
        let book = OrderBook(storageManager: manager)
        let result = await withCheckedContinuation { continuation in
            book.insertAndFail { continuation.resume(returning: $0) }
        }
        #expect(throws: Refusal.self) { try result.get() }
        #expect(try book.count == 0)
        #expect(try manager.verify().isIntact)
        try manager.close()
    }

    @MainActor @Test func viewContextCanBeUsedOnMainThread() async throws {
        let manager = try SQLiteStorageManager(inMemory: Shop.model)
        let order = try await manager.performAndSave { storage in
            let order = try storage.insertNewObject(ofType: Order.self)
            order.number = 1
            return order.objectID
        }
        let first = try #require(try manager.viewContext.loadObject(ofType: Order.self, with: order))
        #expect(first.number == 1)
        #expect(manager.viewContext === manager.viewStorage)
        try manager.reset()
        #expect(try manager.viewContext.countObjects(ofType: Order.self) == 0)
        #expect(try manager.verify().isIntact)
        try manager.close()
    }

    @Test func fakeManagerCanReplaceSQLiteManager() async throws {
        let mock = MockStorageManager()
        let book = OrderBook(storageManager: mock)
        await withCheckedContinuation { continuation in book.insertOrder(number: 1) { continuation.resume() } }
        #expect(mock.operations.value == 1)
        #expect(try book.count == 3)
    }

    @Test func settingsCanBeStoredInFiles() async throws {
        try await withTemporaryFolder { folder in
            let storage: any FileStorage = PListFileStorage()
            let url = folder.appendingPathComponent("settings.plist")
            try storage.write(["isOn": true], to: url)
            let settings: [String: Bool] = try storage.data(for: url)
            #expect(settings == ["isOn": true])
            try storage.deleteFile(at: url)
        }
    }

    @Test func fetchValuesRunsInBackground() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                for number in 0..<10 {
                    let order = try storage.insertNewObject(ofType: Order.self)
                    order.number = Int64(number)
                    order.addToItems(try storage.insertNewObject(ofType: Item.self))
                }
            }
            let before = manager.queries.total
            let values = try await manager.fetchValues(ObjectRequest<Order>(\.number > 6)) {
                ($0.number, $0.items.count)
            }
            #expect(values.map(\.0) == [7, 8, 9] && values.allSatisfy { $0.1 == 1 })
            #expect(manager.queries.total - before == 2)
        }
    }
}

/// A manager without a database, as an app's tests might define it.
private final class MockStorageManager: StorageManagerType {
    let operations = Box(0)

    /// A view that claims to contain three objects of every class.
    private final class View: StorageType {
        func objects<T: Object>(_ request: ObjectRequest<T>) throws -> [T] { [] }
        func countObjects<T: Object>(_ request: ObjectRequest<T>) throws -> Int { 3 }
        func loadObject<T: Object>(ofType type: T.Type, with objectID: ObjectID) throws -> T? { nil }
    }

    var viewStorage: any StorageType { View() }

    func performAndSave(
        _ operation: @escaping @Sendable (any WritableStorageType) throws -> Void,
        completion: (@Sendable () -> Void)?,
        on queue: DispatchQueue
    ) {
        operations.value += 1
        if let completion { queue.async(execute: completion) }
    }

    func performAndSave<T: Sendable>(
        _ operation: @escaping @Sendable (any WritableStorageType) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void,
        on queue: DispatchQueue
    ) {
        queue.async { completion(.failure(Refusal())) }
    }

    func reset() throws {}
}
#endif
