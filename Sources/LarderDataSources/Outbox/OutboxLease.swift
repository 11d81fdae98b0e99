import Foundation
import LarderCore

/// Which object may send what waits in an outbox now: one among all objects and processes that have the store.
///
/// It lies in the store and ends by itself, so that one whose process was killed stands in nobody's way for long. Time is the wall
/// clock, the only one that processes share; a lease from the future counts as ended, because the clock was set back.
struct OutboxLease: Sendable {
    let store: any KeyValueStore
    let key: StoreKey
    /// Who asks.
    let owner: String
    /// How long it holds without being renewed.
    let length: Duration
    let time: any TimeSource

    private struct Held {
        let owner: String
        let taken: Date
        let milliseconds: Int64

        /// How long it still holds; zero or less when it has ended.
        func remaining(at now: Date) -> Duration {
            guard taken <= now else { return .zero }
            return .milliseconds(milliseconds) - .seconds(now.timeIntervalSince(taken))
        }
    }

    /// Takes the lease, or renews it.
    ///
    /// - Returns: `nil` when it is the owner's now, and else how much longer another's holds unless it is renewed.
    /// - Throws: `StoreError`, or `CoreError.DataSerialization` for a lease of a later version; nothing was changed.
    func take() throws -> Duration? {
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

    /// Gives the lease back, if it is the owner's.
    func giveBack() throws {
        let stored = try store.get(key)
        guard let held = try held(stored), held.owner == owner else { return }
        // When another has taken it meanwhile there is nothing to give back.
        _ = try store.compareAndSet(key, expecting: stored, to: nil)
    }

    private func held(_ stored: StoredValue?) throws -> Held? {
        guard let stored else { return nil }
        guard case .array(let parts) = stored, parts.count == 3, case .string(let owner) = parts[0],
            case .date(let taken) = parts[1], case .int(let milliseconds) = parts[2]
        else {
            throw CoreError.DataSerialization("The lease \(key) is of a later version or damaged: nothing was changed.")
        }
        return Held(owner: owner, taken: taken, milliseconds: milliseconds)
    }
}
