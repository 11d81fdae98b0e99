import Foundation
import LarderObjects

/// A tracker of orders, through which the app accesses its storage.
///
/// The tracker uses the storage only through a protocol, so that tests can pass another storage.
public struct Tracker: Sendable {
    private let storageManager: any StorageManagerType

    /// Creates a tracker that keeps its orders in a storage.
    public init(_ storageManager: any StorageManagerType) { self.storageManager = storageManager }

    /// The object model of the tracker's database.
    public static let model = ObjectModel([StoredOrder.self, StoredOrderLine.self])

    /// An error which states that an order does not exist.
    public struct UnknownOrder: Error, Equatable {
        /// The number of the missing order.
        public let number: Int64

        /// Creates an error for the number of a missing order.
        public init(number: Int64) { self.number = number }
    }

    /// Inserts new orders, updates changed orders, and deletes stored orders that are missing in `orders`.
    ///
    /// The local notes of the remaining orders are kept. Unchanged orders are not written, and observers are not notified of them.
    public func receive(_ orders: [Order]) async throws -> SyncResult {
        try await storageManager.performAndSave { storage in try storage.sync(orders, by: \StoredOrder.number) }
    }

    /// Returns the orders that have not been sent, the oldest first.
    public func waiting() throws -> [Order] {
        try storageManager.viewStorage.allObjects(
            ofType: StoredOrder.self,
            matching: \.status != .sent,
            sortedBy: [SortDescriptor(\.placedAt)],
            prefetch: [\.lines]
        ).map { $0.toReadOnly() }
    }

    /// Returns the numbers of orders whose customer's name contains `part`, ignoring case and accents.
    public func orders(ofCustomer part: String) throws -> [Int64] {
        try storageManager.viewStorage.allObjects(
            ofType: StoredOrder.self,
            matching: (\StoredOrder.customer).containsIgnoringCaseAndAccents(part),
            sortedBy: [SortDescriptor(\.number)]
        ).map(\.number)
    }

    /// Marks orders as sent.
    ///
    /// If any of them does not exist, throws ``UnknownOrder`` and marks none.
    public func send(_ numbers: [Int64]) async throws {
        try await storageManager.performAndSave { storage in
            for number in numbers { try Self.order(number, in: storage).status = .sent }
        }
    }

    /// Sets the local note on an order.
    public func annotate(_ number: Int64, _ note: String) async throws {
        try await storageManager.performAndSave { storage in try Self.order(number, in: storage).note = note }
    }

    /// Returns the local note on an order, or `nil` if the order has no note or does not exist.
    public func note(of number: Int64) throws -> String? {
        try storageManager.viewStorage.firstObject(ofType: StoredOrder.self, matching: \.number == number)?.note
    }

    private static func order(_ number: Int64, in storage: any WritableStorageType) throws -> StoredOrder {
        guard let order = try storage.firstObject(ofType: StoredOrder.self, matching: \.number == number) else {
            throw UnknownOrder(number: number)
        }
        return order
    }
}
