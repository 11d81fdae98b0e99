#if Postgres
import LarderCore
import LarderPostgres
import LarderReplication
import LarderStores
import LarderTestSupport
import Synchronization
import Testing

/// A machine whose replica follows a store in PostgreSQL until the machine is released.
final class PostgresMachine: Sendable {
    let store: ReplicatedStore
    private let task: Task<Void, Never>

    init(
        _ engine: any ReplicationEngine,
        replica: any KeyValueStore = MemoryStore(),
        deadline: Duration = .seconds(10)
    ) throws {
        var options = ReplicatedStoreOptions()
        options.deadline = deadline
        let store = try ReplicatedStore(unshared: replica, engine: engine, options: options)
        self.store = store
        task = Task { await store.run() }
    }

    /// Ends replication.
    func stop() async {
        task.cancel()
        await task.value
    }

    deinit { task.cancel() }

    /// Waits until nothing is pending and the replica has reached the end of the history.
    func follow(_ engine: PostgresEngine) async throws {
        try await waitUntilAsync("the replica") { () async throws -> ReplicationPosition? in
            guard store.freshness.pending == 0 else { return nil }
            let position = try? await engine.status().position
            return position == store.freshness.position ? position : nil
        }
    }
}

extension PostgresEngine {
    /// The entries of the store in the order of their keys.
    func allEntries() async throws -> [ReplicationSnapshot.Entry] {
        let entries = Mutex<[ReplicationSnapshot.Entry]>([])
        _ = try await snapshot { part in entries.withLock { $0 += part } }
        return entries.withLock(\.self)
    }

    /// The position and the time of the store.
    func here() async throws -> ReplicationSnapshot { try await snapshot { _ in } }
}

/// Returns a commit with a new identifier.
func commit(
    _ writes: KeyValuePairs<String, String?> = [:],
    drawn: ReplicationInstant? = nil,
    if expectations: [ReplicationCommit.Expectation] = []
) -> ReplicationCommit {
    ReplicationCommit(
        identifiers: [.init(session: .random(in: 0 ... .max), number: 1)],
        drawn: drawn,
        expectations: expectations,
        writes: writes.map { .init($1.map { Array($0.utf8) }, key: Array($0.utf8)) }
    )
}

extension ReplicationAnswer {
    /// The position of the commit if it was made.
    var committed: ReplicationPosition? { if case .committed(let position) = self { position } else { nil } }

    /// Whether it isn't known if the commit was made.
    var isUnknown: Bool { if case .unknown = self { true } else { false } }
}
#endif
