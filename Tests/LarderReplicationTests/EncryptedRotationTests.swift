#if Encryption
import LarderCore
import LarderReplication
import LarderStores
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Synchronization
import Testing

/// Changes of the keys of an encrypted store that several machines share.
@Suite(.expectsIssues(.rolledBack, .degraded))
struct EncryptedRotationTests {
    private let cluster = SimulatedCluster(seed: 43, limits: StoreLimits(operations: 128, bytes: 50_000))

    private func machine(
        _ name: String,
        deadline: Duration = .seconds(600),
        hooks: HookedEngine.Hooks? = nil
    ) throws -> Machine {
        var options = ReplicatedStoreOptions()
        options.deadline = deadline
        return try Machine(cluster, name, options: options, hooks: hooks)
    }

    /// Runs `body` while a machine replicates, and waits until the machine no longer does.
    @discardableResult
    private func running<Value>(_ machine: Machine, _ body: () async throws -> Value) async throws -> Value {
        let store = machine.store
        let task = Task { await store.run() }
        let result: Result<Value, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        task.cancel()
        await task.value
        return try result.get()
    }

    @Test(arguments: [false, true])
    func rotationReencryptsAllValues(hidesNames: Bool) async throws {
        let (a, b) = (try machine("a"), try machine("b"))
        let (storeA, storeB) = (try a.encrypted(hidesNames: hidesNames), try b.encrypted(hidesNames: hidesNames))
        for number in 0..<70 { try storeA.set(.int(Int64(number)), for: "\(number)") }
        // Two values of which a commit can re-encrypt only one.
        let large = StoredValue.string(String(repeating: "x", count: 19_000))
        for key in ["large.0", "large.1"] { try storeA.set(large, for: StoreKey(key)) }
        try await a.exchange()
        try await b.exchange()
        #expect(try await running(a) { try await storeA.rotateDataKey() } == 72)
        #expect(try !storeA.isRotationPending)
        try storeA.set("new", for: "0")
        for machine in [a, b] { try await machine.exchange() }
        #expect(try storeB.get("0") == "new" && storeB.get("69") == 69 && storeB.get("large.1") == large)
        try storeB.set("new", for: "1")
        for machine in [b, a] { try await machine.exchange() }
        for machine in [a, b] {
            #expect(try machine.store.rejected().isEmpty)
            try machine.expectReadable(in: cluster, hidesNames: hidesNames)
        }
        try cluster.expectDistinctNonces()
    }

    @Test func offlineWritesFromBeforeARotationAreRejectedWithTheirPlaintext() async throws {
        let (a, b) = (try machine("a"), try machine("b"))
        let (storeA, storeB) = (try a.encrypted(), try b.encrypted())
        try storeA.set("first", for: "k")
        try storeA.set(1, for: "removed")
        for machine in [a, b] { try await machine.exchange() }
        try storeB.set("offline", for: "k")
        try storeB.remove("removed")
        #expect(try await running(a) { try await storeA.rotateDataKey() } == 2)
        #expect(try storeB.get("k") == "offline")
        try await b.exchange()
        #expect(try storeB.entries() == StoreEntry.entries(["k": "first"]))
        let rejected = try b.store.rejected()
        #expect(rejected.map(\.reason) == [.refused])
        let write = try #require(rejected.first?.writes.first)
        let value = try #require(write.value)
        #expect(try storeB.decrypt(value, from: write.key) == StoreEntry(key: "k", value: "offline"))
        // The data key is gone, for instances that never knew it.
        let later = try b.encrypted()
        expectCode(.damaged) { _ = try later.decrypt(value, from: write.key) }
        try storeB.set("again", for: "k")
        for machine in [b, a] { try await machine.exchange() }
        #expect(try storeA.get("k") == "again")
        for machine in [a, b] { try machine.expectReadable(in: cluster) }
        try cluster.expectDistinctNonces(and: a, b)
    }

    @Test func restartedMachineReadsWhatTheClusterHasInsteadOfASupersededWrite() async throws {
        let (a, b) = (try machine("a"), try machine("b"))
        let storeA = try a.encrypted()
        try storeA.set("first", for: "k")
        for machine in [a, b] { try await machine.exchange() }
        do {
            let storeB = try b.encrypted()
            try storeB.set("offline", for: "k")
            try storeB.set("offline", for: "new")
        }
        try await running(a) { try await storeA.rotateDataKey() }
        // The rotation arrives, but the refusal of the pending writes does not.
        try await b.applyAll()
        let storeB = try b.encrypted()
        #expect(b.store.freshness.pending == 2)
        #expect(try storeB.get("k") == "first" && storeB.get("new") == nil)
        #expect(try storeB.entries() == StoreEntry.entries(["k": "first"]))
        #expect(try storeB.verify().problems == [])
        expectCode(.busy) { _ = try storeB.compareAndSet("k", expecting: "first", to: "second") }
        try await b.exchange()
        #expect(try storeB.compareAndSet("k", expecting: "first", to: "second"))
        for machine in [b, a] { try await machine.exchange() }
        for machine in [a, b] { try machine.expectReadable(in: cluster) }
        try cluster.expectDistinctNonces(and: a, b)
    }

    @Test(arguments: 1...4)
    func failoverThatLosesPartOfARotationIsFollowed(lost: Int) async throws {
        let (a, b) = (try machine("a"), try machine("b"))
        let (storeA, storeB) = (try a.encrypted(), try b.encrypted())
        try storeA.set(1, for: "k")
        for machine in [a, b] { try await machine.exchange() }
        let before = cluster.history.count
        try await running(a) { try await storeA.rotateDataKey() }
        #expect(cluster.history.count == before + 4)
        try storeA.set(2, for: "after")
        // Of the four commits of the rotation, the last ones are lost.
        cluster.rewind(by: lost)
        try storeB.set(3, for: "b")
        for machine in [b, a, b] { try await machine.exchange() }
        for store in [storeA, storeB] { #expect(try store.get("k") == 1) }
        #expect(try a.store.rejected().count + b.store.rejected().count == 1)
        try storeA.set(2, for: "after")
        try await running(a) { try await storeA.rotateDataKey() }
        #expect(try !storeA.isRotationPending)
        for machine in [a, b] { try await machine.exchange() }
        for machine in [a, b] { try machine.expectReadable(in: cluster) }
        #expect(try storeB.get("k") == 1 && storeB.get("after") == 2)
        try cluster.expectDistinctNonces(and: a, b)
    }

    @Test func valueUnderARefusedWriteIsReencrypted() async throws {
        struct Cut: Error {}
        let start = Mutex<Int?>(nil)
        var hooks = HookedEngine.Hooks()
        let cluster = cluster
        // Nothing is sent after the first commit of the rotation.
        hooks.commit = { _ in
            if let start = start.withLock(\.self), cluster.history.count > start { throw Cut() }
            return nil
        }
        let (a, b) = (try machine("a", hooks: hooks), try machine("b"))
        let (storeA, storeB) = (try a.encrypted(), try b.encrypted())
        try storeA.set("kept", for: "k")
        try storeA.set(1, for: "y")
        for machine in [a, b] { try await machine.exchange() }
        start.withLock { $0 = cluster.history.count }
        try await running(a) {
            let rotation = Task { try await storeA.rotateDataKey() }
            try await waitUntil { try storeA.isRotationPending }
            rotation.cancel()
            await #expect(throws: (any Error).self) { try await rotation.value }
        }
        // A write with the new data key hides the value, until the cluster refuses it.
        try await b.exchange()
        try storeB.set(2, for: "y")
        try await b.exchange()
        var batch = StoreBatch()
        batch.expect(1, at: "y")
        batch.set("refused", for: "k")
        #expect(try storeA.commit(batch))
        start.withLock { $0 = nil }
        try await running(a) { try await storeA.rotateDataKey() }
        #expect(try storeA.get("k") == "kept")
        #expect(try a.store.rejected().map(\.reason) == [.refused])
        for machine in [a, b] { try await machine.exchange() }
        for machine in [a, b] { try machine.expectReadable(in: cluster) }
        try cluster.expectDistinctNonces(and: a, b)
    }

    @Test func rotationWithoutTheClusterChangesNothing() async throws {
        let a = try machine("a", deadline: .milliseconds(20))
        let store = try a.encrypted()
        try store.set(1, for: "k")
        try await a.exchange()
        cluster.setReachable("a", false)
        let rotation = await #expect(throws: StoreError.self) { try await store.rotateDataKey() }
        #expect(rotation?.code == .notConfirmed)
        let change = await #expect(throws: StoreError.self) { try await store.changeKey(to: secondKey) }
        #expect(change?.code == .notConfirmed)
        #expect(try !store.isRotationPending)
        try store.set(2, for: "k")
        cluster.setReachable("a", true)
        try await a.exchange()
        #expect(try store.get("k") == 2)
        try a.expectReadable(in: cluster)
    }

    @Test func keyChangeKeepsOfflineWritesOfOtherMachines() async throws {
        let (a, b) = (try machine("a"), try machine("b"))
        let (storeA, storeB) = (try a.encrypted(), try b.encrypted())
        try storeA.set(1, for: "k")
        for machine in [a, b] { try await machine.exchange() }
        try storeB.set(2, for: "k")
        try await running(a) { try await storeA.changeKey(to: secondKey) }
        try await b.exchange()
        expectCode(.wrongKey) { _ = try b.encrypted() }
        #expect(try b.encrypted(key: secondKey).get("k") == 2)
        try await a.exchange()
        #expect(try storeA.get("k") == 2)
        try storeA.set(3, for: "k")
        for machine in [a, b] { try await machine.exchange() }
        for machine in [a, b] {
            #expect(try machine.store.rejected().isEmpty)
            try machine.expectReadable(in: cluster, key: secondKey)
        }
    }

    @Test func partOfAReplicatedStoreCanBeEncryptedAndRotated() async throws {
        let (a, b) = (try machine("a"), try machine("b"))
        func vault(_ machine: Machine) throws -> EncryptedStore {
            try EncryptedStore(PrefixedStore(machine.store, prefix: "vault."), key: firstKey)
        }
        let (storeA, storeB) = (try vault(a), try vault(b))
        try a.store.set("plain", for: "k")
        try storeA.set("secret", for: "k")
        for machine in [a, b] { try await machine.exchange() }
        #expect(try await running(a) { try await storeA.rotateDataKey() } == 1)
        try await b.exchange()
        #expect(try storeB.get("k") == "secret" && b.store.get("k") == "plain")
        #expect(try vault(b).verify().problems == [])
        try b.expectAgreement(with: cluster)
    }
}
#endif
