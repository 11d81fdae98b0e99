import LarderCore
import LarderDefaults
import LarderReplication
import LarderStores
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Testing

private struct Keys: DefaultsKeyStore {
    let volume = DefaultsKey<Double>("volume", defaultValue: 0)
}

/// Migrations into a store that replicates, of which only one machine makes each.
@Suite(.expectsIssues(.degraded, .rolledBack))
struct ReplicatedMigrationTests {
    private let cluster = SimulatedCluster(seed: 37)

    private static func migrate(_ store: ReplicatedStore) async throws -> DefaultsMigrationReport.Outcome {
        let migration = DefaultsMigration<Keys>(
            "1",
            [.change(\.volume, was: "loudness", from: Int.self) { Double($0) / 100 }]
        )
        return try await migration.run(in: DefaultsAdapter(store: store, keyStore: Keys())).outcome
    }

    private func machines() throws -> [Machine] {
        var options = ReplicatedStoreOptions()
        options.deadline = .seconds(600)
        return [try Machine(cluster, "a", options: options), try Machine(cluster, "b", options: options)]
    }

    @Test func oneMachineMigratesTypedDefaults() async throws {
        let machines = try machines()
        try machines[0].store.set(80, for: "loudness")
        for machine in machines { try await machine.exchange() }
        let running = machines.map { RunningStore($0.store) }
        async let first = Self.migrate(machines[0].store)
        async let second = Self.migrate(machines[1].store)
        let outcomes = try await [first, second]
        #expect(Set(outcomes) == [.migrated, .alreadyDone])
        let marker = StoreKey(reserved: ".defaults.migrated.1")
        let writes = cluster.history.flatMap(\.writes).filter { $0.key == Array(marker.text.utf8) }
        #expect(writes.count == 1)
        for machine in machines { #expect(try machine.store.get("volume") == 0.8) }
        withExtendedLifetime(running) {}
    }

    @Test func migrationOfTypedDefaultsFailsWithoutTheCluster() async throws {
        var options = ReplicatedStoreOptions()
        options.deadline = .milliseconds(20)
        let a = try Machine(cluster, options: options)
        try a.store.set(80, for: "loudness")
        try await a.exchange()
        cluster.setReachable("a", false)
        let error = await #expect(throws: StoreError.self) { try await Self.migrate(a.store) }
        #expect(error?.code == .notConfirmed)
        #expect(try a.store.get("loudness") == 80)
        #expect(try a.store.get("volume") == nil)
    }

    @Test func oneMachineMigratesAStore() async throws {
        let machines = try machines()
        for machine in machines { try await machine.exchange() }
        let running = machines.map { RunningStore($0.store) }
        let old = MemoryStore()
        try old.set(1, for: "x")
        let migration = StoreMigration("old", from: old)
        for machine in machines {
            let report = try await migration.run(into: machine.store)
            #expect(report.outcome == (machine.engine.name == "a" ? .migrated : .alreadyDone))
            #expect(try machine.store.get("x") == 1)
        }
        #expect(cluster.history.count == 1)
        for machine in machines { #expect(try machine.store.rejected().isEmpty) }
        withExtendedLifetime(running) {}
    }
}
