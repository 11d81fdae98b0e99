#if Encryption
import LarderCore
import LarderTestSupport
import Synchronization

/// A store that forwards a limited number of calls to its base and refuses all later calls, as if the process had been killed.
final class InterruptedStore: ForwardingStore {
    struct Killed: Error {}

    let base: any KeyValueStore
    private let allowed: Mutex<Int>
    /// A closure that runs before each call, for tests of concurrent writers.
    private let before: @Sendable (_ commit: StoreBatch?) -> Void
    private let after = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ base: any KeyValueStore, allowed: Int = .max, before: @escaping @Sendable (StoreBatch?) -> Void = { _ in }) {
        self.base = base
        self.allowed = Mutex(allowed)
        self.before = before
    }

    func allow(_ count: Int) { allowed.withLock { $0 = count } }

    /// Sets a closure to call once after the next commit, before the commit returns.
    func afterNextCommit(_ body: @escaping @Sendable () -> Void) { after.withLock { $0 = body } }

    private func pass(_ commit: StoreBatch? = nil) throws {
        try allowed.withLock { allowed in
            guard allowed > 0 else { throw Killed() }
            allowed -= 1
        }
        before(commit)
    }

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
}
#endif
