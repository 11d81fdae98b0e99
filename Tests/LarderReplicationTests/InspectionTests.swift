import Foundation
import LarderCore
import LarderReplication
import LarderStores
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Synchronization
import Testing

@Suite(.expectsIssues(.rolledBack))
struct InspectionTests {
    private let time = ManualTimeSource()
    private let cluster: SimulatedCluster

    init() { cluster = SimulatedCluster(seed: 23, time: time) }

    private func machine(_ name: String = "a") throws -> Machine {
        var options = ReplicatedStoreOptions()
        options.environment.time = time
        return try Machine(cluster, name, options: options)
    }

    @Test func pendingAndRejectedCommitsAreTables() async throws {
        let (a, b) = (try machine(), try machine("b"))
        let inspected = InspectedReplication(a.store)
        #expect(inspected.inspectionRole == .replication)
        try a.store.set(1, for: "x")
        #expect(try a.store.compareAndSet("y", expecting: nil, to: 2))
        #expect(try inspected.inspectionTables().map(\.count) == [2, 0])
        let page = try inspected.inspectionPage(InspectionQuery(table: "pending", limit: 1))
        #expect(page.records.map { $0.values.suffix(2) } == [[["x"], ["x": 1]]])
        var query = InspectionQuery(table: "pending", limit: 1)
        query.after = page.next
        let second = try inspected.inspectionPage(query)
        #expect(second.records.map { $0.values.suffix(2) } == [[["y"], ["y": 2]]] && second.next == nil)
        // Another machine is first, so that the second commit is refused.
        try b.store.set(0, for: "y")
        try await b.exchange()
        try await a.exchange()
        #expect(try inspected.inspectionTables().map(\.count) == [0, 1])
        let rejected = try inspected.inspectionPage(InspectionQuery(table: "rejected")).records
        #expect(rejected.map { $0.values[1...] } == [["refused", ["y"], ["y": 2]]])
        #expect(try inspected.inspectionRecord(rejected[0].key, in: "rejected") == rejected[0])
        #expect(try inspected.inspectionFacts().contains(InspectionFact("rejected", "1")))
        #expect(try a.store.verify().problems == [])
    }

    @Test func statisticsTellTimeSinceContact() async throws {
        let a = try machine()
        let inspected = InspectedReplication(a.store)
        #expect(try inspected.inspectionStatistics().map(\.name) == ["pending", "rejected"])
        try await a.exchange()
        #expect(try inspected.inspectionStatistics().map(\.name) == ["pending", "rejected", "since contact"])
        #expect(try inspected.inspectionFacts().contains { $0.name == "last contact" && $0.value != "never" })
        #expect(throws: InspectionQueryError.self) { try inspected.inspectionPage(InspectionQuery(table: "entries")) }
        #expect(try a.store.verify().problems == [])
    }

    @Test func expiriesOfReplicaAreInPages() async throws {
        let a = try machine()
        let end = time.now + 3_600
        try a.store.set(1, for: "kept")
        try a.store.set(2, for: "session", until: end)
        try a.store.set(3, for: "z")
        try await a.exchange()
        let page = try a.store.inspectionPage(InspectionQuery(table: "entries"))
        #expect(page.records.map(\.key) == ["kept", "session", "z"])
        #expect(page.records[0].expiry == nil && page.records[1].expiry != nil)
        time.advance(by: .seconds(7_200))
        var query = InspectionQuery(table: "entries", limit: 1)
        query.after = ">kept"
        #expect(try a.store.inspectionPage(query).records.map(\.key) == ["z"])
        #expect(try a.store.entries(after: nil, limit: 2).map(\.key) == ["kept", "z"])
        #expect(try a.store.verify().problems == [])
    }

    @Test func rowsArePendingCommitsWithPrefix() throws {
        let a = try machine()
        for number in 0..<12 { try a.store.set(.int(Int64(number)), for: "x") }
        let inspected = InspectedReplication(a.store)
        #expect(try inspected.inspectionRows(prefix: "1", limit: 2).map(\.key) == ["1", "10"])
        #expect(try inspected.inspectionRows(prefix: "11", limit: 10).map(\.key) == ["11"])
        #expect(try inspected.inspectionRows(prefix: "", limit: 0) == [])
        let table = try #require(inspected.inspectionTable(named: "pending"))
        #expect(table.count == nil && table.columns.count == 4)
        #expect(try a.store.verify().problems == [])
    }

    @Test func manyExpiredEntriesAreSkippedInFewReads() async throws {
        let replica = StoreThatCountsPages(base: MemoryStore())
        var options = ReplicatedStoreOptions()
        options.environment.time = time
        let a = try Machine(cluster, replica: replica, options: options)
        let end = time.now + 60
        for number in 0..<1_500 { try a.store.set(1, for: StoreKey("expired.\(number)"), until: end) }
        for key in ["a", "z"] { try a.store.set(1, for: StoreKey(key)) }
        try await a.exchange()
        time.advance(by: .seconds(120))
        replica.pages.withLock { $0 = 0 }
        #expect(try a.store.entries(after: nil, limit: 2).map(\.key) == ["a", "z"])
        #expect(try a.store.inspectionRecord("expired.1", in: "entries") == nil)
        #expect(replica.pages.withLock(\.self) < 12)
        #expect(try a.store.verify().problems == [])
    }

    @Test func counterOfCorruptReplicaIsAnErrorInsteadOfAnEndlessSearch() throws {
        let replica = MemoryStore()
        var batch = StoreBatch()
        batch.set(.array([.int(.max), 0]), for: StoreKey(reserved: ReservedRecord.replica + ".next"))
        _ = try replica.commit(batch)
        var options = ReplicatedStoreOptions()
        options.environment.time = time
        let a = try Machine(cluster, replica: replica, options: options)
        let inspected = InspectedReplication(a.store)
        let error = #expect(throws: StoreError.self) { try inspected.inspectionTables() }
        #expect(error?.code == .damaged)
        #expect(try inspected.inspectionFacts().contains { $0.name == "failure" })
        #expect(try !a.store.verify().isIntact)
    }
}

/// A replica that counts the pages that are read from it.
private final class StoreThatCountsPages: ForwardingStore, PagingStore {
    let base: any KeyValueStore
    let pages = Mutex(0)

    init(base: any KeyValueStore) { self.base = base }

    func page(_ request: EntryPageRequest) throws -> EntryPage {
        pages.withLock { $0 += 1 }
        return try base.entryPage(request)
    }
}
