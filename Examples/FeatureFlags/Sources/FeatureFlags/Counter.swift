import LarderCore
import LarderReplication

/// A counter of one instance, for the demo that kills an instance while it writes.
package struct Counter: Sendable {
    private let store: ReplicatedStore
    private let key: StoreKey

    package init(_ store: ReplicatedStore, instance: String) {
        self.store = store
        key = StoreKey("count.\(instance)")
    }

    /// Increments the counter, and returns the new number when it is durable on this machine.
    package func increment() throws -> Int {
        try store.transaction { transaction in
            let next = (try transaction.value(Int.self, for: key) ?? 0) + 1
            try transaction.set(next, for: key)
            return next
        }
    }
}
