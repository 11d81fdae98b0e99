import LarderCore
import LarderDefaults
import LarderStores
import Testing

private struct Keys: DefaultsKeyStore {
    var count: DefaultsKey<Int> { .init("Increment.count", defaultValue: 10) }
    var small: DefaultsKey<Int8> { .init("Increment.small", defaultValue: 0, validation: .clamp(to: 0...9)) }
    var weight: DefaultsKey<Double> { .init("Increment.weight", defaultValue: 0.5) }
    var unsigned: DefaultsKey<UInt> { .init("Increment.unsigned", defaultValue: 1) }
}

struct IncrementTests {
    private let store: any KeyValueStore = MemoryStore()
    private let adapter: DefaultsAdapter<Keys>

    init() { adapter = DefaultsAdapter(store: store, keyStore: Keys()) }

    @Test func incrementStartsFromDefaultAndReturnsSum() throws {
        #expect(try adapter.increment(\.count) == 11)
        #expect(try adapter.increment(Keys().count, by: -5) == 6)
        #expect(try adapter.increment(\.weight, by: 0.25) == 0.75)
        #expect(adapter.count == 6 && adapter.weight == 0.75)
        #expect(try store.verify().isIntact)
    }

    @Test func incrementAppliesValidation() throws {
        #expect(try adapter.increment(\.small, by: 100) == 9)
        #expect(adapter.small == 9)
    }

    @Test func overflowingIncrementThrowsAndChangesNothing() throws {
        adapter.count = .max
        #expect { try adapter.increment(\.count) } throws: {
            ($0 as? DefaultsError)?.code == .overflow && ($0 as? DefaultsError)?.key == "Increment.count"
        }
        #expect(adapter.count == .max)
    }

    @Test func incrementDoesNotOverwriteNonNumericValue() throws {
        try store.set("many", for: "Increment.count")
        #expect { try adapter.increment(\.count) } throws: { ($0 as? DefaultsError)?.code == .wrongType }
        #expect(try store.get("Increment.count") == "many")
    }

    @Test func concurrentIncrementsByManyTasksAreAllCounted() async throws {
        let adapter = adapter
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<100 { try adapter.increment(\.count) } } }
            try await group.waitForAll()
        }
        #expect(adapter.count == 810)
    }
}
