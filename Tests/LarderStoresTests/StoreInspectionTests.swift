import Foundation
import LarderCore
import LarderFiles
import LarderStores
import LarderTestSupport
import LarderTesting
import Synchronization
import Testing

@Suite struct StoreInspectionTests {
    /// The events of an observation.
    private final class Events: Sendable {
        private let events = Mutex<[InspectionEvent]>([])

        var all: [InspectionEvent] { events.withLock(\.self) }
        var changes: [InspectionChange] {
            all.flatMap { if case .changes(let changes, _) = $0 { changes } else { [InspectionChange]() } }
        }
        @Sendable func add(_ event: InspectionEvent) { events.withLock { $0.append(event) } }
    }

    @Test func changesHaveKindsValuesAndOrigin() throws {
        let store = MemoryStore()
        let events = Events()
        let observation = try store.observeForInspection(events.add)
        try store.set(1, for: "a")
        try store.set(2, for: "a")
        try store.remove("a")
        observation?.cancel()
        try store.set(3, for: "a")
        #expect(
            events.changes == [
                InspectionChange(table: "entries", key: "a", kind: .inserted, new: 1),
                InspectionChange(table: "entries", key: "a", kind: .updated, old: 1, new: 2),
                InspectionChange(table: "entries", key: "a", kind: .removed, old: 2),
            ]
        )
        #expect(events.all.count == 3)
        if case .changes(_, let origin) = events.all[0] { #expect(origin == "this process") }
        #expect(store.verify().problems == [])
    }

    @Test func observationOfBurstPausesAndContinues() async throws {
        let store = MemoryStore()
        let events = Events()
        let observation = try store.observeForInspection(events.add)
        var number: Int64 = 0
        // Only the first changes in each tenth of a second are reported.
        try await waitUntil {
            for _ in 0..<2_000 {
                number += 1
                try store.set(.int(number), for: "n")
            }
            return events.all.contains(.missed)
        }
        #expect(events.changes.count < number)
        let seen = events.all.count
        try await waitUntil {
            try store.set(.int(Int64.random(in: .min ... .max)), for: "later")
            return events.all.dropFirst(seen).contains { if case .changes = $0 { true } else { false } }
        }
        observation?.cancel()
        #expect(store.verify().problems == [])
    }

    @Test func commitOfAnotherProcessToPropertyListArrives() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.path("s.plist")
        let store = try PropertyListStore(path: file, on: LocalFileSystem.local)
        try store.set(1, for: "a")
        let events = Events()
        let observation = try store.observeForInspection(events.add)
        // An instance with a file system of its own shares nothing with the other one, like another process.
        let other = try PropertyListStore(path: file, on: LocalFileSystem.local)
        try other.set(2, for: "a")
        try await waitUntil { !events.changes.isEmpty }
        #expect(events.changes == [InspectionChange(table: "entries", key: "a", kind: .updated, old: 1, new: 2)])
        observation?.cancel()
        #expect(try store.verify().problems == [])
    }

    @Test func wrappedStoreShowsFactsAndActionsOfItsBase() throws {
        let folder = try TemporaryDirectory()
        let base = try PropertyListStore(path: folder.path("s.plist"))
        try base.set(1, for: "app.a")
        let view = RecordingStore(base)
        let facts = try view.inspectionFacts()
        #expect(facts.first == InspectionFact("entries", "1"))
        #expect(facts.contains { $0.name == "file bytes" && $0.value != "0" })
        #expect(facts.count { $0.name == "guarantees" } == 1)
        #expect(view.inspectionActions.map(\.name) == ["verify", "backup"])
        #expect(try view.inspectionStatistics().map(\.name) == ["entries", "file bytes", "commits"])
        #expect(try view.inspectionTables().first?.count == 1)
        #expect(try view.verify().problems == [])
    }

    @Test func factsTellTheHealthOfTheFile() throws {
        let folder = try TemporaryDirectory()
        let list = try PropertyListStore(path: folder.path("s.plist"))
        try list.set(1, for: "a")
        #expect(try list.inspectionFacts().contains(InspectionFact("health", "good")))
        #expect(try list.verify().problems == [])
        try Data("broken".utf8).write(to: folder.url("s.plist"))
        let damaged = try list.inspectionFacts()
        #expect(damaged.contains { $0.name == "health" && $0.value.contains("corrupt") })
        #expect(damaged.contains(InspectionFact("file bytes", "6")))
        #expect(!damaged.contains { $0.name == "entries" })
        let preferences = try SharedPreferencesStore(path: folder.path("s.xml"))
        try preferences.set(1, for: "a")
        #expect(try preferences.inspectionFacts().contains(InspectionFact("health", "good")))
        let entries = #"<map><int name="a" value="1" /><int name="b" value="x" /></map>"#
        try Data(entries.utf8).write(to: folder.url("s.xml"))
        let partly = try withIssueHandler({ _ in }) { try preferences.inspectionFacts() }
        #expect(partly.contains { $0.name == "health" && $0.value.hasPrefix("1 part of the file can't be read") })
        #expect(partly.contains(InspectionFact("entries", "1")))
    }

    @Test func prefixedViewShowsNothingOfItsBaseExceptItsEntries() throws {
        let folder = try TemporaryDirectory()
        let base = try PropertyListStore(path: folder.path("s.plist"))
        try base.set(1, for: "app.a")
        try base.set(2, for: "other")
        let view = PrefixedStore(base, prefix: "app.")
        #expect(try view.inspectionFacts().first == InspectionFact("entries", "1"))
        #expect(try !view.inspectionFacts().contains { $0.name == "file bytes" })
        #expect(view.inspectionActions.map(\.name) == ["verify"])
        let backup = try #require(base.inspectionActions.first { $0.name == "backup" })
        let copy = folder.path("copy.plist")
        #expect(try view.perform(backup, writingTo: copy) { _ in } == [])
        #expect(!FileManager.default.fileExists(atPath: copy))
        #expect(view.inspectionStatistics() == [] && view.inspectionReports() == [])
        // Tools mask values by the whole key.
        #expect(view.inspectionTable(named: "entries")?.keyPrefix == "app.")
        let nested = PrefixedStore(RecordingStore(view), prefix: "b.")
        #expect(try nested.inspectionTables().first?.keyPrefix == "app.b.")
        #expect(base.inspectionTable(named: "entries")?.keyPrefix == "")
        #expect(try view.verify().problems == [])
    }

    @Test func verificationOfPropertyListTellsProgressAndCanBeCanceled() throws {
        let folder = try TemporaryDirectory()
        let base = try PropertyListStore(path: folder.path("s.plist"))
        var batch = StoreBatch()
        for number in 0..<3_000 { batch.set(.int(Int64(number)), for: StoreKey("\(number)")) }
        _ = try base.commit(batch)
        for store in [base, PrefixedStore(base, prefix: "1"), RecordingStore(base)] as [any KeyValueStore] {
            let verify = try #require(store.inspectionActions.first { $0.name == "verify" })
            var seen: [Double] = []
            let facts = try store.perform(verify, writingTo: nil) { seen.append($0.fraction) }
            #expect(facts.first == InspectionFact("checked entries", "3000"))
            #expect(seen.count > 4 && seen.last == 1 && seen == seen.sorted())
            var calls = 0
            #expect(throws: CancellationError.self) {
                try store.perform(verify, writingTo: nil) { _ in
                    calls += 1
                    if calls == 4 { throw CancellationError() }
                }
            }
            #expect(calls == 4)
        }
        #expect(try base.verify().problems == [])
    }

    @Test func feedReadsStoreOnThreadOfItsOwn() async throws {
        let store = StoreThatNotesTasks(base: MemoryStore())
        let observation = try store.observeForInspection { _ in }
        try await waitUntil { store.readsInTasks.withLock { !$0.isEmpty } }
        observation?.cancel()
        #expect(store.readsInTasks.withLock { !$0.contains(true) })
        #expect(try store.verify().problems == [])
    }

    @Test func backupOfPropertyListIsACopy() throws {
        let folder = try TemporaryDirectory()
        let store = try PropertyListStore(path: folder.path("s.plist"))
        try store.set("value", for: "key")
        let copy = folder.path("copy.plist")
        let action = try #require(store.inspectionActions.first { $0.name == "backup" })
        #expect(action.fileName == "s.plist")
        var fraction = 0.0
        #expect(try store.perform(action, writingTo: copy) { fraction = $0.fraction } == [])
        #expect(fraction == 1)
        #expect(try PropertyListStore(path: copy).entries() == store.entries())
        #expect(throws: CancellationError.self) {
            try store.perform(action, writingTo: folder.path("third.plist")) { _ in throw CancellationError() }
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("third.plist")))
        // An existing file is never replaced.
        #expect(throws: StoreError.self) { try store.perform(action, writingTo: copy) { _ in } }
        #expect(try store.verify().problems == [])
    }

    @Test func frozenStoreKeepsOneMoment() throws {
        let folder = try TemporaryDirectory()
        let store = try PropertyListStore(path: folder.path("s.plist"))
        try store.set(1, for: "a")
        let frozen = try FrozenStore(store)
        try store.set(2, for: "a")
        try store.set(3, for: "b")
        #expect(try frozen.get("a") == 1)
        #expect(frozen.entries(prefix: "").map(\.key) == ["a"])
        #expect(frozen.inspectionKind == "property list" && frozen.inspectionName == store.path)
        #expect(frozen.inspectionFacts().contains { $0.name == "opened" })
        #expect(frozen.observeForInspection { _ in } == nil)
        let error = #expect(throws: StoreError.self) { try frozen.set(4, for: "a") }
        #expect(error?.code == .readOnly)
        #expect(frozen.verify().problems == [])
    }

    @Test func recordingStoreReadsPagesOfItsBase() throws {
        let base = MemoryStore()
        for key in ["a", "b", "c"] { try base.set(1, for: key) }
        let view = RecordingStore(base)
        #expect(try view.entries(after: "a", limit: 1).map(\.key) == ["b"])
        #expect(try view.inspectionPage(InspectionQuery(table: "entries", limit: 2)).total == 3)
        #expect(base.verify().problems == [])
    }
}

/// A store that is shared with other processes, and notes whether its revision is read by a task.
private final class StoreThatNotesTasks: ForwardingStore {
    let base: any KeyValueStore
    let readsInTasks = Mutex<[Bool]>([])

    init(base: any KeyValueStore) { self.base = base }

    var capabilities: StoreCapabilities {
        var capabilities = base.capabilities
        capabilities.isSharedBetweenProcesses = true
        return capabilities
    }

    var revision: UInt64 {
        get throws {
            let isInTask = withUnsafeCurrentTask { $0 != nil }
            readsInTasks.withLock { $0.append(isInTask) }
            return try base.revision
        }
    }
}
