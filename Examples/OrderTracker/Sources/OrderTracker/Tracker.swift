import Foundation
import LarderObjects

/// A tracker of orders, through which the app accesses its storage.
///
/// The tracker uses the storage only through a protocol, so that tests can pass another storage.
public struct Tracker: Sendable {
    private let storageManager: any StorageManagerType

    /// Creates a tracker that keeps its orders in a storage.
    public init(_ storageManager: any StorageManagerType) { self.storageManager = storageManager }

    /// An error which states that an order does not exist.
    public struct UnknownOrder: Error, Equatable {
        /// The number of the missing order.
        public let number: Int64

        /// Creates an error for the number of a missing order.
        public init(number: Int64) { self.number = number }
    }

    /// Inserts new orders, updates changed orders, and deletes stored orders that are missing in `orders`.
    ///
    /// The local data of the remaining orders is kept. Unchanged orders are not written, and observers are not notified of them.
    public func receive(_ orders: [Order]) async throws -> SyncResult {
        try await storageManager.performAndSave { storage in
            let result = try storage.sync(orders, by: \StoredOrder.number)
            try Self.setCustomers(of: orders, in: storage)
            return result
        }
    }

    /// Relates the stored orders to the customers with the names that the server sent.
    private static func setCustomers(of orders: [Order], in storage: any WritableStorageType) throws {
        let names = Dictionary(orders.map { ($0.number, $0.customer) }, uniquingKeysWith: { _, last in last })
        var customers: [String: StoredCustomer] = [:]
        for customer in try storage.allObjects(ofType: StoredCustomer.self) { customers[customer.name] = customer }
        for order in try storage.allObjects(ofType: StoredOrder.self, prefetch: [\.customer]) {
            guard let name = names[order.number], order.customer?.name != name else { continue }
            let customer = try customers[name] ?? storage.insertNewObject(ofType: StoredCustomer.self)
            customer.name = name
            customers[name] = customer
            order.customer = customer
        }
    }

    /// Returns the orders that have not been sent, the oldest first.
    public func waiting() throws -> [Order] {
        try storageManager.viewStorage.allObjects(
            ofType: StoredOrder.self,
            matching: \.status != .sent,
            sortedBy: [SortDescriptor(\.placedAt)],
            prefetch: [\.lines, \.customer]
        ).map { $0.toReadOnly() }
    }

    /// Returns the numbers of orders whose customer's name contains `part`, ignoring case and accents.
    public func orders(ofCustomer part: String) throws -> [Int64] {
        try storageManager.viewStorage.allObjects(
            ofType: StoredCustomer.self,
            matching: (\StoredCustomer.name).containsIgnoringCaseAndAccents(part),
            prefetch: [\.orders]
        ).flatMap { $0.orders.map(\.number) }.sorted()
    }

    /// Marks orders as sent.
    ///
    /// If any of them does not exist, throws ``UnknownOrder`` and marks none.
    public func send(_ numbers: [Int64]) async throws {
        try await storageManager.performAndSave { storage in
            for number in numbers { try Self.order(number, in: storage).status = .sent }
        }
    }

    /// Stores who placed an order, which the server does not know.
    public func setPlacedBy(_ name: String, of number: Int64) async throws {
        try await storageManager.performAndSave { storage in try Self.order(number, in: storage).placedBy = name }
    }

    /// Returns the numbers of the orders that a person placed.
    public func orders(placedBy name: String) throws -> [Int64] {
        try storageManager.viewStorage.allObjects(
            ofType: StoredOrder.self,
            matching: \.placedBy == name,
            sortedBy: [SortDescriptor(\.number)]
        ).map(\.number)
    }

    private static func order(_ number: Int64, in storage: any WritableStorageType) throws -> StoredOrder {
        guard let order = try storage.firstObject(ofType: StoredOrder.self, matching: \.number == number) else {
            throw UnknownOrder(number: number)
        }
        return order
    }
}
