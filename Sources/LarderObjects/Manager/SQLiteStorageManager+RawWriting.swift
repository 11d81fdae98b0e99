#if Objects
public import GRDB
internal import Foundation
internal import LarderCore
internal import Synchronization

extension SQLiteStorageManager {
    /// Runs raw SQL on the background writer in one transaction, and merges the changes into `viewStorage`.
    ///
    /// The model's delete rules, defaults and validation don't apply to raw SQL. Set the `objectID` column of an inserted row to
    /// `larder_next_id()`, which never returns an id twice. One call can use up to 2,000 new ids.
    ///
    /// - Parameter body: A closure that writes to the database. The closure must not retain the connection.
    /// - Returns: The result of `body`, after `viewStorage` has merged the changes.
    /// - Throws: The error that `body` or SQLite throws, after the transaction is rolled back.
    @discardableResult
    public func write<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        let handler = InheritedIssueHandler()
        return try await withCheckedThrowingContinuation { continuation in
            writerQueue.async {
                let result = handler.during { Result { try self.observed(body) } }
                self.viewQueue.async {
                    handler.during { if case .success(let outcome) = result { self.merge(outcome.changes) } }
                    continuation.resume(with: result.map(\.value))
                }
            }
        }
    }

    private func observed<T>(_ body: (Database) throws -> T) throws -> (value: T, changes: RowChanges) {
        try checkWritable()
        do {
            return try writerThread.writing(pool) { database in
                let statements = StatementCache(database)
                let nextID = DatabaseFunction("larder_next_id", argumentCount: 0, pure: false) { [sequence] _ in
                    try sequence.nextOfBlock()
                }
                database.add(function: nextID)
                defer { database.remove(function: nextID) }
                let observer = RowObserver()
                database.add(transactionObserver: observer, extent: .observerLifetime)
                defer { database.remove(transactionObserver: observer) }
                var value: T?
                try sequence.reserving(statements) {
                    try database.inTransaction(.immediate) {
                        value = try body(database)
                        try refold(observer.events, database)
                        if let id = newestID(observer.events) { try sequence.reserve(id, statements) }
                        // `body` may have encountered corruption and ignored the error.
                        try health.checkWritable()
                        return .commit
                    }
                }
                guard let value else {
                    throw ObjectError(
                        .database,
                        "The transaction ended without a result. Report this as a bug in Larder."
                    )
                }
                return (value, changes(of: observer.events))
            }
        } catch {
            throw health.noting(error)
        }
    }

    /// Returns the greatest id of an object that raw SQL inserted.
    private func newestID(_ events: [RowObserver.Event]) -> Int64? {
        events.lazy.filter { $0.kind == .insert && self.model.entity(named: $0.table) != nil }.map(\.rowID).max()
    }

    /// Updates the case-folded search columns of rows that raw SQL changed.
    private func refold(_ events: [RowObserver.Event], _ database: Database) throws {
        let rows = Dictionary(grouping: events.filter { $0.kind != .delete }, by: \.table)
        for (table, events) in rows {
            guard let entity = model.entity(named: table) else { continue }
            let ids = "[" + Set(events.map(\.rowID)).sorted().map(String.init).joined(separator: ",") + "]"
            for (attribute, folded) in entity.foldedColumns {
                let column = entity.columns[folded].quotedName
                let text = "larder_folded(\(entity.columns[attribute].quotedName))"
                try database.execute(
                    sql:
                        "UPDATE \(entity.table) SET \(column) = \(text) WHERE \(column) IS NOT \(text) AND "
                        + "\(ResolvedEntity.keyColumn.quotedIdentifier) IN (SELECT value FROM json_each(?))",
                    arguments: [ids]
                )
            }
        }
    }

    private func changes(of events: [RowObserver.Event]) -> RowChanges {
        var changes = RowChanges(entities: model.entities.count)
        let joins = Set(model.joinTables.map(\.name))
        // SQL may change a row several times. Only whether the row existed before and whether it exists now matters.
        var rows: [ChangedRow: (before: Bool, after: Bool)] = [:]
        var order: [ChangedRow] = []
        for event in events {
            guard let entity = model.entity(named: event.table) else {
                if joins.contains(event.table) { changes.changeLinks(in: event.table) }
                continue
            }
            let row = ChangedRow(entity: entity.index, rowID: event.rowID)
            if rows[row] == nil { order.append(row) }
            rows[row, default: (event.kind != .insert, true)].after = event.kind != .delete
            if event.kind == .insert { sequence.skip(past: event.rowID) }
        }
        for row in order {
            switch rows[row] {
            case (before: false, after: true)?: changes.insert(row.entity, row.rowID)
            case (before: true, after: true)?:
                changes.update(row.entity, row.rowID, ColumnSet(model.entities[row.entity].columns.indices))
            case (before: true, after: false)?: changes.delete(row.entity, row.rowID)
            default: break
            }
        }
        return changes
    }

    private struct ChangedRow: Hashable {
        let entity: Int
        let rowID: Int64
    }
}

/// A transaction observer that records the rows that raw SQL changes.
private final class RowObserver: TransactionObserver {
    struct Event {
        let table: String
        let rowID: Int64
        let kind: DatabaseEvent.Kind
    }

    private(set) var events: [Event] = []

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {
        events.append(Event(table: event.tableName, rowID: event.rowID, kind: event.kind))
    }
    func databaseDidCommit(_ database: Database) {}
    func databaseDidRollback(_ database: Database) { events = [] }
}
#endif
