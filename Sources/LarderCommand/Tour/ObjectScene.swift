#if Objects
import Dispatch
import Foundation
import LarderCore
import LarderObjects
import Synchronization

/// The section of the tour that demonstrates a storage manager: writing in `performAndSave` and reading through the view storage.
enum ObjectScene {
    static func play(in folder: URL, _ tour: TourPrinter) throws {
        try tour.title("Object storage keeps objects that refer to one another")
        let manager = try SQLiteStorageManager(
            model: ObjectModel([TourOrder.self, TourItem.self]),
            name: "shop",
            in: folder,
            // In a command-line program, nothing runs the main queue.
            configuration: ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        )
        let view = manager.viewStorage
        let orders = [
            NetworkOrder(number: 1, total: 30, items: [NetworkItem(name: "tea"), NetworkItem(name: "jam")]),
            NetworkOrder(number: 2, total: 5, items: [NetworkItem(name: "cup")]),
        ]
        try tour.remark("One transaction turns structs from the network, including nested structs, into objects:")
        try tour.show(#"manager.performAndSave { $0.sync(orders, by: \TourOrder.number).inserted.count }"#) {
            try result {
                try await manager.performAndSave { try $0.sync(orders, by: \TourOrder.number).inserted.count }
            }
        }
        try tour.remark("Syncing the same structs again writes nothing:")
        try tour.show(#"manager.performAndSave { $0.sync(orders, by: \TourOrder.number).unchanged }"#) {
            try result { try await manager.performAndSave { try $0.sync(orders, by: \TourOrder.number).unchanged } }
        }
        try tour.remark("The view reads saved objects. A filter is an expression of key paths or a #Predicate:")
        try tour.show(#"view.countObjects(ofType: TourItem.self)"#) { try view.countObjects(ofType: TourItem.self) }
        let dear = (\TourOrder.total) > 10
        try tour.show(#"view.firstObject(ofType: TourOrder.self, matching: dear)?.items.map(\.name)"#) {
            try view.firstObject(ofType: TourOrder.self, matching: dear)?.items.map(\.name)
        }
        try tour.remark("Reading all orders and their items takes two queries, regardless of the number of orders:")
        try tour.show(#"manager.queries.recording { walk(view) }.count"#) {
            try manager.queries.recording { try walk(view) }.count
        }
        try tour.remark("A transaction that throws leaves no changes in the database or in memory:")
        try tour.showError(
            #"manager.performAndSave { $0.deleteAllObjects(ofType: TourOrder.self); throw Cancelled() }"#
        ) {
            try result {
                try await manager.performAndSave { storage in
                    try storage.deleteAllObjects(ofType: TourOrder.self)
                    throw Cancelled()
                }
            }
        }
        try tour.show(#"view.countObjects(ofType: TourOrder.self)"#) { try view.countObjects(ofType: TourOrder.self) }
        try Tour.check(
            try view.countObjects(ofType: TourOrder.self) == 2,
            "a transaction that threw an error was not rolled back"
        )
        try tour.show(#"manager.verify().isIntact"#) { try manager.verify().isIntact }
        try manager.close()
    }

    private static func walk(_ view: any StorageType) throws {
        for order in try view.allObjects(ofType: TourOrder.self) { _ = order.items.count }
    }

    /// Runs asynchronous work, and blocks the current thread until its result is available.
    private static func result<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws -> Value {
        let outcome = Outcome<Value>()
        let isDone = DispatchSemaphore(value: 0)
        Task {
            let result: Result<Value, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            outcome.result.withLock { $0 = result }
            isDone.signal()
        }
        isDone.wait()
        guard let result = outcome.result.withLock({ $0 }) else { throw Cancelled() }
        return try result.get()
    }

    /// A box for the result of a task, shared by the task and the thread that waits for it.
    private final class Outcome<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, any Error>?>(nil)
    }
}

private struct Cancelled: Error, CustomStringConvertible { let description = "Cancelled" }

struct NetworkOrder: Sendable {
    var number: Int64
    var total: Decimal
    var items: [NetworkItem]
}

struct NetworkItem: Sendable {
    var name: String
}

@Entity(bridges: NetworkOrder.self) final class TourOrder {
    @Attribute(.unique) var number: Int64
    var total: Decimal = 0
    @Relationship(deleteRule: .cascade, inverse: \TourItem.order, ordered: true) var items: [TourItem]
}

@Entity(bridges: NetworkItem.self) final class TourItem {
    var name: String
    @Relationship var order: TourOrder?
}
#endif
