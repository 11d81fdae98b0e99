import Foundation
import LarderCore
import LarderDefaults
import LarderDeviceStore
import LarderTestSupport
import Testing

private struct Keys: DefaultsKeyStore {
    var number: DefaultsKey<Int> { .init("LostUpdate.number", defaultValue: 0) }
    var tags: DefaultsKey<[String]> { .init("LostUpdate.tags", defaultValue: []) }
    var name: DefaultsKey<String?> { .init("LostUpdate.name") }
    var frog: DefaultsKey<CodableFrog> { .init("LostUpdate.frog", defaultValue: CodableFrog(name: "")) }
    var bridged: DefaultsKey<BridgedFrog> { .init("LostUpdate.bridged", defaultValue: BridgedFrog(name: "")) }
    var ruled: DefaultsKey<Int> { .init("LostUpdate.ruled", was: "LostUpdate.former", defaultValue: 0) }
}

/// Tests that an in-place change is dropped and reported once if it conflicts with a concurrent write.
struct LostUpdateTests {
    private let store: DeviceStore
    private let adapter: DefaultsAdapter<Keys>
    // Declared last, because properties are released in this order and the folder is removed when this property is released.
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        store = try DeviceStore(path: folder.path("s.larder"))
        adapter = DefaultsAdapter(store: store, keyStore: Keys())
    }

    private func change<Value>(_ value: inout Value, to new: Value, meanwhile: () throws -> Void) rethrows {
        value = new
        try meanwhile()
    }

    /// Fails unless `issues` consists of one issue that reports a dropped in-place change of `key` to `value`.
    private func expectLoss(_ issues: [LarderIssue], key: String, value: String) {
        #expect(issues.map(\.code.description) == ["lostUpdate"])
        #expect(issues.map(\.key) == [key])
        #expect(issues.first?.message.contains(value) == true)
        #expect(issues.first?.message.contains("modify") == true)
    }

    @Test func nestedWriteIsKeptAndOuterUpdateIsReportedAsLost() throws {
        let issues = issues { change(&adapter.number, to: 1) { adapter.number += 10 } }
        #expect(adapter.number == 10)
        expectLoss(issues, key: "LostUpdate.number", value: "1")
        #expect(try store.verify().isIntact)
    }

    @Test func nestedWriteIsKeptForEveryKeyType() throws {
        expectLoss(
            issues { change(&adapter.tags, to: ["lost"]) { adapter.tags.append("kept") } },
            key: "LostUpdate.tags",
            value: "lost"
        )
        #expect(adapter.tags == ["kept"])
        expectLoss(
            issues { change(&adapter.name, to: "lost") { adapter.name = "kept" } },
            key: "LostUpdate.name",
            value: "lost"
        )
        #expect(adapter.name == "kept")
        expectLoss(
            issues { change(&adapter.frog.name, to: "lost") { adapter.frog.weight = 7 } },
            key: "LostUpdate.frog",
            value: "lost"
        )
        #expect(adapter.frog == CodableFrog(name: "", weight: 7))
        expectLoss(
            issues {
                change(&adapter.bridged, to: BridgedFrog(name: "lost")) { adapter.bridged = BridgedFrog(name: "kept") }
            },
            key: "LostUpdate.bridged",
            value: "lost"
        )
        #expect(adapter.bridged.name == "kept")
        expectLoss(
            issues { change(&adapter.ruled, to: 1) { adapter.ruled = 2 } },
            key: "LostUpdate.ruled",
            value: "1"
        )
        #expect(adapter.ruled == 2)
        #expect(try store.verify().isIntact)
    }

    @Test func concurrentWriteThroughAnotherStoreInstanceIsKept() throws {
        // This object represents another process, because it shares no claims with the first one.
        let other = DefaultsAdapter(store: try DeviceStore(path: folder.path("s.larder")), keyStore: Keys())
        expectLoss(
            issues { change(&adapter.number, to: 1) { other.number += 10 } },
            key: "LostUpdate.number",
            value: "1"
        )
        expectLoss(
            issues { change(&adapter.tags, to: ["lost"]) { other.tags.append("kept") } },
            key: "LostUpdate.tags",
            value: "lost"
        )
        expectLoss(
            issues { change(&adapter.frog.name, to: "lost") { other.frog.weight = 7 } },
            key: "LostUpdate.frog",
            value: "lost"
        )
        expectLoss(
            issues {
                change(&adapter.bridged, to: BridgedFrog(name: "lost")) { other.bridged = BridgedFrog(name: "kept") }
            },
            key: "LostUpdate.bridged",
            value: "lost"
        )
        #expect(adapter.number == 10 && adapter.tags == ["kept"] && adapter.frog == CodableFrog(name: "", weight: 7))
        #expect(adapter.bridged.name == "kept")
        #expect(try store.verify().isIntact)
    }

    @Test func concurrentWriteToFormerNameIsKept() throws {
        let issues = try issues { try change(&adapter.ruled, to: 1) { try store.set(5, for: "LostUpdate.former") } }
        expectLoss(issues, key: "LostUpdate.ruled", value: "1")
        #expect(adapter.ruled == 5)
    }

    @Test func inPlaceMutationDoesNotUndoRemoval() throws {
        adapter.number = 5
        let issues = issues { change(&adapter.number, to: 6) { adapter.remove(\.number) } }
        expectLoss(issues, key: "LostUpdate.number", value: "6")
        #expect(!adapter.hasKey(\.number))
    }

    @Test func noOpInPlaceMutationPreservesConcurrentWrite() {
        adapter.tags = ["before"]
        let issues = issues { change(&adapter.tags, to: ["before"]) { adapter.tags = ["later"] } }
        #expect(issues.isEmpty)
        #expect(adapter.tags == ["later"])
    }

    @Test func lostPropertyWrapperUpdateIsReported() {
        let wrapped = DefaultsValue(Keys().number, in: adapter)
        let issues = issues { change(&wrapped.wrappedValue, to: 1) { adapter.number = 10 } }
        expectLoss(issues, key: "LostUpdate.number", value: "1")
        #expect(wrapped.wrappedValue == 10)
    }

    @Test func lostUpdatesOfSuspendedTasksAreReported() async throws {
        let recorder = IssueRecorder()
        let started = Recorder<Int>()
        let adapter = adapter
        // Tasks on the main actor inherit the handler and run on one thread, each while another task is suspended.
        let tasks = withIssueHandler({ recorder.add($0) }) {
            (0..<5).map { number in
                Task { @MainActor in await adapter.number.add(1, after: started, number, of: 5) }
            }
        }
        for task in tasks { await task.value }
        #expect(adapter.number + recorder.issues.count == 5)
        #expect(recorder.issues.allSatisfy { $0.code.description == "lostUpdate" && $0.key == "LostUpdate.number" })
        #expect(try store.verify().isIntact)
    }

    @Test func lostUpdateIssueTruncatesLongValue() {
        let long = String(repeating: "x", count: 100_000)
        let issues = issues { change(&adapter.tags, to: [long]) { adapter.tags = ["kept"] } }
        #expect(issues.count == 1)
        #expect(issues.allSatisfy { $0.message.utf8.count < 1_000 })
    }

    @Test func expiringValueCanBeMutatedInPlace() throws {
        try store.set(5, for: "LostUpdate.number", until: .distantFuture)
        let issues = issues { adapter.number += 1 }
        #expect(issues.isEmpty)
        #expect(adapter.number == 6)
        #expect(try store.verify().isIntact)
    }

    @Test func concurrentWriteOfAnotherTypeIsKept() throws {
        try store.set(5, for: "LostUpdate.number")
        // 5.0 equals the stored number 5, but it is a different stored value.
        let issues = try issues { try change(&adapter.number, to: 6) { try store.set(5.0, for: "LostUpdate.number") } }
        expectLoss(issues, key: "LostUpdate.number", value: "6")
        #expect(try store.get("LostUpdate.number") == 5.0)
        #expect(try store.verify().isIntact)
    }

    @Test func inPlaceMutationDoesNotOverwriteUnreadableValue() throws {
        let failing = FailingStore(store)
        let adapter = DefaultsAdapter(store: failing, keyStore: Keys())
        adapter.number = 5
        let issues = issues {
            failing.failReading()
            change(&adapter.number, to: 1) { failing.failReading { _ in false } }
        }
        #expect(issues.contains { $0.code == .writeFailed })
        #expect(try store.get("LostUpdate.number") == 5)
    }
}

extension Int {
    /// Adds `amount` after all tasks have begun their changes, so that all of them have read the same value.
    fileprivate mutating func add(_ amount: Int, after started: Recorder<Int>, _ number: Int, of count: Int) async {
        let value = self
        started.add(number)
        while started.all.count < count { await Task.yield() }
        self = value + amount
    }
}
