#if Objects
internal import GRDB
internal import Synchronization

/// The connection on which raw SQL runs.
///
/// Raw SQL has a connection of its own, because its recording triggers would slow down every save.
final class RawConnection: Sendable {
    private struct State: Sendable {
        var queue: DatabaseQueue?
        var isClosed = false
    }

    private let path: String
    let triggers = FileTriggers()
    private let recorder: RawRecorder
    private let nextID: @Sendable () throws -> Int64
    private let state = Mutex(State())

    /// Creates a connection that is opened at its first use.
    ///
    /// - Parameters:
    ///   - model: The model whose tables are recorded.
    ///   - columns: The columns whose old values can be recorded.
    ///   - path: The path of the database.
    ///   - nextID: A closure that returns the result of the SQL function `larder_next_id`.
    init(
        _ model: ResolvedModel,
        _ columns: HistoryColumns,
        path: String,
        nextID: @escaping @Sendable () throws -> Int64
    ) {
        self.path = path
        self.nextID = nextID
        recorder = RawRecorder(model, columns)
    }

    /// Runs `body` on the connection, which is opened if necessary, outside a transaction.
    func writing<T>(_ body: (Database, RawRecorder) throws -> T) throws -> T {
        try queue().writeWithoutTransaction { try body($0, recorder) }
    }

    /// Closes the connection.
    ///
    /// The call waits until a running ``writing(_:)`` has returned. Later calls of ``writing(_:)`` throw an error.
    func close() throws {
        let queue = state.withLock { state in
            state.isClosed = true
            return state.queue
        }
        try queue?.close()
    }

    private func queue() throws -> DatabaseQueue {
        try state.withLock { state in
            guard !state.isClosed else {
                throw ObjectError(.expired, "The database was closed. Open it again to write.", path: path)
            }
            if let queue = state.queue { return queue }
            var configuration = DatabaseOpening.configuration()
            configuration.label = "larder.objects.sql"
            let (recorder, nextID) = (recorder, nextID)
            configuration.prepareDatabase { database in
                // The pool's connections have the same setting.
                try database.execute(sql: "PRAGMA synchronous = NORMAL")
                try recorder.register(on: database)
                database.add(
                    function: DatabaseFunction("larder_next_id", argumentCount: 0, pure: false) { _ in try nextID() }
                )
            }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            state.queue = queue
            return queue
        }
    }
}
#endif
