public import LarderCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension ReplicatedStore {
    /// Writes `value` under `key` with an expiry date, and queues the write for the cluster.
    ///
    /// The date is compared with the clock of the cluster, which every machine carries forward from its last contact; clocks of the machines
    /// have no effect. Reads and expectations treat an expired value as absent. Observers are notified when a machine has removed the
    /// value from the cluster, which happens seconds later.
    ///
    /// - Parameters:
    ///   - value: The value to write, which must not be `.null`.
    ///   - key: The key, which must pass `StoreKey.validate()`.
    ///   - expiry: The expiry date by the clock of the cluster, with millisecond precision.
    /// - Throws: `StoreError` if the write fails, in which case the previous value is kept.
    public func set(_ value: StoredValue, for key: StoreKey, until expiry: Date) throws {
        var batch = StoreBatch()
        batch.set(value, for: key)
        _ = try write(batch, until: ReplicationInstant(expiry)) { try replica.base.commit($0) }
    }

    /// Writes `value` under `key` with an expiry date, and queues the write for the cluster.
    ///
    /// See ``set(_:for:until:)-(StoredValue,_,_)``.
    ///
    /// - Parameters:
    ///   - value: The value to write.
    ///   - key: The key, which must pass `StoreKey.validate()`.
    ///   - expiry: The expiry date by the clock of the cluster, with millisecond precision.
    /// - Throws: `StoreError` if the write fails, in which case the previous value is kept.
    public func set(_ value: some StorableValue, for key: StoreKey, until expiry: Date) throws {
        try set(value.storedValue, for: key, until: expiry)
    }

    /// Writes `value` under `key` with an expiry date, and suspends until the cluster has confirmed the write.
    ///
    /// - Parameters:
    ///   - value: The value to write, which must not be `.null`.
    ///   - key: The key, which must pass `StoreKey.validate()`.
    ///   - expiry: The expiry date by the clock of the cluster, with millisecond precision.
    ///   - deadline: The time within which the call succeeds or fails, by default that of the options.
    /// - Throws: `StoreError`, with code `notConfirmed` if the deadline has passed.
    public func setReplicated(
        _ value: StoredValue,
        for key: StoreKey,
        until expiry: Date,
        within deadline: Duration? = nil
    ) async throws {
        var batch = StoreBatch()
        batch.set(value, for: key)
        _ = try await ReplicatedCommit(
            batch,
            in: self,
            within: deadline ?? options.deadline,
            until: ReplicationInstant(expiry)
        ).run()
    }
}

extension ReplicationInstant {
    /// Creates the instant of a date, with millisecond precision.
    ///
    /// - Parameter date: The date, which is clamped to the range of instants.
    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded(.down)
        self.init(milliseconds: milliseconds < -9e18 ? .min : milliseconds > 9e18 ? .max - 1 : Int64(milliseconds))
    }
}
