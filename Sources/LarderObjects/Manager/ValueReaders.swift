#if Objects
internal import GRDB
internal import Synchronization

/// The connections for reads that run client code, such as transforms, decoding and issue handlers.
///
/// Client code may read the view, or keep a connection for a long time. GRDB's pool has few readers and traps on a nested read from the
/// same thread. Therefore each read has its own connection outside the pool.
final class ValueReaders: Sendable {
    /// The maximum number of idle connections to keep open.
    private static let maximumIdle = 4

    private struct State: Sendable {
        var idle: [DatabaseQueue] = []
        var inUse = 0
        var isClosed = false
    }

    private let path: String
    /// The configuration of a read-only connection.
    private let configuration: Configuration
    private let state = Mutex(State())

    init(path: String, _ configuration: Configuration) {
        self.path = path
        self.configuration = configuration
    }

    /// Runs `body` on one snapshot of the database.
    ///
    /// - Throws: The error that `body` or SQLite throws, or ``ObjectError`` with code `expired` after ``close()`` was called.
    func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        let connection = try take()
        defer { giveBack(connection) }
        return try connection.read(body)
    }

    /// Closes the idle connections.
    ///
    /// A connection in use is closed when its read ends.
    ///
    /// - Returns: Whether any connection is in use.
    func close() -> Bool {
        let (idle, isInUse) = state.withLock { state in
            defer { state.idle = [] }
            state.isClosed = true
            return (state.idle, state.inUse > 0)
        }
        for connection in idle { end(connection) }
        return isInUse
    }

    private func take() throws -> DatabaseQueue {
        let idle = try state.withLock { state in
            if state.isClosed { throw ObjectContext.expired }
            state.inUse += 1
            return state.idle.popLast()
        }
        if let idle { return idle }
        do {
            return try DatabaseQueue(path: path, configuration: configuration)
        } catch {
            state.withLock { $0.inUse -= 1 }
            throw error
        }
    }

    private func giveBack(_ connection: DatabaseQueue) {
        let isKept = state.withLock { state in
            state.inUse -= 1
            guard !state.isClosed, state.idle.count < Self.maximumIdle else { return false }
            state.idle.append(connection)
            return true
        }
        if !isKept { end(connection) }
    }

    // The connection is read-only. If closing it fails, no data is lost, and it is closed when it is released.
    private func end(_ connection: DatabaseQueue) { try? connection.close() }
}
#endif
