import LarderCore
import LarderFiles
import LarderReplication
import LarderStores
import LarderTestSupport
import LarderTesting
import Testing

/// One machine with a replica in memory, which exchanges commits only when a test asks for it.
struct Machine {
    let replica: any KeyValueStore
    let engine: SimulatedEngine
    let store: ReplicatedStore

    init(
        _ cluster: SimulatedCluster,
        _ name: String = "a",
        replica: any KeyValueStore = MemoryStore(),
        options: ReplicatedStoreOptions = ReplicatedStoreOptions(),
        hooks: HookedEngine.Hooks? = nil
    ) throws {
        self.replica = replica
        engine = cluster.engine(name)
        let used: any ReplicationEngine = if let hooks { HookedEngine(engine, hooks) } else { engine }
        store = try ReplicatedStore(unshared: replica, engine: used, options: options)
    }

    /// Sends and applies commits until there is nothing left to do.
    func exchange() async throws {
        while true {
            let steps = [try await store.pull(), try await store.push(), try await store.pull()]
            if steps.allSatisfy({ $0 == .idle }) { return }
        }
    }

    /// Sends pending commits without applying any.
    func sendAll() async throws {
        while try await store.push() != .idle {}
    }

    /// Checks the replica, and that what reads see is what the cluster has.
    func expectAgreement(with cluster: SimulatedCluster) throws {
        #expect(try store.verify().problems == [])
        #expect(try cluster.entries() == store.entries())
        #expect(try store.confirmed.entries() == store.entries())
        #expect(store.freshness.pending == 0)
    }
}

extension SimulatedCluster {
    /// The entries of the cluster without reserved ones, sorted by key.
    func entries() throws -> [StoreEntry] {
        try values.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .filter { !$0.key.starts(with: "\u{0}larder".utf8) }
            .map { key, value in
                StoreEntry(key: String(decoding: key, as: UTF8.self), value: try StoredValue(decoding: value))
            }
    }
}

extension StoreEntry {
    static func entries(_ values: KeyValuePairs<String, StoredValue>) -> [StoreEntry] {
        values.map { StoreEntry(key: $0.key, value: $0.value) }
    }
}

/// A replica whose process is killed at one of its commits.
final class MortalStore: ForwardingStore {
    /// The error of all commits after the process was killed.
    struct Killed: Error {}

    enum Death: Sendable { case before, after }

    let base: any KeyValueStore
    private let state = Lock<(Death, Int)?>(nil)

    init(_ base: any KeyValueStore) { self.base = base }

    /// Kills the process at a later commit.
    ///
    /// - Parameters:
    ///   - death: Whether the commit is still made.
    ///   - count: The number of commits that are made before that one.
    func kill(_ death: Death, afterCommits count: Int) { state.withLock { $0 = (death, count) } }

    func commit(_ batch: StoreBatch) throws -> Bool {
        let death: Death? = state.withLock { state in
            guard let (death, count) = state else { return nil }
            // A dead process makes no further commits.
            state = count > 0 ? (death, count - 1) : (.before, 0)
            return count > 0 ? nil : death
        }
        guard let death else { return try base.commit(batch) }
        if case .after = death { _ = try base.commit(batch) }
        throw Killed()
    }

    @available(*, noasync)
    func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool { try commit(batch) }
    func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool { try commit(batch) }
}
