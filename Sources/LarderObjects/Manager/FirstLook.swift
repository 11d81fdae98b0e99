#if Objects
internal import GRDB
internal import Synchronization

/// The look at a database that its writer's connection takes before anything else.
///
/// The last connection for writing that is closed takes the log into the file. When the database turns out to be another one,
/// a connection that can't write stays open until that is over, so that every byte stays where it is.
final class FirstLook: Sendable {
    private struct Unsuitable: Error {}
    private struct State: Sendable {
        var isTaken = false
        var guardian: DatabaseQueue?
    }

    private let path: String
    private let state = Mutex(State())

    init(path: String) { self.path = path }

    /// Throws when the file is no object storage by its header, when `isSuitable` does, or says no.
    ///
    /// The second time, for connections of readers, it has no effect.
    func take(_ database: Database, _ isSuitable: (String) throws -> Bool) throws {
        let isFirst = state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
        guard isFirst else { return }
        // Nothing was read through SQLite's pager: closing the connection changes nothing.
        guard DatabaseHeader(of: database)?.isObjectStorage == true else { throw Unsuitable() }
        do {
            guard try isSuitable(path) else { throw Unsuitable() }
        } catch {
            let guardian = Self.guardian(of: path)
            state.withLock { $0.guardian = guardian }
            throw error
        }
    }

    /// A connection that can't write, as long as which no other checkpoints the log when it closes.
    ///
    /// Without it the log is at worst written into the file, which loses nothing.
    static func guardian(of path: String) -> DatabaseQueue? {
        var configuration = Configuration()
        configuration.readonly = true
        let guardian = try? DatabaseQueue(path: path, configuration: configuration)
        _ = try? guardian?.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
        return guardian
    }

    /// Closes the connection that can't write.
    func end() {
        let guardian = state.withLock { state in
            defer { state.guardian = nil }
            return state.guardian
        }
        // It was only read: closing it can lose nothing.
        try? guardian?.close()
    }
}
#endif
