import Foundation
import LarderObjects

/// A list of all orders by status, which follows the saves of every process.
public struct LiveList: Sendable {
    // The sequence does not keep the manager open.
    private let manager: SQLiteStorageManager
    private let updates: ValuesUpdates<Order>

    /// Creates a list of the orders in a manager's database.
    public init(_ manager: SQLiteStorageManager) {
        self.manager = manager
        // The closure reads lines and customers, so the list also follows their changes.
        updates = manager.results(
            ObjectRequest<StoredOrder>(sortedBy: [SortDescriptor(\.placedAt)], prefetch: [\.lines, \.customer]),
            sectionBy: SortDescriptor(\.status)
        ) { $0.toReadOnly() }
    }

    /// Calls `show` with the sections of the list, and again after each change, until the manager is closed.
    public func follow(_ show: ([Section]) throws -> Void) async throws {
        for try await update in updates {
            let sections = update.snapshot.list.sections
            try show(
                sections.indices.map { section in
                    Section(title: sections[section].title, orders: update.snapshot.values(in: section))
                }
            )
        }
    }

    /// The orders with the same status, the oldest first.
    public struct Section: Sendable {
        /// The status of the orders.
        public let title: String
        /// The orders.
        public let orders: [Order]
    }
}
