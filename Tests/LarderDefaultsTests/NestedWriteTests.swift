import Foundation
import LarderCore
import LarderDefaults
import LarderStores
import LarderTestSupport
import Testing

private struct Keys: DefaultsKeyStore {
    var number: DefaultsKey<Int> { .init("NestedWrite.number", defaultValue: 0) }
    var other: DefaultsKey<Int> { .init("NestedWrite.other", defaultValue: 0) }
    var tags: DefaultsKey<[String]> { .init("NestedWrite.tags", defaultValue: []) }
}

/// Tests that a transaction rejects writes that its closure makes through the adapter to keys that the transaction uses.
///
/// Such writes would conflict with the transaction on every run.
struct NestedWriteTests {
    private let store: any KeyValueStore = MemoryStore()
    private let adapter: DefaultsAdapter<Keys>

    init() { adapter = DefaultsAdapter(store: store, keyStore: Keys()) }

    /// Runs `body`, which must throw an error that names the key and must not change the value.
    private func expectRefusal(_ body: () throws -> Void) throws {
        let before = try store.get("NestedWrite.number")
        var refusal: (any Error)?
        _ = issues { do { try body() } catch { refusal = error } }
        let error = try #require(refusal as? DefaultsError)
        #expect(error.code.description == "nestedWrite")
        #expect(error.key == "NestedWrite.number")
        #expect(error.message.contains("NestedWrite.number"))
        #expect(try store.get("NestedWrite.number") == before)
        #expect(try store.verify().isIntact)
    }

    @Test func subscriptWriteInsideModifyIsRejectedAndReported() throws {
        try expectRefusal { try adapter.modify(\.number) { _ in adapter.number = 5 } }
        let reported = issues { _ = try? adapter.modify(\.number) { _ in adapter.number = 5 } }
        #expect(reported.map(\.code) == [.writeFailed])
        #expect(reported.map(\.key) == ["NestedWrite.number"])
    }

    @Test func inPlaceMutationInsideModifyIsRejected() throws {
        try expectRefusal { try adapter.modify(\.number) { _ in adapter.number += 1 } }
        try expectRefusal {
            try adapter.transaction {
                _ = $0.number; adapter[\.number] += 1
            }
        }
    }

    @Test func writeByAnyMethodInsideModifyIsRejected() throws {
        adapter.number = 3
        try expectRefusal { try adapter.modify(\.number) { _ in try adapter.write(\.number, 5) } }
        try expectRefusal { try adapter.modify(\.number) { _ in adapter.remove(\.number) } }
        try expectRefusal { try adapter.modify(\.number) { _ in adapter.reset(\.number, \.other) } }
        try expectRefusal { try adapter.modify(\.number) { _ in adapter.removeAll() } }
        try expectRefusal { try adapter.modify(\.number) { _ in adapter.reset(names: ["NestedWrite.number"]) } }
        try expectRefusal { try adapter.modify(\.number) { _ in try adapter.importValues(["NestedWrite.number": 5]) } }
        let wrapped = DefaultsValue(Keys().number, in: adapter)
        try expectRefusal { try adapter.modify(\.number) { _ in wrapped.wrappedValue += 1 } }
    }

    @Test func nestedModifyIsRejected() throws {
        adapter.number = 3
        try expectRefusal {
            try adapter.modify(\.number) { outer in
                try adapter.modify(\.number) { $0 += 1 }
                outer += 1
            }
        }
        // The transaction throws the error even if its closure catches it.
        try expectRefusal {
            try adapter.modify(\.number) { outer in
                try? adapter.modify(\.number) { $0 += 1 }
                outer += 1
            }
        }
        try expectRefusal {
            try adapter.transaction { outer in
                outer.number += 1
                try adapter.transaction { $0.number += 1 }
            }
        }
    }

    @Test func nestedWriteThroughAnotherAdapterIsRejected() throws {
        let other = DefaultsAdapter(store: store, keyStore: Keys())
        try expectRefusal { try adapter.modify(\.number) { _ in other.number += 1 } }
    }

    @Test func modifyCanWriteOtherKeysAndStores() throws {
        let elsewhere = DefaultsAdapter(store: MemoryStore(), keyStore: Keys())
        try adapter.modify(\.number) { number in
            adapter.other = 5
            elsewhere.number = 7
            try adapter.modify(\.tags) { $0 = ["a"] }
            number += 1
        }
        #expect(adapter.number == 1 && adapter.other == 5 && elsewhere.number == 7 && adapter.tags == ["a"])
    }

    @Test func writeByAnotherThreadDuringModifyIsAccepted() throws {
        let adapter = adapter
        var runs = 0
        try adapter.modify(\.number) { number in
            runs += 1
            if runs == 1 { blockingly { adapter.number = 10 } }
            number += 1
        }
        #expect(adapter.number == 11 && runs == 2)
    }

    @Test func modifyThrowsConflictWhenClosureWritesToStore() throws {
        var runs: Int64 = 0
        #expect {
            try adapter.modify(\.number) { number in
                runs += 1
                try store.set(.int(runs), for: "NestedWrite.number")
                number += 1
            }
        } throws: {
            ($0 as? StoreError)?.code == .conflict
        }
        #expect(runs == 100)
        #expect(throws: StoreError.self) {
            try adapter.transaction { transaction in
                let number = transaction.number
                adapter.defaults.set(number + 1, forKey: "NestedWrite.number")
                transaction.other = number
            }
        }
        #expect(!adapter.hasKey(\.other))
    }

    @Test func keyCanBeWrittenAfterRejectedNestedWrite() throws {
        _ = issues { _ = try? adapter.modify(\.number) { _ in adapter.number = 5 } }
        adapter.number = 6
        #expect(adapter.number == 6)
    }

    /// Runs `body` on another thread and waits for it.
    private func blockingly(_ body: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            body()
            done.signal()
        }
        done.wait()
    }
}
