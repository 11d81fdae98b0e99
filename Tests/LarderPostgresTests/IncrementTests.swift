#if Postgres
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderReplication
import LarderTestSupport
import LarderTestTraits
import Testing

@testable import LarderPostgres

/// Processes of three machines that count while they, their servers and their connections fail.
@Suite(.needsPostgres, .expectsIssues(.degraded, .rolledBack, .damaged))
struct IncrementTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// The number of increments of each machine, which `LARDER_INCREMENTS` in the environment sets; see `Scripts/torture.sh`.
    private static let increments =
        ProcessInfo.processInfo.environment["LARDER_INCREMENTS"].flatMap { Int($0) } ?? 334

    /// Three machines, of which the first one has two processes.
    private struct Fleet {
        let processes: [ReplicaProcess]
        private let replicas: [String]

        init(_ address: String, in folder: TemporaryDirectory) throws {
            let increments = IncrementTests.increments
            replicas = ["one", "two", "three"].map { folder.path($0 + ".larder") }
            let plan = [
                ("a", 0, increments / 2), ("b", 0, increments - increments / 2),
                ("c", 1, increments), ("d", 2, increments),
            ]
            processes = try plan.map { [replicas] name, machine, count in
                try ReplicaProcess(name, count: count, replica: replicas[machine], address: address, in: folder)
            }
        }

        var total: Int { processes.reduce(0) { $0 + $1.count } }

        /// Waits until a share of all increments is confirmed.
        func reach(_ share: Double) async throws {
            let next = Int(Double(total) * share)
            try await waitUntil(within: .seconds(300 + total), "\(next) of \(total) increments") {
                try processes.reduce(0) { $0 + (try $1.progress) } >= next
            }
        }

        /// Kills all processes and checks what is in the replicas.
        func expectAgreement(with engine: PostgresEngine) async throws {
            try await withBlockingWork { for process in processes { try process.kill() } }
            let entries = try await engine.allEntries()
            for path in replicas {
                let machine = try PostgresMachine(engine, replica: DeviceStore(path: path))
                let store = machine.store
                try await machine.follow(engine)
                #expect(try store.value(Int.self, for: "count") == total)
                #expect(try store.entries(prefix: "done.").count == total)
                for process in processes {
                    #expect(try store.value(Int.self, for: StoreKey("own.\(process.name)")) == process.count)
                }
                #expect(try store.entries().map { Array($0.key.utf8) } == entries.map(\.key))
                #expect(try store.entries().map { try $0.value.encoded() } == entries.map(\.value))
                #expect(try store.rejected().isEmpty)
                #expect(try store.verify().problems == [])
                await machine.stop()
            }
        }
    }

    @Test func incrementsAreCountedExactlyThroughEveryFault() async throws {
        let pair = try await ServerPair(isSynchronous: true)
        _ = try await pair.primary.connectedEngine("flags").here()
        let networks = try [pair.primary, pair.standby].map { try LoopbackProxy(to: $0.port) }
        // An optimized build would release them, and close their ports, after the last use.
        defer { withExtendedLifetime(networks) {} }
        let hosts = networks.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
        let address = "postgresql://postgres@\(hosts)/postgres?sslmode=disable&gssencmode=disable&connect_timeout=5"
        let fleet = try Fleet(address, in: folder)
        let (a, b, c, d) = (fleet.processes[0], fleet.processes[1], fleet.processes[2], fleet.processes[3])

        try await fleet.reach(0.05)
        try await a.restart()
        try await fleet.reach(0.1)
        try await pair.primary.terminateConnections(of: "larder")
        try await b.restart()
        // A machine misses what is trimmed meanwhile, and takes a snapshot.
        try await fleet.reach(0.15)
        c.freeze()
        try await fleet.reach(0.2)
        try await pair.primary.trimHistory(of: "flags")
        c.thaw()
        try await fleet.reach(0.3)
        networks[0].cut()
        try await d.restart()
        networks[0].heal()
        try await fleet.reach(0.4)
        try pair.primary.freeze()
        try await c.restart()
        try pair.primary.thaw()
        try await pair.primary.terminateConnections(of: "larder")
        try await fleet.reach(0.5)
        try pair.standby.freeze()
        try await waitUntilAsync("a commit that waits for the standby") {
            let found = try await pair.primary.sql("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
            return found.isEmpty ? nil : true
        }
        try await a.restart()
        try pair.standby.thaw()
        try await fleet.reach(0.6)
        try pair.standby.kill()
        try await d.restart()
        try await pair.standby.restart()
        try await pair.waitForStandby()
        try await fleet.reach(0.7)
        // What a terminated wait has made visible is on the standby before the next confirmed commit.
        try await pair.failOver()
        try await fleet.reach(0.8)
        try await pair.standby.terminateConnections(of: "larder")
        try await b.restart()
        try await fleet.reach(0.9)
        try pair.standby.kill()
        try await pair.standby.restart()
        try await fleet.reach(1)

        let engine = try await pair.standby.connectedEngine("flags")
        #expect(try await pair.standby.sql("SELECT pg_is_in_recovery()") == [["f"]])
        // An attempt that finds its number counted, because the answer to an earlier one was lost, commits no write.
        #expect(try await engine.here().position.revision >= UInt64(fleet.total))
        try await fleet.expectAgreement(with: engine)
    }
}
#endif
