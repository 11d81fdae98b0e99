import LarderCore
import LarderReplication
import LarderStores
import LarderTestTraits
import LarderTesting
import Synchronization
import Testing

@Suite
struct ReadingTests {
    private let cluster = SimulatedCluster(seed: 11)

    @Test func readsSeeThePrefixAndPendingWrites() async throws {
        let (a, b) = (try Machine(cluster, "a"), try Machine(cluster, "b"))
        try a.store.set(1, for: "x")
        try a.store.set(1, for: "y")
        try await a.exchange()
        #expect(try b.store.entries() == [])
        try b.store.set(2, for: "x")
        try await b.exchange()
        #expect(try b.store.entries() == StoreEntry.entries(["x": 2, "y": 1]))
        try a.store.set(3, for: "y")
        #expect(try a.store.entries() == StoreEntry.entries(["x": 1, "y": 3]))
        #expect(try await a.store.pull() == .advanced)
        #expect(try a.store.entries() == StoreEntry.entries(["x": 2, "y": 3]))
        try await a.exchange()
        try await b.exchange()
        for machine in [a, b] { try machine.expectAgreement(with: cluster) }
        #expect(try b.store.get("y") == 3)
    }

    @Test func confirmedReadsThePrefixAlone() async throws {
        let (a, b) = (try Machine(cluster, "a"), try Machine(cluster, "b"))
        try a.store.set(1, for: "kept")
        try a.store.set(1, for: "removed")
        try await a.exchange()
        try a.store.remove("removed")
        try a.store.set(2, for: "new")
        try a.store.set(2, for: "kept")
        #expect(try a.store.entries() == StoreEntry.entries(["kept": 2, "new": 2]))
        #expect(try a.store.confirmed.entries() == StoreEntry.entries(["kept": 1, "removed": 1]))
        #expect(try a.store.confirmed.entries(prefix: "r") == StoreEntry.entries(["removed": 1]))
        #expect(try a.store.confirmed.get("new") == nil)
        #expect(try a.store.confirmed.get("kept") == 1)

        _ = try await b.store.pull()
        try b.store.set(5, for: "kept")
        try await b.exchange()
        _ = try await a.store.pull()
        #expect(try a.store.get("kept") == 2)
        #expect(try a.store.confirmed.get("kept") == 5)
        try await a.exchange()
        try a.expectAgreement(with: cluster)
        #expect(try a.store.get("kept") == 2)
    }

    @Test func changesOfOtherMachinesAreObserved() async throws {
        let (a, b) = (try Machine(cluster, "a"), try Machine(cluster, "b"))
        let events = Mutex<[StoreEvent]>([])
        let observation = b.store.observe(prefix: "") { event in events.withLock { $0.append(event) } }
        try a.store.set(1, for: "x")
        try await a.exchange()
        try await b.exchange()
        try b.store.set(2, for: "x")
        try await b.exchange()
        observation.cancel()
        #expect(
            events.withLock(\.self) == [
                .change(StoreChange(entries: [.init(key: "x", old: nil, new: 1)], origin: .cluster)),
                .change(StoreChange(entries: [.init(key: "x", old: 1, new: 2)], origin: .thisProcess)),
            ]
        )
        try b.expectAgreement(with: cluster)
    }

    @Test func revisionStaysWhenOwnWritesAreConfirmed() async throws {
        let a = try Machine(cluster)
        try a.store.set(1, for: "x")
        let revision = try a.store.revision
        try await a.exchange()
        #expect(try a.store.revision == revision)
        let b = try Machine(cluster, "b")
        try b.store.set(2, for: "x")
        try await b.exchange()
        try await a.exchange()
        #expect(try a.store.revision != revision)
    }

    @Test func longAndUnusualKeysReplicate() async throws {
        let (a, b) = (try Machine(cluster, "a"), try Machine(cluster, "b"))
        let keys = ["", "\u{0}", "e\u{301}", "\u{E9}", String(repeating: "k", count: StoreKey.maximumLength)]
        for key in keys { try a.store.set(.string(key), for: key) }
        try await a.exchange()
        for key in keys { try b.store.set(1, for: key) }
        _ = try await b.store.pull()
        for key in keys { #expect(try b.store.confirmed.get(StoreKey(key)) == .string(key)) }
        try await b.exchange()
        try await a.exchange()
        for machine in [a, b] { try machine.expectAgreement(with: cluster) }
    }
}
