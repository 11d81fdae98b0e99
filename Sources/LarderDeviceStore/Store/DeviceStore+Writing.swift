public import Foundation
public import LarderCore
import LarderFiles

extension DeviceStore {
    /// Writes `value` under `key` with `Durability.buffered`, replacing any existing value.
    ///
    /// A write copies the value to memory-mapped pages or makes one system call. Writing an equal value has no effect.
    ///
    /// - Parameters:
    ///   - value: The value to write, which must not be `.null`.
    ///   - key: The key, which must pass `StoreKey.validate()`.
    /// - Throws: `StoreError` if the write fails, in which case the previous value is kept.
    public func set(_ value: StoredValue, for key: StoreKey) throws {
        try checkOpen()
        try engine.enter { entrance in
            _ = try CommitRequest.of(value, for: key, hash: view.hash) { try Commit.run($0, &entrance) }
        }
    }

    /// Writes `value` under `key` with `Durability.buffered`, replacing any existing value.
    ///
    /// Writing an equal value has no effect.
    ///
    /// - Parameters:
    ///   - value: The value to write, which must not be `.null`.
    ///   - key: The full key, which must pass `StoreKey.validate()`.
    /// - Throws: `StoreError` if the write fails, in which case the previous value is kept.
    public func set(_ value: StoredValue, for key: String) throws {
        try checkOpen()
        try engine.enter { entrance in
            _ = try CommitRequest.of(value, for: key, hash: view.hash) { try Commit.run($0, &entrance) }
        }
    }

    /// Removes the value stored under `key`, using `Durability.buffered`.
    ///
    /// Removing a missing key has no effect and writes nothing.
    ///
    /// - Parameter key: The key, which must pass `StoreKey.validate()`.
    /// - Throws: `StoreError` if the removal fails, in which case the value is kept.
    public func remove(_ key: StoreKey) throws {
        try checkOpen()
        try engine.enter { entrance in
            _ = try CommitRequest.of(nil, for: key, hash: view.hash) { try Commit.run($0, &entrance) }
        }
    }

    /// Atomically writes `new` under `key` with `Durability.buffered` if the current value is `expected`.
    ///
    /// - Parameters:
    ///   - key: The key, which must pass `StoreKey.validate()`.
    ///   - expected: The expected current value, or `nil` if the key must be absent.
    ///   - new: The value to write, or `nil` to remove the key.
    /// - Returns: `true` if the write was made, or `false` if the current value differs from `expected`.
    /// - Throws: `StoreError` if the write fails, in which case the value is unchanged.
    public func compareAndSet(_ key: StoreKey, expecting expected: StoredValue?, to new: StoredValue?) throws -> Bool {
        try commit(new, for: key, if: .value(expected, at: key))
    }

    /// Commits all writes of `batch`, or none, and waits until the commit has the given durability.
    ///
    /// - Parameters:
    ///   - batch: The writes, and the expectations that must hold for the writes to be committed.
    ///   - durability: The durability to wait for. Concurrent callers share one sync (group commit).
    /// - Returns: `true` if the batch was committed, or `false` if an expectation did not hold and nothing was changed.
    /// - Throws: `StoreError` if the commit fails. Nothing is changed, unless the error's message says that the commit was made.
    @available(
        *,
        noasync,
        message:
            "This call may block on disk I/O. Use `try await commit(_:durability:)`. At top level, call it in a function."
    )
    public func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool {
        try durability.requireLocal()
        try checkOpen()
        return try engine.enter { entrance in
            let isToBeSynced = durability == .synced
            let number = try batch.withRequest(isToBeSynced: isToBeSynced) { try Commit.run($0, &entrance) }
            guard let number else { return false }
            if isToBeSynced { try Syncing.confirm(number, &entrance) }
            return true
        }
    }

    /// Commits all writes of `batch`, or none, and suspends until the commit has the given durability.
    ///
    /// A buffered commit that does not have to wait is made without switching threads. Any wait for a lock, another process, a compaction
    /// or disk I/O occurs on a thread outside Swift's cooperative pool. Observers' handlers are also called on such threads.
    ///
    /// - Parameters:
    ///   - batch: The writes, and the expectations that must hold for the writes to be committed.
    ///   - durability: The durability to wait for.
    /// - Returns: `true` if the batch was committed, or `false` if an expectation did not hold and nothing was changed.
    /// - Throws: `StoreError` under the same conditions as the blocking variant.
    public func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        try durability.requireLocal()
        try checkOpen()
        let isToBeSynced = durability == .synced
        guard let number = try await Commit.run(batch, isToBeSynced: isToBeSynced, in: engine) else { return false }
        if isToBeSynced { try await Syncing.confirm(number, in: engine) }
        return true
    }

    /// Commits all writes of `batch`, or none, with `Durability.buffered`.
    ///
    /// The batch is written in a single operation.
    ///
    /// - Parameter batch: The writes, and the expectations that must hold for the writes to be committed.
    /// - Returns: `true` if the batch was committed, or `false` if an expectation did not hold and nothing was changed.
    /// - Throws: `StoreError` if the write fails, in which case nothing is changed.
    public func commit(_ batch: StoreBatch) throws -> Bool {
        try checkOpen()
        return try engine.enter { entrance in
            try batch.withRequest(isToBeSynced: false) { try Commit.run($0, &entrance) }
        } != nil
    }

    /// Writes `value` under `key` with an expiry date and `Durability.buffered`.
    ///
    /// Reads compare the expiry date with the wall clock and treat an expired value as absent. A later automatic compaction reclaims its
    /// space. Unlike the variant without expiry, this method writes a value even if it equals the current one.
    ///
    /// - Parameters:
    ///   - value: The value to write, which must not be `.null`.
    ///   - key: The key, which must pass `StoreKey.validate()`.
    ///   - expiry: The expiry date, with millisecond precision.
    /// - Throws: `StoreError` if the write fails, in which case the previous value is kept.
    public func set(_ value: StoredValue, for key: StoreKey, until expiry: Date) throws {
        try checkOpen()
        try engine.enter { entrance in
            _ = try CommitRequest.of(value, for: key, hash: view.hash) { request in
                request.expiry = expiry.millisecondsSince1970
                try Commit.run(request, &entrance)
            }
        }
    }

    /// Writes `value` under `key` with an expiry date and `Durability.buffered`.
    ///
    /// See ``set(_:for:until:)-(StoredValue,_,_)``.
    ///
    /// - Parameters:
    ///   - value: The value to write.
    ///   - key: The key, which must pass `StoreKey.validate()`.
    ///   - expiry: The expiry date, with millisecond precision.
    /// - Throws: `StoreError` if the write fails, in which case the previous value is kept.
    public func set(_ value: some StorableValue, for key: StoreKey, until expiry: Date) throws {
        try set(value.storedValue, for: key, until: expiry)
    }

    /// Writes `value` under `key` with an expiry date and `Durability.buffered`.
    ///
    /// See ``set(_:for:until:)-(StoredValue,_,_)``.
    ///
    /// - Parameters:
    ///   - value: The value to write.
    ///   - key: The full key.
    ///   - expiry: The expiry date, with millisecond precision.
    /// - Throws: `StoreError` if the write fails, in which case the previous value is kept.
    public func set(_ value: some StorableValue, for key: String, until expiry: Date) throws {
        try set(value.storedValue, for: StoreKey(key), until: expiry)
    }

    /// Syncs all earlier commits to disk, and blocks the current thread until the commits are durable.
    ///
    /// - Throws: `StoreError` if the sync failed. The code is `damaged` if another program has truncated or overwritten the file, so that
    ///   it is shorter than the commits, has a different header, or lacks the last commit. The values in memory remain readable, but
    ///   nothing more can be written until the store is reopened.
    @available(
        *,
        noasync,
        message: "This call blocks on disk I/O. Use `try await flush()`. At top level, call it in a function."
    )
    public func flush() throws {
        try checkOpen()
        try engine.enter { try Syncing.flushAndMark(&$0) }
    }

    /// Syncs all earlier commits to disk, and suspends until the commits are durable.
    ///
    /// - Throws: `StoreError` under the same conditions as the blocking variant.
    public func flush() async throws {
        try checkOpen()
        try await Syncing.flushAndMark(in: engine)
    }
}

// Conditional writes of a single value, which need no batch.
extension DeviceStore {
    func commit(
        _ value: StoredValue?,
        for key: StoreKey,
        if expectation: StoreBatch.Expectation,
        isFresh: Bool = false
    ) throws -> Bool {
        try checkOpen()
        return try engine.enter { entrance in
            try CommitRequest.of(value, for: key, if: expectation, isFresh: isFresh, hash: view.hash) {
                try Commit.run($0, &entrance)
            }
        } != nil
    }
}

extension Date {
    /// The number of milliseconds since 1970, clamped to less than `Int64.max`, which is reserved for values that never expire.
    fileprivate var millisecondsSince1970: Int64 {
        let milliseconds = timeIntervalSince1970 * 1000
        guard milliseconds > -9e18 else { return .min }
        guard milliseconds < 9e18 else { return .max - 1 }
        return Int64(milliseconds.rounded(.down))
    }
}
