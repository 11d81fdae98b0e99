#if Objects
internal import GRDB
internal import Synchronization

/// A check of a database that is made before the writer's connection runs any statement.
///
/// Closing the last writable connection checkpoints the write-ahead log into the database file. To leave the file unmodified if the check
/// fails, a read-only connection stays open until the writable connection is closed.
final class FirstLook: Sendable {
    /// The error for a database that the check does not accept.
    struct Unsuitable: Error {}
    private struct State: Sendable {
        var isTaken = false
        var guardian: DatabaseQueue?
    }

    private let path: String
    private let state = Mutex(State())

    init(path: String) { self.path = path }

    /// Throws an error if the header does not identify a LarderObjects database, or if `isSuitable` throws or returns `false`.
    ///
    /// Later calls, made for the readers' connections, have no effect.
    func take(_ database: Database, _ isSuitable: (String) throws -> Bool) throws {
        let isFirst = state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
        guard isFirst else { return }
        // SQLite's pager has not read anything yet, so closing the connection does not change the file.
        guard DatabaseHeader(of: database)?.isObjectStorage == true else { throw Unsuitable() }
        do {
            guard try isSuitable(path) else { throw Unsuitable() }
        } catch {
            let guardian = Self.guardian(of: path)
            state.withLock { $0.guardian = guardian }
            throw error
        }
    }

    /// Opens a read-only connection that prevents other connections from checkpointing the write-ahead log when they close.
    static func guardian(of path: String) -> DatabaseQueue? {
        var configuration = Configuration()
        configuration.readonly = true
        let guardian = try? DatabaseQueue(path: path, configuration: configuration)
        _ = try? guardian?.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
        return guardian
    }

    /// Closes the read-only connection, if it is open.
    func end() {
        let guardian = state.withLock { state in
            defer { state.guardian = nil }
            return state.guardian
        }
        // The connection is read-only, so a failed close loses no data.
        try? guardian?.close()
    }
}
#endif
