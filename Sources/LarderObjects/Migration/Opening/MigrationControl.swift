#if Objects
internal import GRDB
internal import GRDBSQLite
internal import LarderCore
internal import Synchronization

/// A controller that reports a migration's progress and can cancel the migration from any thread.
final class MigrationControl: Sendable {
    /// The number of SQLite virtual machine instructions between cancellation checks.
    private static let instructions: Int32 = 10_000

    private struct State {
        var fromVersion = 0
        var toVersion = 0
        var completed = 0
        var total = 0
        var backup: StoreProgress?
    }

    private let cancelled = Atomic<Bool>(false)
    private let state = Mutex(State())
    private let report: (@Sendable (MigrationProgress) -> Void)?
    private let atEnd: @Sendable () -> Void

    init(_ report: (@Sendable (MigrationProgress) -> Void)? = nil, atEnd: @escaping @Sendable () -> Void = {}) {
        self.report = report
        self.atEnd = atEnd
    }

    /// Ends progress reporting, whether or not the database was opened.
    func end() { atEnd() }

    var isReporting: Bool { report != nil }

    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Cancels the migration, which throws `CancellationError` at its next cancellation check.
    func cancel() { cancelled.store(true, ordering: .relaxed) }

    func check() throws {
        if isCancelled { throw CancellationError() }
    }

    /// Reports the progress of the backup that precedes the migration.
    ///
    /// - Throws: `CancellationError` if the migration was cancelled.
    func backUp(from: Int, to: Int, _ progress: StoreProgress) throws {
        try check()
        state.withLock { $0 = State(fromVersion: from, toVersion: to, backup: progress) }
        report(entity: nil)
    }

    func begin(from: Int, to: Int, rows: Int) {
        state.withLock { $0 = State(fromVersion: from, toVersion: to, total: rows, backup: $0.backup) }
        report(entity: nil)
    }

    /// Adds `rows` to the number of completed rows, without exceeding the total, and reports the progress.
    func advance(_ entity: String, rows: Int) {
        state.withLock { $0.completed = min($0.completed + rows, $0.total) }
        report(entity: entity)
    }

    /// Raises the number of completed rows to at least `rows` when a migration step ends.
    func reach(_ rows: Int) { state.withLock { $0.completed = min(max($0.completed, rows), $0.total) } }

    func finish() {
        state.withLock { $0.completed = $0.total }
        report(entity: nil, isFinished: true)
    }

    private func report(entity: String?, isFinished: Bool = false) {
        guard let report else { return }
        let state = state.withLock(\.self)
        report(
            MigrationProgress(
                fromVersion: state.fromVersion,
                toVersion: state.toVersion,
                entity: entity,
                completedRows: state.completed,
                totalRows: state.total,
                backup: state.backup,
                isFinished: isFinished
            )
        )
    }

    /// Runs `body`, and interrupts the connection's SQL statements if the migration is cancelled.
    ///
    /// Interrupting a statement that writes rolls back its transaction.
    func interrupting<Result>(_ database: Database, _ body: () throws -> Result) throws -> Result {
        let connection = database.sqliteConnection
        sqlite3_progress_handler(
            connection,
            Self.instructions,
            { context in
                guard let context else { return 0 }
                return Unmanaged<MigrationControl>.fromOpaque(context).takeUnretainedValue().isCancelled ? 1 : 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
        // A commit must not be interrupted.
        defer { sqlite3_progress_handler(connection, 0, nil, nil) }
        return try withExtendedLifetime(self) { try body() }
    }
}
#endif
