#if Objects
internal import GRDB
internal import Synchronization

/// A pool of read-only connections for reads that run client code, such as transforms.
///
/// These reads don't use GRDB's pool, because client code may block a connection for a long time, and a nested read in GRDB's pool traps.
final class ValueReaders: Sendable {
    /// The maximum number of idle connections to keep open.
    private static let maximumIdle = 4

    private struct State: Sendable {
        var idle: [DatabaseQueue] = []
        var inUse = 0
        var isClosed = false
    }

    private let path: String
    /// The configuration of each connection.
    private let configuration: Configuration
    private let state = Mutex(State())

    init(path: String, _ configuration: Configuration) {
        self.path = path
        self.configuration = configuration
    }

    /// Runs `body` with a connection that reads one snapshot of the database.
    ///
    /// - Throws: The error that `body` or SQLite throws, or ``ObjectError`` with code `expired` after ``close()`` was called.
    func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        let connection = try take()
        defer { giveBack(connection) }
        return try connection.read(body)
    }

    /// Closes the idle connections.
    ///
    /// Connections in use are closed when their reads end.
    ///
    /// - Returns: `true` if a connection is still in use.
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
