import LarderCore
import Synchronization

/// What is known in memory about the expiry of entries, so that reads look for it only when something may have expired.
final class Expiries: Sendable {
    /// Held while the bound is read, so that an earlier reading never replaces a later one.
    private let refreshing = Mutex(())
    /// No entry expires before this time, in milliseconds since 1970 by the engine's clock.
    private let earliest = Atomic<Int64>(.max)
    let clock: EngineClock

    init(_ clock: EngineClock) { self.clock = clock }

    /// The engine's time now, carried forward from when the engine was last heard.
    var now: ReplicationInstant { clock.now }

    /// Whether an entry may have expired.
    var isDue: Bool {
        let earliest = earliest.load(ordering: .relaxed)
        return earliest != .max && earliest <= now.milliseconds
    }

    /// Whether an entry may have expired for at least a number of milliseconds.
    func isDue(since milliseconds: Int64) -> Bool {
        let earliest = earliest.load(ordering: .relaxed)
        return earliest != .max && earliest <= now.milliseconds - milliseconds
    }

    /// Reads the bound that all processes share.
    func refresh(from replica: Replica) throws {
        try refreshing.withLock { _ in
            earliest.store(try replica.earliestExpiry()?.milliseconds ?? .max, ordering: .relaxed)
        }
    }
}

extension Replica {
    /// The instant before which no entry expires, or `nil` if no entry expires.
    func earliestExpiry() throws -> ReplicationInstant? { try instant(ReplicaKeys.earliest) }

    /// The instant at which the visible value under `key` expires, or `nil` if it never expires.
    func expiry(of key: StoreKey) throws -> ReplicationInstant? { try instant(ReplicaKeys.expiry(key)) }

    /// Adds the new expiry of each key that a local commit writes, which is `nil` if the value never expires.
    ///
    /// The batch must expect the counters to be unchanged.
    func note(_ expiries: [(key: StoreKey, expiry: ReplicationInstant?)], in batch: inout StoreBatch) throws {
        let earliest = try earliestExpiry()
        for (key, expiry) in expiries {
            if let expiry {
                batch.set(.int(expiry.milliseconds), for: ReplicaKeys.expiry(key))
            } else if earliest != nil {
                batch.remove(ReplicaKeys.expiry(key))
            }
        }
        guard let first = expiries.compactMap(\.expiry).min(), earliest.map({ first < $0 }) ?? true else { return }
        batch.set(.int(first.milliseconds), for: ReplicaKeys.earliest)
    }
}

extension ReplicatedStore {
    /// Returns whether the value under `key` has expired by the engine's time.
    func isExpired(_ key: StoreKey) throws -> Bool {
        guard let expiry = try replica.expiry(of: key) else { return false }
        return expiry <= expiries.now
    }

    /// Returns the value under `key` when some entry may have expired.
    func unexpired(_ key: StoreKey) throws -> StoredValue? {
        try replica.consistently {
            guard let value = try replica.base.get(key), try !isExpired(key) else { return nil }
            return value
        }
    }
}
