import Foundation
import LarderCore
import LarderReplication
import LarderStores
import LarderTestTraits
import LarderTesting
import Synchronization
import Testing

/// Snapshots, lost history, failovers that rewound, and commits that were interrupted.
@Suite(.expectsIssues(.rolledBack))
struct HistoryTests {
    private let cluster = SimulatedCluster(seed: 15)

    @Test func snapshotReplacesLostHistory() async throws {
        let (a, b) = (try Machine(cluster, "a"), try Machine(cluster, "b"))
        for key in ["removed", "changed", "same", "own"] { try a.store.set(1, for: StoreKey(key)) }
        try await a.exchange()
        try await b.exchange()
        try b.store.remove("removed")
        try b.store.set(2, for: "changed")
        try b.store.set(2, for: "own")
        try await b.exchange()
        cluster.trimHistory()
        try a.store.set(3, for: "own")
        #expect(try a.store.compareAndSet("same", expecting: 1, to: 4))
        let events = Mutex<[StoreEvent]>([])
        let observation = a.store.observe(prefix: "") { event in events.withLock { $0.append(event) } }
        #expect(try await a.store.pull() == .advanced)
        observation.cancel()
        #expect(try a.store.entries() == StoreEntry.entries(["changed": 2, "own": 3, "same": 4]))
        #expect(try a.store.confirmed.entries() == StoreEntry.entries(["changed": 2, "own": 2, "same": 1]))
        let entries: [StoreChange.Entry] = [
            .init(key: "changed", old: 1, new: 2), .init(key: "removed", old: 1, new: nil),
        ]
        #expect(events.withLock(\.self) == [.change(StoreChange(entries: entries, origin: .cluster))])
        try await a.exchange()
        try a.expectAgreement(with: cluster)
        #expect(try a.store.get("own") == 3)
        #expect(try a.store.rejected().isEmpty)
    }

    @Test func commitInTheSnapshotIsNotMadeTwice() async throws {
        let (a, b) = (try Machine(cluster, "a"), try Machine(cluster, "b"))
        try await a.exchange()
        #expect(try a.store.compareAndSet("x", expecting: nil, to: 1))
        #expect(try await a.store.push() == .advanced)
        try await b.exchange()
        try b.store.set(2, for: "x")
        try await b.exchange()
        cluster.trimHistory()
        #expect(try await a.store.pull() == .advanced)
        #expect(a.store.freshness.pending == 1)
        try await a.exchange()
        #expect(try a.store.get("x") == 2)
        #expect(cluster.history.count == 2)
        try a.expectAgreement(with: cluster)
    }

    @Test func failoverThatRewoundIsFollowed() async throws {
        let (a, b) = (try Machine(cluster, "a"), try Machine(cluster, "b"))
        try a.store.set(1, for: "x")
        try await a.exchange()
        try await b.exchange()
        try a.store.set(2, for: "x")
        try await a.exchange()
        #expect(try a.store.compareAndSet("y", expecting: nil, to: 1))
        #expect(try await a.store.push() == .advanced)
        // Both commits are lost. The first one was confirmed; the second is still pending, and is made again.
        cluster.rewind(by: 2)
        try b.store.set(5, for: "z")
        try await b.exchange()
        try await a.exchange()
        try await b.exchange()
        for machine in [a, b] { try machine.expectAgreement(with: cluster) }
        #expect(try a.store.entries() == StoreEntry.entries(["x": 1, "y": 1, "z": 5]))
        #expect(try a.store.rejected().isEmpty)
    }

    @Test(arguments: [0, 5]) func commitDecidedInALostHistoryIsSentAgain(count: Int) async throws {
        let (a, b) = (try Machine(cluster, "a"), try Machine(cluster, "b"))
        try await a.exchange()
        try a.store.set(1, for: "mine")
        #expect(try await a.store.push() == .advanced)
        // The cursor of a is in both histories, so it needs no snapshot.
        cluster.rewind(by: 1)
        for number in 0..<count {
            try b.store.set(.int(Int64(number)), for: "theirs")
            try await b.exchange()
        }
        _ = try await a.store.pull()
        #expect(a.store.freshness.pending == 1)
        #expect(try a.store.get("mine") == 1)
        try await a.exchange()
        try a.expectAgreement(with: cluster)
        #expect(try a.store.get("mine") == 1)
        #expect(cluster.history.count == count + 1)
    }

    @Test(arguments: [MortalStore.Death.before, .after], [0, 1, 2, 3])
    func commitsAndCursorAreAppliedTogether(death: MortalStore.Death, count: Int) async throws {
        let disk = MemoryStore()
        let b = try Machine(cluster, "b")
        let first = try Machine(cluster, "a", replica: disk)
        try await first.exchange()
        for number in 0..<3 {
            try b.store.set(.int(Int64(number)), for: "theirs")
            try await b.exchange()
        }
        #expect(try first.store.compareAndSet("mine", expecting: nil, to: 1))
        #expect(try first.store.compareAndSet("mine", expecting: 1, to: 2))
        var options = ReplicatedStoreOptions()
        options.environment.pageLimit.commits = 1
        let mortal = MortalStore(disk)
        let a = try Machine(cluster, "a", replica: mortal, options: options)
        mortal.kill(death, afterCommits: count)
        await #expect(throws: MortalStore.Killed.self) { try await a.exchange() }
        let again = try Machine(cluster, "a", replica: disk)
        #expect(try again.store.verify().problems == [])
        let position = try #require(try again.store.confirmed.position)
        let applied = cluster.history.prefix(Int(position.revision)).flatMap(\.writes)
        for key in ["theirs", "mine"] {
            let last = applied.last { $0.key == Array(key.utf8) }?.value
            #expect(try again.store.confirmed.get(StoreKey(key))?.encoded() == last)
        }
        try await again.exchange()
        try again.expectAgreement(with: cluster)
        #expect(cluster.history.count == 5)
    }

    @Test func replicaOfAnotherStoreIsRefused() async throws {
        let replica = MemoryStore()
        let a = try Machine(cluster, replica: replica)
        try a.store.set(1, for: "x")
        try await a.exchange()
        let other = try Machine(SimulatedCluster(seed: 16), replica: replica)
        let error = await #expect(throws: StoreError.self) { try await other.store.pull() }
        #expect(error?.code == .invalidConfiguration)
        #expect(try other.store.get("x") == 1)
    }

    @Test func clockOfAnotherStoreIsNotHeard() async throws {
        let time = ManualTimeSource()
        var options = ReplicatedStoreOptions()
        options.environment.time = time
        let (replica, own) = (MemoryStore(), SimulatedCluster(seed: 17, time: time))
        let a = try Machine(own, replica: replica, options: options)
        try await a.exchange()
        try a.store.set(1, for: "x", until: time.now.addingTimeInterval(3_600))
        let another = SimulatedCluster(seed: 16, time: time)
        another.skewClock(by: 86_400)
        let other = try Machine(another, replica: replica, options: options)
        await #expect(throws: StoreError.self) { try await other.store.pull() }
        #expect(try other.store.get("x") == 1)
    }

    @Test func storeWithEntriesIsNotAReplica() throws {
        let replica = MemoryStore()
        try replica.set(1, for: "x")
        let error = #expect(throws: StoreError.self) { try Machine(cluster, replica: replica) }
        #expect(error?.code == .invalidConfiguration)
        #expect(replica.entries(prefix: "") == StoreEntry.entries(["x": 1]))
    }

    @Test func newerRecordIsRefused() async throws {
        let replica = MemoryStore()
        let a = try Machine(cluster, replica: replica)
        try await a.exchange()
        guard case .data(var header)? = try replica.get(StoreKey(reserved: ".replica")) else {
            Issue.record("The replica should have a header.")
            return
        }
        header[header.startIndex] = 2
        try replica.set(.data(header), for: StoreKey(reserved: ".replica"))
        let error = #expect(throws: StoreError.self) { try Machine(cluster, replica: replica) }
        #expect(error?.code == .newerFormat)
    }
}
