package import LarderCore
import Synchronization

/// A test store that can make reads of chosen keys fail, and can report missed commits.
package final class FailingStore: ForwardingStore {
    package let base: any KeyValueStore
    private let hub = StoreChangeHub()
    private let isUnreadable = Mutex<@Sendable (StoreKey) -> Bool>({ _ in false })

    /// Creates a store that forwards all calls to `base` and does not fail initially.
    ///
    /// - Parameter base: The store that contains the values. Observers of this store do not receive commits that are made directly to
    ///   `base`.
    package init(_ base: any KeyValueStore) { self.base = base }

    /// Makes reads of all keys for which `isUnreadable` returns `true` throw an error.
    package func failReading(where isUnreadable: @escaping @Sendable (StoreKey) -> Bool = { _ in true }) {
        self.isUnreadable.withLock { $0 = isUnreadable }
    }

    /// Notifies the store's observers that they have missed one commit.
    package func reportMissedCommit() {
        hub.publishMissed(1)
        hub.deliver()
    }

    package func get(_ key: StoreKey) throws -> StoredValue? {
        if isUnreadable.withLock({ $0 })(key) { throw StoreError(.inputOutput, "A simulated read error occurred.") }
        return try base.get(key)
    }

    package func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        hub.changes(prefix: prefix, buffering: buffering)
    }
    package func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        hub.observe(prefix: prefix, handler)
    }
}
