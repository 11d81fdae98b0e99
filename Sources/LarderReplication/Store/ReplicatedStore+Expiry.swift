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
    /// value from the cluster, which happens seconds later, or later in a store with very many entries.
    ///
    /// A date that a program computes from the clock of its machine is wrong by the error of that clock. To state a duration, call
    /// ``set(_:for:expiringAfter:)-(StoredValue,_,_)``.
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
            expiry: .at(ReplicationInstant(expiry))
        ).run()
    }

    // MARK: - Durations

    /// Writes `value` under `key`, to expire after a duration by the clock of the cluster, and queues the write for the cluster.
    ///
    /// The duration begins now, at the time of the cluster that this machine carries forward from its last contact. So the clock of this machine
    /// plays no part, except before its first contact. Otherwise, the call does what ``set(_:for:until:)-(StoredValue,_,_)`` does.
    ///
    /// - Parameters:
    ///   - value: The value to write, which must not be `.null`.
    ///   - key: The key, which must pass `StoreKey.validate()`.
    ///   - duration: The time after which the value expires, with millisecond precision.
    /// - Throws: `StoreError` if the write fails, in which case the previous value is kept.
    public func set(_ value: StoredValue, for key: StoreKey, expiringAfter duration: Duration) throws {
        var batch = StoreBatch()
        batch.set(value, for: key)
        // Another process may have heard the cluster later.
        if let cursor = try replica.cursor() { clock.restore(cursor) }
        _ = try write(batch, until: clock.now.advanced(by: duration)) { try replica.base.commit($0) }
    }

    /// Writes `value` under `key`, to expire after a duration by the clock of the cluster, and queues the write for the cluster.
    ///
    /// See ``set(_:for:expiringAfter:)-(StoredValue,_,_)``.
    ///
    /// - Parameters:
    ///   - value: The value to write.
    ///   - key: The key, which must pass `StoreKey.validate()`.
    ///   - duration: The time after which the value expires, with millisecond precision.
    /// - Throws: `StoreError` if the write fails, in which case the previous value is kept.
    public func set(_ value: some StorableValue, for key: StoreKey, expiringAfter duration: Duration) throws {
        try set(value.storedValue, for: key, expiringAfter: duration)
    }

    /// Writes `value` under `key`, to expire after a duration by the clock of the cluster, and suspends until the cluster has confirmed the write.
    ///
    /// The duration begins when the write is sent to the cluster. The clock of this machine plays no part.
    ///
    /// - Parameters:
    ///   - value: The value to write, which must not be `.null`.
    ///   - key: The key, which must pass `StoreKey.validate()`.
    ///   - duration: The time after which the value expires, with millisecond precision.
    ///   - deadline: The time within which the call succeeds or fails, by default that of the options.
    /// - Throws: `StoreError`, with code `notConfirmed` if the deadline has passed.
    public func setReplicated(
        _ value: StoredValue,
        for key: StoreKey,
        expiringAfter duration: Duration,
        within deadline: Duration? = nil
    ) async throws {
        var batch = StoreBatch()
        batch.set(value, for: key)
        _ = try await ReplicatedCommit(
            batch,
            in: self,
            within: deadline ?? options.deadline,
            expiry: .after(duration)
        ).run()
    }
}

extension ReplicationInstant {
    /// Returns the instant after a duration, with millisecond precision, clamped to the range of instants.
    func advanced(by duration: Duration) -> ReplicationInstant {
        let (seconds, attoseconds) = duration.components
        let (thousands, isTooLarge) = seconds.multipliedReportingOverflow(by: 1000)
        guard !isTooLarge else { return ReplicationInstant(milliseconds: seconds < 0 ? .min : .max - 1) }
        let (sum, isOutside) = milliseconds.addingReportingOverflow(thousands)
        guard !isOutside, sum < .max - 1_000, sum > .min + 1_000 else {
            return ReplicationInstant(milliseconds: thousands < 0 ? .min : .max - 1)
        }
        return ReplicationInstant(milliseconds: sum + attoseconds / 1_000_000_000_000_000)
    }

    /// Creates the instant of a date, with millisecond precision.
    ///
    /// - Parameter date: The date, which is clamped to the range of instants.
    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded(.down)
        self.init(milliseconds: milliseconds < -9e18 ? .min : milliseconds > 9e18 ? .max - 1 : Int64(milliseconds))
    }
}
