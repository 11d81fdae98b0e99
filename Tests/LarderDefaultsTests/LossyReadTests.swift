import Foundation
import LarderCore
import LarderDefaults
import LarderStores
import Testing

private struct Keys: DefaultsKeyStore {
    var number: DefaultsKey<Int> { .init("LossyRead.number", defaultValue: 0) }
    var list: DefaultsKey<[Int]> { .init("LossyRead.list", defaultValue: []) }
    var clamped: DefaultsKey<Int> {
        .init("LossyRead.clamped", defaultValue: 0, validation: .clamp(to: 0...9))
    }
}

/// Tests that every way to read a stored 2.7 with an `Int` key returns 2 and reports a lossy conversion.
struct LossyReadTests {
    private let store: any KeyValueStore = MemoryStore()
    private let adapter: DefaultsAdapter<Keys>

    init() throws {
        adapter = DefaultsAdapter(store: store, keyStore: Keys())
        try store.set(.double(2.7), for: "LossyRead.number")
        try store.set([.double(2.7)], for: "LossyRead.list")
        try store.set(.double(2.7), for: "LossyRead.clamped")
    }

    private func expectOneIssue(_ key: String = "LossyRead.number", _ body: () throws -> Void) throws {
        let issues = try issues(during: body)
        #expect(issues.map(\.code) == [.lossyConversion])
        #expect(issues.map(\.key) == [key])
    }

    @Test func lossySubscriptReadIsReported() throws {
        try expectOneIssue { #expect(adapter.number == 2) }
        try expectOneIssue("LossyRead.list") { #expect(adapter.list == [2]) }
        try expectOneIssue("LossyRead.clamped") { #expect(adapter.clamped == 2) }
        #expect(try store.get("LossyRead.number") == .double(2.7))
    }

    @Test func lossyReadMethodCallIsReported() throws {
        try expectOneIssue {
            let read = try adapter.read(\.number); #expect(read == 2)
        }
        try expectOneIssue("LossyRead.list") {
            let read = try adapter.read(\.list); #expect(read == [2])
        }
        try expectOneIssue("LossyRead.clamped") {
            let read = try adapter.read(\.clamped); #expect(read == 2)
        }
    }

    @Test func lossyReadIsReportedOncePerTransaction() throws {
        var runs = 0
        try expectOneIssue {
            try adapter.transaction { transaction in
                runs += 1
                #expect(transaction.number == 2)
                if runs == 1 { try store.set(.double(2.5), for: "LossyRead.number") }
                transaction.clamped = 1
            }
        }
        #expect(runs == 2)
        #expect(try store.get("LossyRead.clamped") == 1)
        #expect(try store.verify().isIntact)
    }

    @Test func lossyReadInModifyAndInPlaceMutationIsReported() throws {
        try expectOneIssue { try adapter.modify(\.number) { $0 += 1 } }
        #expect(try store.get("LossyRead.number") == 3)
        try store.set(.double(2.7), for: "LossyRead.number")
        try expectOneIssue { adapter.number += 1 }
        #expect(try store.get("LossyRead.number") == 3)
        #expect(try store.verify().isIntact)
    }

    @Test func lossyObserverReadIsReported() throws {
        try store.set(1, for: "LossyRead.number")
        let told = Recorder<Int?>()
        let token = adapter.observe(\.number, options: .new) { told.add($0.newValue) }
        try expectOneIssue { try store.set(.double(4.5), for: "LossyRead.number") }
        #expect(told.all == [4])
        token.dispose()
    }

    @Test func lossyMigrationReadIsReported() throws {
        let migration = DefaultsMigration<Keys>("lossy", [.adopt(\.number)])
        try expectOneIssue { try migration.run(in: adapter) }
        #expect(try store.get("LossyRead.number") == 2)
    }
}
