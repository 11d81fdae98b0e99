#if Encryption
import LarderCore
import Synchronization

/// A store that lets a number of calls reach the one beneath and refuses all others, as if the process had been killed there.
final class InterruptedStore: KeyValueStore {
    struct Killed: Error {}

    let base: any KeyValueStore
    private let allowed: Mutex<Int>
    /// Runs before each call, for tests of what another writer does in between.
    private let before: @Sendable (_ commit: StoreBatch?) -> Void
    private let after = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ base: any KeyValueStore, allowed: Int = .max, before: @escaping @Sendable (StoreBatch?) -> Void = { _ in }) {
        self.base = base
        self.allowed = Mutex(allowed)
        self.before = before
    }

    func allow(_ count: Int) { allowed.withLock { $0 = count } }

    /// Has `body` called once the next commit was made, before whoever made it is told.
    func afterNextCommit(_ body: @escaping @Sendable () -> Void) { after.withLock { $0 = body } }

    private func pass(_ commit: StoreBatch? = nil) throws {
        try allowed.withLock { allowed in
            guard allowed > 0 else { throw Killed() }
            allowed -= 1
        }
        before(commit)
    }

    var capabilities: StoreCapabilities { base.capabilities }
    var issues: IssueChannel { base.issues }
    var inspectionName: String { base.inspectionName }
    var inspectionKind: String { base.inspectionKind }
    var revision: UInt64 { get throws { try base.revision } }

    func get(_ key: StoreKey) throws -> StoredValue? {
        try pass()
        return try base.get(key)
    }

    func entries(prefix: String) throws -> [StoreEntry] {
        try pass()
        return try base.entries(prefix: prefix)
    }

    @available(*, noasync)
    func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool { try commit(batch) }
    func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool { try commit(batch) }
    func commit(_ batch: StoreBatch) throws -> Bool {
        try pass(batch)
        let isCommitted = try base.commit(batch)
        let body = after.withLock { after in
            defer { after = nil }
            return after
        }
        body?()
        return isCommitted
    }

    @available(*, noasync)
    func flush() throws {}
    func flush() async throws {}
    func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        base.changes(prefix: prefix, buffering: buffering)
    }
    func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        base.observe(prefix: prefix, handler)
    }
    func verify() throws -> StoreVerification { try base.verify() }
}
#endif
