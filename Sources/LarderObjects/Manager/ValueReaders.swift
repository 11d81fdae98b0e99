#if Objects
internal import GRDB
internal import Synchronization

/// Connections for reads that run the caller's code: transforms, decoding, handlers of issues.
///
/// GRDB's pool has few readers, and traps when a thread that is in a read begins another. A caller's code may begin one, by reading the
/// view, or keep its reader for as long as it likes. So each read here has a connection of its own, however many there are at once, and
/// the pool knows nothing of it.
final class ValueReaders: Sendable {
    /// How many connections wait for the next read.
    private static let maximumIdle = 4

    private struct State: Sendable {
        var idle: [DatabaseQueue] = []
        var inUse = 0
        var isClosed = false
    }

    private let path: String
    private let state = Mutex(State())

    init(path: String) { self.path = path }

    /// Runs `body` in one state of the database.
    ///
    /// - Throws: What `body` threw; ``ObjectError`` of code `expired` after ``close()``, or what SQLite refused.
    func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        let connection = try take()
        defer { giveBack(connection) }
        return try connection.read(body)
    }

    /// Ends the connections: those in use when their reads have ended.
    ///
    /// - Returns: Whether some are in use.
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
            var configuration = DatabaseOpening.configuration()
            configuration.readonly = true
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

    // It was only read: closing it can lose nothing, and what does not close here does when the connection goes.
    private func end(_ connection: DatabaseQueue) { try? connection.close() }
}
#endif
