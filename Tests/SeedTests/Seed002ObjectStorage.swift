#if Objects
import Foundation
import LarderObjects
import LarderTestSupport
import Testing

// Seed 002, what it says of the stack and of model objects. It prints no code; each test is named after what the page says.

/// A struct "declared in the Networking module": it knows nothing of storage.
nonisolated struct NetworkingOrder: Equatable, Sendable {
    var orderID: Int64
    var status: String
    var items: [NetworkingOrderItem]
}

nonisolated struct NetworkingOrderItem: Equatable, Sendable {
    var name: String
    var quantity: Int64
}

@Entity(bridges: NetworkingOrder.self)
nonisolated final class StorageOrder {
    @Attribute(.unique) var orderID: Int64 = 0
    var status: String = ""
    @Relationship(deleteRule: .cascade, inverse: \StorageOrderItem.order, ordered: true) var items: [StorageOrderItem]
}

@Entity(bridges: NetworkingOrderItem.self)
nonisolated final class StorageOrderItem {
    var name: String = ""
    var quantity: Int64 = 0
    @Relationship var order: StorageOrder?
}

nonisolated struct Cancelled: Error {}

/// The document's name for the manager is deprecated, so that nobody takes it up anew.
private protocol NamesOfTheDocument {
    func coreDataManager(in folder: URL) throws -> any StorageManagerType
}

private struct Names: NamesOfTheDocument {
    @available(*, deprecated) func coreDataManager(in folder: URL) throws -> any StorageManagerType {
        try CoreDataManager(model: Seed002ObjectStorage.model, name: "WooCommerce", in: folder)
    }
}

@Suite struct Seed002ObjectStorage {
    nonisolated static let model = ObjectModel([StorageOrder.self, StorageOrderItem.self])

    /// "The Storage module exposes its functionality via the StorageManagerType protocol."
    /// "StorageManagerType is implemented by the CoreDataManager class."
    @Test func coreDataManagerImplementsStorageManagerType() throws {
        let folder = try TemporaryDirectory()
        let names: any NamesOfTheDocument = Names()
        let storageManager = try names.coreDataManager(in: folder.url(""))
        #expect(storageManager is SQLiteStorageManager)
        #expect(FileManager.default.fileExists(atPath: folder.path("WooCommerce.sqlite")))
        try (storageManager as? SQLiteStorageManager)?.close()
    }

    /// "This protocol declares getters to StorageType and methods to save or perform an operation on a StorageType"
    @Test func storageManagerProtocolDeclaresGettersAndOperations() async throws {
        let manager = try SQLiteStorageManager(inMemory: Self.model)
        let storageManager: any StorageManagerType = manager
        await withCheckedContinuation { continuation in
            storageManager.performAndSave(
                { storage in
                    let order = try storage.insertNewObject(ofType: StorageOrder.self)
                    order.orderID = 963
                },
                completion: { continuation.resume() },
                on: .main
            )
        }
        let viewStorage: any StorageType = storageManager.viewStorage
        #expect(try viewStorage.firstObject(ofType: StorageOrder.self)?.orderID == 963)
        try manager.close()
    }

    /// "When CoreDataManager is requested a viewContext, it will provide the persistent container's viewContext. viewContext
    /// should only be used for reading and not writing."
    @MainActor @Test func viewContextIsUsedForReading() async throws {
        let manager = try SQLiteStorageManager(inMemory: Self.model)
        try await manager.performAndSave { storage in
            try storage.insertNewObject(ofType: StorageOrder.self).status = "processing"
        }
        let orders = try manager.viewContext.allObjects(ofType: StorageOrder.self, matching: \.status == "processing")
        #expect(orders.count == 1)
        // `manager.viewContext.insertNewObject(ofType:)` does not compile: CompilationTests of LarderObjectsTests.
        #expect(!(manager.viewStorage is any WritableStorageType))
        try manager.close()
    }

    /// "There are two versions of performAndSave methods to use for writing - depending on whether you need to send a result
    /// back to the completion closure or not."
    @Test func performAndSaveHasTwoOverloads() async throws {
        let manager = try SQLiteStorageManager(inMemory: Self.model)
        await withCheckedContinuation { continuation in
            manager.performAndSave(
                { storage in try storage.insertNewObject(ofType: StorageOrder.self).orderID = 1 },
                completion: { continuation.resume() },
                on: .main
            )
        }
        let orderID = await withCheckedContinuation { continuation in
            manager.performAndSave(
                { storage in try storage.firstObject(ofType: StorageOrder.self)?.orderID },
                completion: { result in
                    switch result {
                    case .success(let orderID): continuation.resume(returning: orderID)
                    case .failure: continuation.resume(returning: nil)
                    }
                },
                on: .main
            )
        }
        #expect(orderID == 1)
        try manager.close()
    }

    /// An error of the operation reaches the completion closure as it is.
    @Test func performAndSavePassesThrownErrorToCompletion() async throws {
        let manager = try SQLiteStorageManager(inMemory: Self.model)
        let isCancelled = await withCheckedContinuation { continuation in
            manager.performAndSave(
                { _ in throw Cancelled() },
                completion: { (result: Result<Int, any Error>) in
                    if case .failure(let error) = result { continuation.resume(returning: error is Cancelled) }
                },
                on: .main
            )
        }
        #expect(isCancelled)
        try manager.close()
    }

    /// "For thread safety, do not send any NSManagedObject instance to the completion closure of performAndSave."
    @Test func objectIDCanBePassedToCompletion() async throws {
        let manager = try SQLiteStorageManager(inMemory: Self.model)
        let objectID = try await manager.performAndSave { storage in
            let order = try storage.insertNewObject(ofType: StorageOrder.self)
            order.status = "completed"
            return order.objectID
        }
        let order = try manager.viewStorage.loadObject(ofType: StorageOrder.self, with: objectID)
        #expect(order?.status == "completed")
        try manager.close()
    }

    /// "Avoid making multiple fetch requests in for loops. This can be replaced by a single fetch request for a list of
    /// objects instead."
    @Test func singleFetchRequestReturnsSeveralObjects() async throws {
        let manager = try SQLiteStorageManager(inMemory: Self.model)
        let orders = (1...20).map { NetworkingOrder(orderID: $0, status: "new", items: []) }
        try await manager.performAndSave { storage in _ = try storage.upsert(orders, by: \StorageOrder.orderID) }
        let wanted: [Int64] = [3, 5, 7]
        let queries = try manager.queries.recording {
            let found = try manager.viewStorage.allObjects(
                ofType: StorageOrder.self,
                matching: (\StorageOrder.orderID).in(wanted)
            )
            #expect(found.map(\.orderID) == wanted)
        }
        #expect(queries.count == 1)
        try manager.close()
    }

    /// "This module also provides extensions to make the model objects declared in the Networking module
    /// coredata-compliant." "Those extensions can be generated".
    @Test func networkingModelsAreStored() async throws {
        let manager = try SQLiteStorageManager(inMemory: Self.model)
        let order = NetworkingOrder(
            orderID: 963,
            status: "processing",
            items: [NetworkingOrderItem(name: "Belt", quantity: 2), NetworkingOrderItem(name: "Cap", quantity: 1)]
        )
        try await manager.performAndSave { storage in
            try storage.insertNewObject(ofType: StorageOrder.self).update(with: order)
        }
        let stored = try manager.viewStorage.firstObject(ofType: StorageOrder.self)?.toReadOnly()
        #expect(stored == order)
        #expect(try manager.verify().isIntact)
        try manager.close()
    }
}
#endif
