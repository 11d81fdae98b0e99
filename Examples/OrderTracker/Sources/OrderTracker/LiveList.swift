import Foundation
import LarderObjects

/// A list of all orders by status, which follows the saves of every process.
public struct LiveList: Sendable {
    private let manager: SQLiteStorageManager
    private let updates: ResultsUpdates<ResultsSnapshot>

    /// Creates a list of the orders in a manager's database.
    public init(_ manager: SQLiteStorageManager) async throws {
        self.manager = manager
        updates = try await manager.withView { view in
            let list = try view.results(
                ObjectRequest<StoredOrder>(sortedBy: [SortDescriptor(\.placedAt)]),
                sectionBy: SortDescriptor(\.status)
            )
            return list.updates
        }
    }

    /// Calls `show` with the sections of the list, and again after each change, until the manager is closed.
    public func follow(_ show: ([Section]) throws -> Void) async throws {
        for await update in updates { try show(try await sections(of: update.snapshot)) }
    }

    /// The orders with the same status, the oldest first.
    public struct Section: Sendable {
        /// The status of the orders.
        public let title: String
        /// The orders.
        public let orders: [Order]
    }

    private func sections(of snapshot: ResultsSnapshot) async throws -> [Section] {
        try await manager.withView { view in
            try snapshot.sections.map { section in
                // A later save may have deleted an order of the snapshot. The next update follows then.
                let orders = try section.ids.compactMap { try view.loadObject(ofType: StoredOrder.self, with: $0) }
                return Section(title: section.title, orders: orders.map { $0.toReadOnly() })
            }
        }
    }
}
