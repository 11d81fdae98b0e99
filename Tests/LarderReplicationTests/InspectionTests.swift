import Foundation
import LarderCore
import LarderReplication
import LarderStores
import LarderTestTraits
import LarderTesting
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
        #expect(page.records.map { $0.values.suffix(2) } == [[["x"], [1]]])
        var query = InspectionQuery(table: "pending", limit: 1)
        query.after = page.next
        let second = try inspected.inspectionPage(query)
        #expect(second.records.map { $0.values.suffix(2) } == [[["y"], [2]]] && second.next == nil)
        // Another machine is first, so that the second commit is refused.
        try b.store.set(0, for: "y")
        try await b.exchange()
        try await a.exchange()
        #expect(try inspected.inspectionTables().map(\.count) == [0, 1])
        let rejected = try inspected.inspectionPage(InspectionQuery(table: "rejected")).records
        #expect(rejected.map { $0.values[1...] } == [["refused", ["y"], [2]]])
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
}
