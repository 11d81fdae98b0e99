public import LarderCore

extension ReplicatedStore {
    /// Commits all writes of `batch` to the replica and queues them for the cluster, and blocks until the commit has the given durability.
    ///
    /// - Parameters:
    ///   - batch: The writes, and the expectations that must hold.
    ///   - durability: The durability to wait for. With `.replicated`, see the suspending form.
    /// - Returns: `true` if the batch was committed, which is provisional except with `.replicated`, or `false` if an expectation did not hold.
    /// - Throws: `StoreError` if the commit fails. Nothing is changed, unless the error says that the commit was made or may have been made.
    @available(
        *,
        noasync,
        message:
            "This call may block on disk I/O. Use `try await commit(_:durability:)`. At top level, call it in a function."
    )
    public func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool {
        if durability == .replicated {
            return try BlockedCall.run { try await self.commit(batch, durability: durability) }
        }
        return try write(batch) { try replica.base.commit($0, durability: durability) }
    }

    /// Commits all writes of `batch`, and suspends until the commit has the given durability.
    ///
    /// With `.replicated`, the commit is sent after the pending commits of this replica, and is made in the cluster or not at all. It is
    /// visible here when the call returns, and not before the cluster has confirmed it.
    ///
    /// - Parameters:
    ///   - batch: The writes, and the expectations that must hold.
    ///   - durability: The durability to wait for.
    /// - Returns: `true` if the batch was committed, which is provisional except with `.replicated`, or `false` if an expectation did not hold.
    /// - Throws: `StoreError` if the commit fails. With `.replicated`, the code is `notConfirmed` if the deadline of the options has passed,
    ///   and the message says whether the commit may have been made.
    public func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        if durability == .replicated { return try await commitReplicated(batch, within: options.deadline) }
        var write = try LocalWrite(batch, in: self)
        while let attempt = try write.next() {
            if try await replica.base.commit(attempt, durability: durability) {
                wakeup.signal()
                return true
            }
            if try write.isRefused() { return false }
        }
        return false
    }

    /// Commits all writes of `batch` to the replica, and queues them for the cluster.
    ///
    /// - Parameter batch: The writes, and the expectations that must hold in what reads see.
    /// - Returns: `true` if the batch was committed, which is provisional until the cluster has confirmed it, or `false` if an expectation
    ///   did not hold.
    /// - Throws: `StoreError` if the commit fails, with code `queueFull`, `batchTooLarge` or `unsupportedKey`, or that of the replica. A
    ///   failed commit changes nothing.
    public func commit(_ batch: StoreBatch) throws -> Bool { try write(batch) { try replica.base.commit($0) } }

    /// Checks that the replica and the cluster accept `value` under `key`.
    ///
    /// - Parameters:
    ///   - value: The value to be written.
    ///   - key: The key under which to write the value.
    /// - Throws: The `StoreError` that a commit would throw.
    public func validate(_ value: StoredValue, for key: StoreKey) throws {
        try base.validate(value, for: key)
        var batch = StoreBatch()
        batch.set(value, for: key)
        let (writes, keys) = try ReplicationCommit.writes(of: batch)
        let commit = ReplicationCommit(
            identifiers: [.init(session: 0, number: 0)],
            drawn: nil,
            writes: writes
        )
        try commit.check(engine.limits, keys)
    }

    /// Queues a batch, whose values may all expire at one instant.
    func write(
        _ batch: StoreBatch,
        until expiry: ReplicationInstant? = nil,
        _ commit: (StoreBatch) throws -> Bool
    ) throws -> Bool {
        var write = try LocalWrite(batch, in: self, until: expiry)
        while let attempt = try write.next() {
            if try commit(attempt) {
                if expiry != nil { try expiries.refresh(from: replica) }
                wakeup.signal()
                return true
            }
            if try write.isRefused() { return false }
        }
        return false
    }
}
