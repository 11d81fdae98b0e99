import Foundation
import LarderCore
import LarderDefaults
import LarderStores
import LarderTestSupport
import LarderTesting
import Testing

extension DefaultsKeys {
    fileprivate var one: DefaultsKey<Int> { .init("one", defaultValue: 0) }
    fileprivate var two: DefaultsKey<Int> { .init("two", defaultValue: 0) }
}

/// Tests behaviors 74 to 77, which are guarantees of Jetpack DataStore that Larder also gives.
struct DataStoreBehaviorTests {
    private struct Stop: Error {}

    private let store = RecordingStore(MemoryStore())
    private let adapter: DefaultsAdapter<DefaultsKeys>

    init() { adapter = DefaultsAdapter(store: store, keyStore: DefaultsKeys()) }

    // Behavior 74.
    @Test func throwingTransactionChangesNothing() throws {
        #expect(throws: Stop.self) {
            try adapter.transaction { transaction in
                transaction.one = 1
                throw Stop()
            }
        }
        #expect(adapter.one == 0 && store.writes.isEmpty)
    }

    // Behavior 74.
    @Test func writingEqualValueCausesNoChange() throws {
        adapter.one = 1
        let told = Recorder<Int?>()
        let token = adapter.observe(\.one) { told.add($0.newValue) }
        try adapter.modify(\.one) { $0 = 1 }
        adapter.one = 1
        #expect(told.all.isEmpty)
        token.dispose()
    }

    // Behavior 75.
    @Test func nestedTransactionCanWriteOnlyOtherKeys() throws {
        // DataStore rejects all nested writes, because they would deadlock. Larder holds no lock while the closure runs, and
        // rejects only writes that would
        // make the outer transaction conflict forever.
        var runs = 0
        #expect {
            try adapter.transaction {
                $0.two = $0.one; try adapter.transaction { $0.one = 5 }
            }
        } throws: {
            ($0 as? DefaultsError)?.code == .nestedWrite
        }
        #expect(adapter.one == 0 && adapter.two == 0)
        try adapter.transaction { transaction in
            runs += 1
            try adapter.transaction { $0.one = 5 }
            transaction.two = 6
        }
        #expect(runs == 1)
        #expect(adapter.one == 5 && adapter.two == 6)
    }

    // Behavior 76.
    @Test func migrationRunsOnceAndRetriesAfterFailure() throws {
        try store.set("x", for: "old")
        let migration = DefaultsMigration<DefaultsKeys>("1", [.rename("old", to: \.one)])
        #expect(try migration.run(in: adapter).outcome == .refused)
        try store.set("4", for: "old")
        #expect(try migration.run(in: adapter).outcome == .migrated)
        #expect(adapter.one == 4)
        #expect(try migration.run(in: adapter).outcome == .alreadyDone)
    }

    // Behavior 77.
    @Test func readerNeverSeesOlderValueAfterNewerOne() async throws {
        let adapter = adapter
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for number in 1...2_000 { adapter.one = number }
                return true
            }
            for _ in 0..<3 {
                group.addTask {
                    var last = 0
                    for _ in 0..<2_000 {
                        let now = adapter.one
                        guard now >= last else { return false }
                        last = now
                    }
                    return true
                }
            }
            for await isInOrder in group { #expect(isInOrder) }
        }
        #expect(try store.verify().isIntact)
    }
}
