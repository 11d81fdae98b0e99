import LarderCore
import LarderReplication
import LarderStores
import Synchronization

#if Postgres
import LarderPostgres
#endif

/// A store in a cluster that a command reads and writes without a replica on disk.
///
/// Reading one value reads nothing else, if the engine can do that. Everything else first reads all entries into memory. A write is made in
/// the cluster when the call returns.
final class ClusterStore: TransparentStore {
    /// The time within which the cluster must answer, also for each write.
    @TaskLocal static var deadline = Duration.seconds(30)

    private let store: ReplicatedStore
    private let engine: any ReplicationEngine
    private let isLoaded = Mutex(false)
    private let replication = Mutex<Task<Void, Never>?>(nil)

    /// Connects to the cluster, and reads all entries of the store unless the engine can read single ones.
    ///
    /// - Parameters:
    ///   - address: The address of the store.
    ///   - missing: Whether to create the store if the cluster does not have it.
    /// - Throws: ``CommandFailure`` or the error of the engine, if the entries can't be read.
    init(_ address: ClusterAddress, _ missing: ClusterConnection.MissingStore) throws {
        let engine = try ClusterConnection.connect(address, missing)
        var options = ReplicatedStoreOptions()
        let deadline = Self.deadline
        options.deadline = deadline
        options.environment.replica = { .ofCommands }
        let store = try ReplicatedStore(unshared: MemoryStore(name: engine.name), engine: engine, options: options)
        self.engine = engine
        self.store = store
        #if Postgres
        // Only reading the entries creates a store that is missing.
        if engine is PostgresEngine, missing == .isAnError { return }
        #endif
        _ = try loaded()
    }

    deinit { replication.withLock { $0?.cancel() } }

    /// Returns the store in memory, after reading all entries of the cluster into it.
    private func loaded() throws -> ReplicatedStore {
        try isLoaded.withLock { isLoaded in
            guard !isLoaded else { return }
            let store = store
            // A snapshot, and not the history after it: only a replica that lasts should count as one that the history is kept for.
            _ = try wait(within: Self.deadline) { try await store.pull() }
            isLoaded = true
        }
        return store
    }

    private func wait<Value: Sendable>(
        within deadline: Duration,
        _ work: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        try BlockedTask.run(within: deadline, orThrow: { .noAnswer(engine.name, within: deadline) }, work)
    }

    /// Follows the cluster from now on, which writes and observers need.
    private func follow() {
        // If the entries can't be read now, they arrive as changes.
        _ = try? loaded()
        let store = store
        replication.withLock { task in
            if task == nil { task = Task.detached { await store.run() } }
        }
    }

    var capabilities: StoreCapabilities {
        StoreCapabilities(
            survivesProcess: true,
            hasCrashAtomicTransactions: true,
            isSharedBetweenProcesses: true,
            replicates: true,
            limits: engine.limits,
            limitations: ["Commands that need more than one value read all entries of the store."]
        )
    }
    var issues: IssueChannel { store.issues }
    var wrappedStore: any KeyValueStore {
        // If the entries can't be read now, they arrive as changes.
        _ = try? loaded()
        return store
    }
    var inspectionName: String { engine.name }
    var inspectionKind: String { "cluster" }
    var revision: UInt64 { get throws { try loaded().revision } }

    func get(_ key: StoreKey) throws -> StoredValue? {
        #if Postgres
        if let engine = engine as? PostgresEngine, !isLoaded.withLock(\.self) {
            let bytes = Array(key.text.utf8)
            return try wait(within: Self.deadline) { try await engine.value(under: bytes) }
                .map { try StoredValue(decoding: $0) }
        }
        #endif
        return try loaded().get(key)
    }

    func entries(prefix: String) throws -> [StoreEntry] { try loaded().entries(prefix: prefix) }

    @available(
        *,
        noasync,
        message: "Call `try await commit(_:durability:)` in asynchronous code. At top level, call it in a function."
    )
    func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool { try commit(batch) }

    func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        follow()
        return try await store.commit(batch, durability: .replicated)
    }

    func commit(_ batch: StoreBatch) throws -> Bool {
        follow()
        let store = store
        return try BlockedTask.run { try await store.commit(batch, durability: .replicated) }
    }

    func validate(_ value: StoredValue, for key: StoreKey) throws { try store.validate(value, for: key) }

    // Every commit is confirmed by the cluster before it returns.
    @available(
        *,
        noasync,
        message: "Call `try await flush()` in asynchronous code. At top level, call it in a function."
    )
    func flush() throws {}
    func flush() async throws {}

    func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        follow()
        return store.changes(prefix: prefix, buffering: buffering)
    }

    func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        let observation = store.observe(prefix: prefix, handler)
        follow()
        return observation
    }

    func verify() throws -> StoreVerification { try loaded().verify() }
}

extension CommandFailure {
    /// Creates a failure for a cluster that has not answered in time.
    static func noAnswer(_ name: String, within limit: Duration) -> CommandFailure {
        .storage("The cluster at \(name) has not answered within \(limit). Check the address and the connection.")
    }
}
