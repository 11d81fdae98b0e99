import Foundation
import LarderObjects

/// Keeps track of orders: all that the app does with its storage.
///
/// It knows the storage by its protocol alone, so that a test can give it another.
public struct Tracker: Sendable {
    private let storageManager: any StorageManagerType

    /// A tracker over a storage.
    public init(_ storageManager: any StorageManagerType) { self.storageManager = storageManager }

    /// What to open a database with.
    public static let model = ObjectModel([StoredOrder.self, StoredOrderLine.self])

    /// There is no such order.
    public struct UnknownOrder: Error, Equatable {
        /// The number that was asked for.
        public let number: Int64

        /// The error for a number.
        public init(number: Int64) { self.number = number }
    }

    /// Takes over what the server says there is: new orders, changed ones, and that others are gone.
    ///
    /// Notes stay. What is the same already is not written, and nobody is told of it.
    public func receive(_ orders: [Order]) async throws -> SyncResult {
        try await storageManager.performAndSave { storage in try storage.sync(orders, by: \StoredOrder.number) }
    }

    /// The orders that are still to be sent, the oldest first.
    public func waiting() throws -> [Order] {
        try storageManager.viewStorage.allObjects(
            ofType: StoredOrder.self,
            matching: \.status != .sent,
            sortedBy: [SortDescriptor(\.placedAt)],
            prefetch: [\.lines]
        ).map { $0.toReadOnly() }
    }

    /// The numbers of the orders of customers whose name has a part, whatever its case and accents.
    public func orders(ofCustomer part: String) throws -> [Int64] {
        try storageManager.viewStorage.allObjects(
            ofType: StoredOrder.self,
            matching: (\StoredOrder.customer).containsIgnoringCaseAndAccents(part),
            sortedBy: [SortDescriptor(\.number)]
        ).map(\.number)
    }

    /// Marks orders as sent: all of them, or none when one is unknown.
    public func send(_ numbers: [Int64]) async throws {
        try await storageManager.performAndSave { storage in
            for number in numbers { try Self.order(number, in: storage).status = .sent }
        }
    }

    /// Keeps a note of one's own with an order.
    public func annotate(_ number: Int64, _ note: String) async throws {
        try await storageManager.performAndSave { storage in try Self.order(number, in: storage).note = note }
    }

    /// The note that is kept with an order.
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
