import Foundation
import LarderCore

/// A lease that allows only one outbox object at a time, across all processes, to send an outbox's writes.
///
/// The lease is an expiring record in the store, so a killed sender blocks other senders only for a short time. Expiry is based on the wall
/// clock, the only clock that processes share. A lease that begins in the future is invalid, because the clock has been set back.
struct OutboxLease: Sendable {
    let store: any KeyValueStore
    let key: StoreKey
    /// The identifier of the outbox object that acquires the lease.
    let owner: String
    /// The lifetime of the lease after it is acquired or renewed.
    let length: Duration
    let time: any TimeSource

    private struct Held {
        let owner: String
        let taken: Date
        let milliseconds: Int64

        /// Returns the remaining lifetime of the lease, which is zero or negative if the lease has expired.
        func remaining(at now: Date) -> Duration {
            guard taken <= now else { return .zero }
            return .milliseconds(milliseconds) - .seconds(now.timeIntervalSince(taken))
        }
    }

    /// Acquires the lease, or renews it if this owner already holds it.
    ///
    /// - Returns: `nil` if this owner now holds the lease, otherwise the remaining lifetime of another owner's lease.
    /// - Throws: `StoreError`, or `CoreError.DataSerialization` if a later version wrote the lease. After an error, the stored lease is
    ///   unchanged.
    func acquire() throws -> Duration? {
        let (seconds, attoseconds) = length.components
        while true {
            let stored = try store.get(key)
            let now = time.now
            if let held = try held(stored), held.owner != owner {
                let remaining = held.remaining(at: now)
                if remaining > .zero { return remaining }
            }
            let taken = StoredValue.array([
                .string(owner), .date(now), .int(seconds * 1_000 + attoseconds / 1_000_000_000_000_000),
            ])
            if try store.compareAndSet(key, expecting: stored, to: taken) { return nil }
        }
    }

    /// Releases the lease if this owner holds it.
    func release() throws {
        let stored = try store.get(key)
        guard let held = try held(stored), held.owner == owner else { return }
        // If another owner has acquired the lease in the meantime, there is nothing to release.
        _ = try store.compareAndSet(key, expecting: stored, to: nil)
    }

    private func held(_ stored: StoredValue?) throws -> Held? {
        guard let stored else { return nil }
        guard case .array(let parts) = stored, parts.count == 3, case .string(let owner) = parts[0],
            case .date(let taken) = parts[1], case .int(let milliseconds) = parts[2]
        else {
            throw CoreError.DataSerialization(
                "Nothing was changed because the outbox lease \(key) has an unknown format. Update Larder if a later version wrote the lease, or remove this key from the store."
            )
        }
        return Held(owner: owner, taken: taken, milliseconds: milliseconds)
    }
}
