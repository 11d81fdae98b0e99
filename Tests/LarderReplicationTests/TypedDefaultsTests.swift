import LarderCore
import LarderDefaults
import LarderReplication
import LarderTesting
import Testing

private struct Keys: DefaultsKeyStore {}

/// Typed defaults that several machines write, with keys that are not declared as properties of a key store.
struct TypedDefaultsTests {
    private let cluster = SimulatedCluster(seed: 41)

    private func number(_ name: String) -> DefaultsKey<Int> { DefaultsKey(name, defaultValue: 0) }

    private func adapter(_ store: any KeyValueStore) -> DefaultsAdapter<Keys> {
        DefaultsAdapter(store: store, keyStore: Keys())
    }

    @Test func machinesThatWriteTheirFirstValuesAtOnceDoNotConflict() async throws {
        let machines = try [Machine(cluster, "a"), Machine(cluster, "b")]
        for machine in machines { try await machine.exchange() }
        for machine in machines {
            let defaults = adapter(machine.store)
            for name in ["shared", "of \(machine.engine.name)"] { defaults[key: number(name)] = 1 }
        }
        for machine in machines + machines { try await machine.exchange() }
        for machine in machines {
            #expect(try machine.store.rejected().isEmpty)
            #expect(try machine.store.keys() == ["of a", "of b", "shared"])
            #expect(try Set(adapter(machine.store).storedNames()) == ["of a", "of b", "shared"])
            try machine.expectAgreement(with: cluster)
        }
        adapter(machines[0].store).removeAll()
        for machine in machines { try await machine.exchange() }
        for machine in machines {
            #expect(try machine.store.count() == 0)
            try machine.expectAgreement(with: cluster)
        }
    }

    @Test func recordedNameIsNotWrittenAgain() async throws {
        let machines = try [Machine(cluster, "a"), Machine(cluster, "b")]
        adapter(machines[0].store)[key: number("x")] = 1
        for machine in machines { try await machine.exchange() }
        for machine in machines {
            // A new adapter behaves like a new process.
            let defaults = adapter(machine.store)
            for value in 2...3 {
                let before = machine.store.freshness.pending
                defaults[key: number("x")] = value
                #expect(machine.store.freshness.pending == before + 1)
            }
            try await machine.exchange()
        }
        try machines[1].expectAgreement(with: cluster)
    }

    @Test func namesInTheListOfAnEarlierVersionAreFound() async throws {
        let machine = try Machine(cluster)
        // The earlier version had a list in stores that replicate, too.
        let list = "name:\(Keys.keyStoreName)"
        try machine.store.set(.int(1), for: StoreKey(reserved: ".defaults.written.count:\(list)"))
        try machine.store.set(.string("old"), for: StoreKey(reserved: ".defaults.written.name:0:\(list)"))
        try machine.store.set(1, for: "old")
        let defaults = adapter(machine.store)
        defaults[key: number("old")] = 2
        defaults[key: number("new")] = 2
        #expect(try Set(defaults.storedNames()) == ["new", "old"])
        defaults.removeAll()
        #expect(try machine.store.count() == 0)
        #expect(try machine.store.verify().problems == [])
    }
}
