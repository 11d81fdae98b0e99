public import LarderCore
public import LarderDeviceStore
import Synchronization

/// A store that several machines share: a local replica of the state of a cluster.
///
/// ```swift
/// let store = try ReplicatedStore(replica: DeviceStore(path: "flags.larder"), engine: engine)
/// try await withThrowingDiscardingTaskGroup { group in
///     group.addTask { await store.run() }
///     try store.set(true, for: "newCheckout")                                 // durable here, queued for the cluster
///     try await store.set(true, for: "newCheckout", durability: .replicated)  // confirmed by the cluster
/// }
/// ```
///
/// Reads are local. They see the commits of the cluster up to a position, and the pending writes of this replica on top of them;
/// ``confirmed`` reads without the pending writes. Writes are durable in the replica when they return, and are sent to the cluster in order
/// while ``run()`` is running in one of the processes that have the replica open. `Documentation/Formats/replication-v1.md` states the
/// promises.
///
/// **Conflicts.** An expectation is judged here at first, and by the cluster when the commit reaches it. A commit that the cluster refuses
/// is rolled back, together with later ones that stood on it. Observers receive the rollback with the origin `cluster`, and ``rejected()``
/// lists the commits. What needs certainty uses `Durability.replicated` or ``clusterTransaction(within:attempts:_:)``.
///
/// If values expire, a page of `entries(after:prefix:limit:)` may consist of several reads, so that commits may lie between its entries.
public final class ReplicatedStore: KeyValueStore {
    let replica: Replica
    /// The store of the replica if it is a device store, whose values are read without dynamic dispatch.
    private let device: DeviceStore?
    let engine: any ReplicationEngine
    let options: ReplicatedStoreOptions
    let identifiers: IdentifierSource
    let clock: EngineClock
    let expiries: Expiries
    let state = Mutex(ReplicationState())
    let wakeup = Signal()
    let gate = WriteGate()
    let metrics: ReplicationMetrics
    let log: ReplicationLog
    let replicator: Replicator
    let lock: ReplicaLock

    /// Creates a store on a replica in a file.
    ///
    /// The engine is not called before ``run()``, so a machine can start without a connection.
    ///
    /// - Parameters:
    ///   - replica: The store for the replica, which must contain nothing else. A file with the suffix `.replicating` is created beside it.
    ///   - engine: The connection to the cluster.
    ///   - options: The options of the store.
    /// - Throws: `StoreError` if the replica can't be read, was written by a newer version, or is corrupt. The code is
    ///   `invalidConfiguration` if the store has entries that no replicated store has written, which the cluster would replace.
    public convenience init(
        replica: DeviceStore,
        engine: any ReplicationEngine,
        options: ReplicatedStoreOptions = ReplicatedStoreOptions()
    ) throws {
        try self.init(base: replica, lock: .file(replica.path + ".replicating"), engine: engine, options: options)
    }

    /// Creates a store on a replica of any kind, for tests and previews.
    ///
    /// - Parameters:
    ///   - replica: The store for the replica, which only this instance may have open.
    ///   - engine: The connection to the cluster.
    ///   - options: The options of the store.
    /// - Throws: `StoreError` if the replica can't be read.
    public convenience init(
        unshared replica: any KeyValueStore,
        engine: any ReplicationEngine,
        options: ReplicatedStoreOptions = ReplicatedStoreOptions()
    ) throws {
        try self.init(base: replica, lock: .none, engine: engine, options: options)
    }

    package init(
        base: any KeyValueStore,
        lock: ReplicaLock,
        engine: any ReplicationEngine,
        options: ReplicatedStoreOptions
    ) throws {
        replica = Replica(base: base)
        device = base as? DeviceStore
        self.engine = engine
        self.options = options
        self.lock = lock
        identifiers = IdentifierSource(session: options.environment.session())
        clock = EngineClock(options.environment.time)
        expiries = Expiries(clock)
        metrics = ReplicationMetrics(store: base.inspectionName)
        log = ReplicationLog(replica: base.inspectionName, engine: engine.name)
        try replica.checkOrigin()
        if let cursor = try replica.cursor() { clock.restore(cursor) }
        try expiries.refresh(from: replica)
        replicator = Replicator(
            replica: replica,
            engine: engine,
            expiries: expiries,
            identifiers: identifiers,
            pageLimit: options.environment.pageLimit,
            newReplica: options.environment.replica,
            gate: options.environment.interruptsCalls ? gate : nil,
            maximumRejected: options.maximumRejected,
            log: log
        )
    }

    /// The store that holds the replica.
    public var base: any KeyValueStore { replica.base }

    /// The confirmed values, without pending writes.
    public var confirmed: ConfirmedValues { ConfirmedValues(replica: replica, expiries: expiries) }

    /// The capabilities of the replica, and the limits of the cluster.
    public var capabilities: StoreCapabilities {
        var capabilities = base.capabilities
        capabilities.replicates = true
        capabilities.limits = engine.limits
        capabilities.limitations.append(
            "A commit that is not replicated may be rolled back after the cluster has judged it."
        )
        return capabilities
    }
    /// The issue channel of the replica.
    public var issues: IssueChannel { base.issues }
    /// The name of the replica.
    public var inspectionName: String { base.inspectionName }
    /// The kind of the store for inspection tools, which is "replicated" followed by the kind of the replica.
    public var inspectionKind: String { "replicated \(base.inspectionKind)" }

    /// A number that changes whenever a commit may have changed a value.
    ///
    /// The number does not change when a value expires, until a machine has removed the value from the cluster.
    public var revision: UInt64 {
        get throws {
            // Both counters only grow, so the sum is the same only if both are, although they are read one after the other.
            UInt64(bitPattern: try replica.counters().next &+ replica.visible())
        }
    }

    /// Returns the value under `key`, or `nil` if there is no value.
    ///
    /// - Parameter key: A key that passes `StoreKey.validate()`.
    /// - Returns: The value, including pending writes of this replica.
    /// - Throws: `StoreError` if the replica can't be read.
    public func get(_ key: StoreKey) throws -> StoredValue? {
        let value = if let device { try device.get(key) } else { try base.get(key) }
        return value != nil && expiries.isDue ? try unexpired(key) : value
    }

    /// Returns the value under `key`, or `nil` if there is no value.
    ///
    /// - Parameter key: A key that passes `StoreKey.validate()`.
    /// - Returns: The value, including pending writes of this replica.
    /// - Throws: `StoreError` if the replica can't be read.
    public func get(_ key: String) throws -> StoredValue? {
        let value = if let device { try device.get(key) } else { try base.get(key) }
        return value != nil && expiries.isDue ? try unexpired(StoreKey(key)) : value
    }

    /// Returns the entries whose keys begin with exactly the bytes of `prefix`, sorted by key bytes.
    ///
    /// - Parameter prefix: The prefix of the keys to list. An empty string lists all keys.
    /// - Returns: A consistent snapshot of the entries, including pending writes of this replica.
    /// - Throws: `StoreError` if the replica can't be read.
    public func entries(prefix: String) throws -> [StoreEntry] {
        guard expiries.isDue else { return try base.entries(prefix: prefix) }
        // The listing is consistent. An entry that was renewed since then is shown, or hidden, as it was or as it is.
        return try base.entries(prefix: prefix).filter { try !isExpired(StoreKey($0.key)) }
    }

    /// Makes all earlier commits durable in the replica, and blocks until they are synced to disk.
    ///
    /// - Throws: `StoreError` if the commits could not be synced to disk.
    @available(
        *,
        noasync,
        message: "This call blocks on disk I/O. Use `try await flush()`. At top level, call it in a function."
    )
    public func flush() throws { try base.flush() }

    /// Makes all earlier commits durable in the replica, and suspends until they are synced to disk.
    ///
    /// - Throws: `StoreError` if the commits could not be synced to disk.
    public func flush() async throws { try await base.flush() }

    /// Returns a sequence of the changes that later commits make to what reads see, in order.
    ///
    /// Changes of the cluster, and rollbacks, have the origin `cluster`. Commits of the cluster that are applied together are one change.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the keys to observe, compared bytewise.
    ///   - buffering: The policy for changes that the reader has not read yet.
    /// - Returns: A sequence for a single reader.
    public func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        base.changes(prefix: prefix, buffering: buffering)
    }

    /// Calls `handler` for every later commit that changes what reads see, in order, one call at a time.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the keys to observe, compared bytewise.
    ///   - handler: A closure that is called while no lock is held. It must not block until a `.replicated` commit is confirmed, because
    ///     no further commits of the cluster are applied meanwhile.
    /// - Returns: The observation, which ends when it is canceled or released.
    public func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        base.observe(prefix: prefix, handler)
    }

    /// Reads and checks the replica, including the queue of pending commits.
    ///
    /// - Returns: The number of checked entries and all problems found.
    /// - Throws: `StoreError` if the check could not be carried out.
    public func verify() throws -> StoreVerification { try runVerification { _ in } }
}

/// The source of the identifiers of one instance's commits.
struct IdentifierSource: Sendable {
    private final class Counter: Sendable {
        let value = Atomic<UInt64>(0)
    }

    /// The random part, which no other instance has, not even one on a copy of the replica.
    let session: UInt64
    private let counter = Counter()

    init(session: UInt64) { self.session = session }

    func next() -> ReplicationCommit.Identifier {
        .init(session: session, number: counter.value.wrappingAdd(1, ordering: .relaxed).newValue)
    }
}
