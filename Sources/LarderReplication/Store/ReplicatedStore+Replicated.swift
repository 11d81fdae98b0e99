public import LarderCore

extension ReplicatedStore {
    /// Commits all writes of `batch` with `Durability.replicated`, within a deadline of this call.
    ///
    /// - Parameters:
    ///   - batch: The writes, and the expectations that must hold in the cluster.
    ///   - deadline: The time within which the call succeeds or fails.
    /// - Returns: `true` if the cluster has made the commit and it has been applied here, or `false` if an expectation did not hold.
    /// - Throws: `StoreError`, with code `notConfirmed` if the deadline has passed. The message says whether the commit may have been made.
    public func commitReplicated(_ batch: StoreBatch, within deadline: Duration) async throws -> Bool {
        try await ReplicatedCommit(batch, in: self, within: deadline).run()
    }

    /// Changes several keys in one commit of the cluster, based on values of the cluster, and suspends until it is applied here.
    ///
    /// ```swift
    /// let n = try await store.clusterTransaction { transaction in
    ///     let n = try transaction.value(Int.self, for: "n") ?? 0
    ///     try transaction.set(n + 1, for: "n")
    ///     return n
    /// }
    /// ```
    ///
    /// The call waits until the pending commits of this replica have been confirmed or rejected. `body` reads confirmed values, and is called
    /// again after a conflict with another machine.
    ///
    /// - Parameters:
    ///   - deadline: The time within which each attempt succeeds or fails, by default that of the options.
    ///   - attempts: The maximum number of times that `body` runs.
    ///   - body: A closure that reads and writes through the transaction. If `body` throws, nothing is written.
    /// - Returns: The result of `body` in the attempt that was committed.
    /// - Throws: `StoreError` with code `notConfirmed` if an attempt has not been confirmed in time, or `conflict` if no attempt succeeded;
    ///   the error that `body` throws.
    nonisolated(nonsending)
        public func clusterTransaction<Result>(
            within deadline: Duration? = nil,
            attempts: Int = StoreTransaction.defaultAttempts,
            _ body: (inout StoreTransaction) throws -> Result
        ) async throws -> Result
    {
        let deadline = deadline ?? options.deadline
        try await ReplicatedCommit(StoreBatch(), in: self, within: deadline).waitForPendingCommits()
        return try await ClusterView(store: self, deadline: deadline)
            .transaction(durability: .replicated, attempts: attempts, body)
    }
}

/// The confirmed values of a replicated store as a store, whose commits are replicated.
private struct ClusterView: KeyValueStore {
    let store: ReplicatedStore
    let deadline: Duration

    var capabilities: StoreCapabilities { store.capabilities }
    var issues: IssueChannel { store.issues }
    var inspectionName: String { store.inspectionName }
    var inspectionKind: String { store.inspectionKind }
    var revision: UInt64 {
        get throws {
            let counters = try store.replica.counters()
            return UInt64(bitPattern: counters.next &+ counters.turn)
        }
    }

    func get(_ key: StoreKey) throws -> StoredValue? { try store.confirmed.get(key) }
    func entries(prefix: String) throws -> [StoreEntry] { try store.confirmed.entries(prefix: prefix) }

    @available(*, noasync)
    func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool { try commit(batch) }

    func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        try await store.commitReplicated(batch, within: deadline)
    }

    func commit(_ batch: StoreBatch) throws -> Bool {
        try BlockedCall.run { try await store.commitReplicated(batch, within: deadline) }
    }

    @available(*, noasync)
    func flush() throws { try store.flush() }
    func flush() async throws { try await store.flush() }
    func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        store.changes(prefix: prefix, buffering: buffering)
    }
    func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        store.observe(prefix: prefix, handler)
    }
    func verify() throws -> StoreVerification { try store.verify() }
}
