import LarderCore
import LarderFiles
import LarderReplication
import LarderStores
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Synchronization
import Testing

/// Applying commits and snapshots while the program writes, and the bounds of what that needs.
@Suite(.expectsIssues(.rolledBack))
struct ProgressTests {
    private let cluster = SimulatedCluster(seed: 34)

    /// A replica to which another instance writes before each of the first suspending commits.
    private final class BusyStore: ForwardingStore {
        let base: any KeyValueStore
        private let interference = Lock<(count: Int, write: (@Sendable (Int) throws -> Void)?)>((0, nil))

        init(_ base: any KeyValueStore) { self.base = base }

        func interfere(_ count: Int, _ write: @escaping @Sendable (Int) throws -> Void) {
            interference.withLock { $0 = (count, write) }
        }

        func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
            let (count, write) = interference.withLock { state in
                defer { state.count = max(0, state.count - 1) }
                return (state.count, state.write)
            }
            if count > 0 { try write?(count) }
            return try base.commit(batch)
        }
    }

    /// A machine whose local writes interfere with the next steps, and the number of its calls to the engine.
    private func busyMachine() throws -> (machine: Machine, busy: BusyStore, calls: @Sendable () -> Int) {
        let disk = MemoryStore()
        let busy = BusyStore(disk)
        let calls = Counter()
        var hooks = HookedEngine.Hooks()
        hooks.changes = { calls.add() }
        hooks.snapshot = { calls.add() }
        var options = ReplicatedStoreOptions()
        // The writer is another instance, for which the gate of this one is not closed.
        options.environment.interruptsCalls = false
        return (try Machine(cluster, "a", replica: busy, options: options, hooks: hooks), busy, { calls.count })
    }

    private final class Counter: Sendable {
        private let value = Mutex(0)
        var count: Int { value.withLock(\.self) }
        func add() { value.withLock { $0 += 1 } }
    }

    @Test func localWritesDoNotRepeatTheReadingOfChanges() async throws {
        let (a, busy, calls) = try busyMachine()
        let b = try Machine(cluster, "b")
        try await a.exchange()
        try b.store.set(1, for: "theirs")
        try await b.exchange()
        let writer = try Machine(cluster, "w", replica: busy.base)
        busy.interfere(20) { number in try writer.store.set(.int(Int64(number)), for: "mine") }
        let before = calls()
        #expect(try await a.store.pull() == .advanced)
        #expect(calls() == before + 1)
        #expect(try a.store.get("theirs") == 1)
        #expect(try a.store.get("mine") == 1)
        try await a.exchange()
        try a.expectAgreement(with: cluster)
    }

    @Test func localWritesDoNotRepeatTheReadingOfASnapshot() async throws {
        let (a, busy, calls) = try busyMachine()
        let b = try Machine(cluster, "b")
        for number in 0..<250 { try b.store.set(1, for: StoreKey("theirs.\(number)")) }
        try await b.exchange()
        let writer = try Machine(cluster, "w", replica: busy.base)
        busy.interfere(10) { number in try writer.store.set(2, for: StoreKey("theirs.\(number)")) }
        #expect(try await a.store.pull() == .advanced)
        #expect(calls() == 1)
        #expect(try a.store.entries().count == 250)
        #expect(try a.store.confirmed.get("theirs.5") == 1)
        #expect(try a.store.get("theirs.5") == 2)
        try await a.exchange()
        try a.expectAgreement(with: cluster)
    }

    @Test func writerInALoopDoesNotStopASnapshot() async throws {
        let (calls, end) = (Counter(), Counter())
        var hooks = HookedEngine.Hooks()
        hooks.snapshot = { calls.add() }
        let (a, b) = (try Machine(cluster, "a", hooks: hooks), try Machine(cluster, "b"))
        for number in 0..<1_000 { try b.store.set(1, for: StoreKey("theirs.\(number)")) }
        try await b.exchange()
        let store = a.store
        async let writing: Void = withBlockingWork {
            while end.count == 0 { try store.set(1, for: "mine") }
        }
        let step = try await store.pull()
        end.add()
        try await writing
        #expect(step == .advanced)
        #expect(calls.count == 1)
        try await a.exchange()
        try a.expectAgreement(with: cluster)
    }

    /// A replica to which another instance writes whenever the first pending commit is read.
    private final class WatchedStore: ForwardingStore {
        let base: any KeyValueStore
        private let write = Lock<(@Sendable () throws -> Void)?>(nil)

        init(_ base: any KeyValueStore) { self.base = base }

        func onRead(_ write: @escaping @Sendable () throws -> Void) { self.write.withLock { $0 = write } }

        func get(_ key: StoreKey) throws -> StoredValue? {
            if key.text == "\u{0}larder.replica.pending:0" { try write.withLock(\.self)?() }
            return try base.get(key)
        }
    }

    @Test func localWritesDoNotRepeatTheReadingOfTheQueue() async throws {
        let disk = WatchedStore(MemoryStore())
        let (a, b) = (try Machine(cluster, "a", replica: disk), try Machine(cluster, "b"))
        try b.store.set(1, for: "theirs")
        try await b.exchange()
        let (writer, writes) = (try Machine(cluster, "w", replica: disk.base), Counter())
        try a.store.set(0, for: "mine")
        disk.onRead {
            guard writes.count < 2_000 else { return }
            writes.add()
            try writer.store.set(.int(Int64(writes.count)), for: "mine")
        }
        #expect(try await a.store.pull() == .advanced)
        #expect(try a.store.confirmed.entries() == StoreEntry.entries(["theirs": 1]))
        #expect(writes.count < 20)
        try await a.exchange()
        try a.expectAgreement(with: cluster)
    }

    @Test func localWritesDoNotStopTheRollback() async throws {
        let (a, busy, _) = try busyMachine()
        let b = try Machine(cluster, "b")
        try await a.exchange()
        try b.store.set(1, for: "x")
        try await b.exchange()
        #expect(try a.store.compareAndSet("x", expecting: nil, to: 2))
        _ = try await a.store.pull()
        let writer = try Machine(cluster, "w", replica: busy.base)
        busy.interfere(10) { number in try writer.store.set(.int(Int64(number)), for: "mine") }
        #expect(try await a.store.push() == .advanced)
        #expect(try a.store.rejected().count == 1)
        #expect(try a.store.get("x") == 1)
        try await a.exchange()
        try a.expectAgreement(with: cluster)
    }

    @Test func queueIsBoundedInBytes() async throws {
        var options = ReplicatedStoreOptions()
        options.maximumPendingBytes = 3_000
        let a = try Machine(cluster, options: options)
        let value = StoredValue.string(String(repeating: "x", count: 1_000))
        for number in 0..<3 { try a.store.set(value, for: StoreKey("key.\(number)")) }
        let error = #expect(throws: StoreError.self) { try a.store.set(1, for: "small") }
        #expect(error?.code == .queueFull)
        try await a.exchange()
        for number in 0..<3 { try a.store.set(value, for: StoreKey("key.\(number)")) }
        #expect(throws: StoreError.self) { try a.store.set(1, for: "small") }
        try await a.exchange()
        try a.store.set(1, for: "small")
        try await a.exchange()
        try a.expectAgreement(with: cluster)
    }
}
