package import LarderCore
import Synchronization

/// A store that passes everything on to another one, except that some keys can't be read and that it may lose track of commits, as
/// one does that other processes write.
package final class FailingStore: KeyValueStore {
    private let base: any KeyValueStore
    private let hub = StoreChangeHub()
    private let isUnreadable = Mutex<@Sendable (StoreKey) -> Bool>({ _ in false })

    /// A store that fails in nothing yet.
    ///
    /// - Parameter base: What has the values; what is written to it directly is announced to nobody here.
    package init(_ base: any KeyValueStore) { self.base = base }

    /// From now on, reading the keys for which `isUnreadable` says so throws.
    package func failReading(where isUnreadable: @escaping @Sendable (StoreKey) -> Bool = { _ in true }) {
        self.isUnreadable.withLock { $0 = isUnreadable }
    }

    /// Tells observers that a commit was missed.
    package func announceGap() {
        hub.publishMissed(1)
        hub.deliver()
    }

    package var capabilities: StoreCapabilities { base.capabilities }
    package var issues: IssueChannel { base.issues }
    package var inspectionName: String { base.inspectionName }
    package var inspectionKind: String { base.inspectionKind }
    package var revision: UInt64 { get throws { try base.revision } }

    package func get(_ key: StoreKey) throws -> StoredValue? {
        if isUnreadable.withLock({ $0 })(key) { throw StoreError(.inputOutput, "It is unreadable.") }
        return try base.get(key)
    }

    package func entries(prefix: String) throws -> [StoreEntry] { try base.entries(prefix: prefix) }
    @available(*, noasync)
    package func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool {
        try base.commit(batch, durability: durability)
    }
    package func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        try await base.commit(batch, durability: durability)
    }
    package func commit(_ batch: StoreBatch) throws -> Bool { try base.commit(batch) }
    @available(*, noasync)
    package func flush() throws { try base.flush() }
    package func flush() async throws { try await base.flush() }
    package func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        hub.changes(prefix: prefix, buffering: buffering)
    }
    package func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        hub.observe(prefix: prefix, handler)
    }
    package func verify() throws -> StoreVerification { try base.verify() }
}
