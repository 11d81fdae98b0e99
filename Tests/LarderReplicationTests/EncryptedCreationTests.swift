#if Encryption
import Foundation
import LarderCore
import LarderDeviceStore
import LarderReplication
import LarderStores
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Testing

/// Machines that create one encrypted store, or write to it, without knowing of each other.
@Suite(.expectsIssues(.rolledBack, .degraded))
struct EncryptedCreationTests {
    private let cluster = SimulatedCluster(seed: 42)

    @Test(arguments: [false, true])
    func machinesShareEncryptedValues(hidesNames: Bool) async throws {
        let (a, b) = (try Machine(cluster, "a"), try Machine(cluster, "b"))
        let (storeA, storeB) = (try a.encrypted(hidesNames: hidesNames), try b.encrypted(hidesNames: hidesNames))
        #expect(try storeB.get("x") == nil && storeB.entries().isEmpty)
        #expect(try !storeB.isRotationPending)
        try storeA.set("from a", for: "x")
        try await a.exchange()
        try await b.exchange()
        #expect(try storeB.get("x") == "from a")
        try storeB.set("from b", for: "y")
        try await b.exchange()
        try await a.exchange()
        for store in [storeA, storeB] {
            #expect(try store.entries() == StoreEntry.entries(["x": "from a", "y": "from b"]))
        }
        for machine in [a, b] {
            #expect(try machine.store.rejected().isEmpty)
            try machine.expectReadable(in: cluster, hidesNames: hidesNames)
        }
        try cluster.expectDistinctNonces(and: a, b)
    }

    @Test(arguments: [false, true])
    func valuesUnderALostHeaderAreRejectedWithTheirPlaintext(hidesNames: Bool) async throws {
        let (a, b) = (try Machine(cluster, "a"), try Machine(cluster, "b"))
        let (storeA, storeB) = (try a.encrypted(hidesNames: hidesNames), try b.encrypted(hidesNames: hidesNames))
        try storeA.set("a", for: "x")
        try storeB.set("b", for: "x")
        try storeB.set("b", for: "y")
        #expect(try storeB.compareAndSet("y", expecting: "b", to: "c"))
        try await a.exchange()
        try await b.exchange()
        // No value of b is in the cluster: its data key is not in the header that was created first.
        #expect(try storeB.entries() == StoreEntry.entries(["x": "a"]))
        #expect(try storeB.get("x") == "a" && storeB.get("y") == nil)
        let rejected = try b.store.rejected()
        #expect(rejected.map(\.reason) == [.refused, .stoodOnRejected, .stoodOnRejected, .stoodOnRejected])
        let lost = try rejected.flatMap(\.writes).map { write in
            try storeB.decrypt(#require(write.value), from: write.key)
        }
        #expect(lost == StoreEntry.entries(["x": "b", "y": "b", "y": "c"]))
        // The same instance goes on in the other machine's store.
        for entry in lost { try storeB.set(entry.value, for: StoreKey(entry.key)) }
        try await b.exchange()
        try await a.exchange()
        #expect(try storeA.entries() == StoreEntry.entries(["x": "b", "y": "c"]))
        for machine in [a, b] { try machine.expectReadable(in: cluster, hidesNames: hidesNames) }
        try cluster.expectDistinctNonces(and: a, b)
    }

    @Test func removalUnderALostHeaderDoesNotRemoveAnotherEntry() async throws {
        let (a, b) = (try Machine(cluster, "a"), try Machine(cluster, "b"))
        let (storeA, storeB) = (try a.encrypted(hidesNames: true), try b.encrypted(hidesNames: true))
        try storeA.set(1, for: "x")
        try storeB.set(2, for: "x")
        try storeB.remove("x")
        try await a.exchange()
        try await b.exchange()
        #expect(try b.store.rejected().count == 3)
        #expect(try storeB.get("x") == 1)
        try storeB.remove("x")
        try await b.exchange()
        try b.expectReadable(in: cluster, hidesNames: true)
        #expect(try cluster.entries().isEmpty)
    }

    @Test func sessionsOfSeveralMachinesDoNotConflict() async throws {
        let machines = try (0..<3).map { try Machine(cluster, "\($0)") }
        let first = try machines[0].encrypted()
        try first.set(0, for: "0")
        for machine in machines { try await machine.exchange() }
        // All machines begin sessions without having seen those of the others.
        for (number, machine) in machines.enumerated() {
            for instance in 0..<2 {
                try machine.encrypted().set(.int(Int64(number)), for: "\(number).\(instance)")
            }
        }
        for machine in machines + machines { try await machine.exchange() }
        for machine in machines {
            #expect(try machine.store.rejected().isEmpty)
            #expect(try machine.encrypted().entries().count == 7)
            try machine.expectReadable(in: cluster)
        }
        try cluster.expectDistinctNonces()
    }

    @Test func copyOfAReplicaUsesSessionsOfItsOwn() async throws {
        let folder = try TemporaryDirectory()
        let (original, copied) = (folder.path("a.larder"), folder.path("b.larder"))
        do {
            let a = try Machine(cluster, "a", replica: DeviceStore(path: original))
            let store = try a.encrypted()
            try store.set(1, for: "confirmed")
            try await a.exchange()
            try store.set(2, for: "pending")
        }
        try FileManager.default.copyItem(atPath: original, toPath: copied)
        let a = try Machine(cluster, "a", replica: DeviceStore(path: original))
        let b = try Machine(cluster, "b", replica: DeviceStore(path: copied))
        try a.encrypted().set(3, for: "a")
        try b.encrypted().set(3, for: "b")
        for machine in [a, b, a] { try await machine.exchange() }
        for machine in [a, b] {
            #expect(try machine.store.rejected().isEmpty)
            #expect(
                try machine.encrypted().entries()
                    == StoreEntry.entries(["a": 3, "b": 3, "confirmed": 1, "pending": 2])
            )
            try machine.expectReadable(in: cluster)
        }
        try cluster.expectDistinctNonces()
    }

    @Test func preparedMachinesCreateOneStore() async throws {
        var options = ReplicatedStoreOptions()
        options.deadline = .seconds(600)
        let machines = try ["a", "b"].map { try Machine(cluster, $0, options: options) }
        let stores = try machines.map { try $0.encrypted() }
        let running = machines.map { RunningStore($0.store) }
        async let first: Void = stores[0].prepare()
        async let second: Void = stores[1].prepare()
        _ = try await (first, second)
        for (number, store) in stores.enumerated() {
            try await store.set(.int(Int64(number)), for: StoreKey("\(number)"), durability: .replicated)
        }
        withExtendedLifetime(running) {}
        for machine in machines {
            try await machine.exchange()
            #expect(try machine.store.rejected().isEmpty)
            try machine.expectReadable(in: cluster)
        }
        #expect(try machines[0].encrypted().entries() == StoreEntry.entries(["0": 0, "1": 1]))
    }

    @Test func plainValuesInTheClusterAreNotMixedWithEncryptedOnes() async throws {
        let (a, b) = (try Machine(cluster, "a"), try Machine(cluster, "b"))
        let store = try a.encrypted()
        try store.set("secret", for: "x")
        try b.store.set("plain", for: "y")
        try await b.exchange()
        try await a.exchange()
        #expect(try a.store.rejected().map(\.reason) == [.refused, .stoodOnRejected])
        expectCode(.invalidConfiguration) { try store.set("secret", for: "x") }
        expectCode(.invalidConfiguration) { _ = try a.encrypted() }
        #expect(try cluster.entries() == StoreEntry.entries(["y": "plain"]))
        try a.expectAgreement(with: cluster)
    }

    @Test func recordsOfOneMachineAreRefused() async throws {
        let a = try Machine(cluster, "a")
        let store = try a.encrypted()
        let outbox = StoreKey(reserved: ".outbox:1:n:state")
        expectCode(.unsupportedKey) { try store.set(1, for: outbox) }
        try store.set(1, for: StoreKey(reserved: ".defaults.x"))
        #expect(try store.get(outbox) == nil && store.get(StoreKey(reserved: ".defaults.x")) == 1)
        try await a.exchange()
        try a.expectReadable(in: cluster)
    }

    @Test func headerWithAnotherKeyOrOtherOptionsIsRefused() async throws {
        let (a, b) = (try Machine(cluster, "a"), try Machine(cluster, "b"))
        try a.encrypted().set(1, for: "x")
        let (wrong, hiding) = (try b.encrypted(key: secondKey), try b.encrypted(hidesNames: true))
        try await a.exchange()
        try await b.exchange()
        expectCode(.wrongKey) { try wrong.set(2, for: "x") }
        expectCode(.invalidConfiguration) { try hiding.set(2, for: "x") }
        #expect(try b.encrypted().get("x") == 1)
        try b.expectReadable(in: cluster)
    }
}
#endif
