import LarderCore
import Synchronization

/// A store that passes everything on to another one and counts the bytes of the values that are written, Larder's own included.
final class CountingStore: KeyValueStore {
    private let base: any KeyValueStore
    private let count = Mutex(0)

    init(_ base: any KeyValueStore) { self.base = base }

    /// The encoded size of all values so far.
    var bytes: Int { count.withLock(\.self) }

    var capabilities: StoreCapabilities { base.capabilities }
    var issues: IssueChannel { base.issues }
    var inspectionName: String { base.inspectionName }
    var inspectionKind: String { base.inspectionKind }
    var revision: UInt64 { get throws { try base.revision } }

    func get(_ key: StoreKey) throws -> StoredValue? { try base.get(key) }
    func entries(prefix: String) throws -> [StoreEntry] { try base.entries(prefix: prefix) }
    @available(*, noasync)
    func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool {
        try counting(batch) { try base.commit(batch, durability: durability) }
    }
    func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        // Nothing in these tests commits so.
        try await base.commit(batch, durability: durability)
    }
    func commit(_ batch: StoreBatch) throws -> Bool { try counting(batch) { try base.commit(batch) } }
    @available(*, noasync)
    func flush() throws { try base.flush() }
    func flush() async throws { try await base.flush() }
    func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        base.changes(prefix: prefix, buffering: buffering)
    }
    func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        base.observe(prefix: prefix, handler)
    }
    func verify() throws -> StoreVerification { try base.verify() }

    private func counting(_ batch: StoreBatch, _ commit: () throws -> Bool) throws -> Bool {
        let size = try batch.writes.reduce(0) { try $0 + ($1.value?.encoded().count ?? 0) }
        guard try commit() else { return false }
        count.withLock { $0 += size }
        return true
    }
}
