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

    /// Throws when `isSuitable` does, or says no; does nothing the second time, for connections of readers.
    func take(_ isSuitable: (String) throws -> Bool) throws {
        let isFirst = state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
        guard isFirst else { return }
        do {
            guard try isSuitable(path) else { throw Unsuitable() }
        } catch {
            var configuration = Configuration()
            configuration.readonly = true
            // Without it the log is at worst taken in, which loses nothing.
            let guardian = try? DatabaseQueue(path: path, configuration: configuration)
            _ = try? guardian?.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
            state.withLock { $0.guardian = guardian }
            throw error
        }
    }
}
#endif
