import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite struct DeviceStoreInspectionTests {
    private struct Canceled: Error {}

    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func store() throws -> DeviceStore {
        let store = try DeviceStore(path: folder.path("s.larder"))
        for round in 0..<3 {
            var batch = StoreBatch()
            for number in 0..<1_000 {
                batch.set(.string("\(round)" + String(repeating: "x", count: 500)), for: StoreKey("key\(number)"))
            }
            _ = try store.commit(batch)
        }
        return store
    }

    private func action(_ name: String, of store: some KeyValueStore) throws -> InspectionAction {
        try #require(store.inspectionActions.first { $0.name == name })
    }

    private func statistic(_ name: String, of store: DeviceStore) throws -> Double? {
        try store.inspectionStatistics().first { $0.name == name }?.number
    }

    @Test func factsTellHealthAndProcesses() throws {
        let store = try store()
        let facts = try store.inspectionFacts()
        #expect(facts.contains(InspectionFact("health", "good")))
        let processes = facts.first { $0.name == "open in processes" }
        #expect(processes?.value.split(separator: ", ").contains("\(getpid())") ?? true)
        #expect(facts.contains { $0.name == "guarantees" && $0.value.contains("processes share the store") })
        #expect(try store.verify().problems == [])
    }

    @Test func latenciesAreMeasuredOnlyWhileInspected() async throws {
        let store = try store()
        #expect(try statistic("commit, 99th percentile", of: store) == nil)
        let observation = try store.observeForInspection { _ in }
        try store.set(1, for: "a")
        try await store.set(2, for: "a", durability: .synced)
        let commit = try #require(try statistic("commit, 99th percentile", of: store))
        #expect(commit > 0 && commit < 60)
        #expect(try statistic("sync, 50th percentile", of: store) != nil)
        observation?.cancel()
        #expect(try statistic("commit, 99th percentile", of: store) == nil)
        let other = store.observe(prefix: "") { _ in }
        try store.set(3, for: "a")
        #expect(try statistic("commit, 99th percentile", of: store) == nil)
        other.cancel()
        #expect(try store.verify().problems == [])
    }

    @Test func commitsAreCounted() throws {
        let store = try store()
        let before = try #require(try statistic("commits", of: store))
        for number in 0..<5 { try store.set(.int(Int64(number)), for: "n") }
        #expect(try statistic("commits", of: store) == before + 5)
        #expect(try statistic("entries", of: store) == 1_001)
        #expect(try store.verify().problems == [])
    }

    @Test(arguments: ["verify", "compact", "backup"])
    func actionReportsProgress(name: String) throws {
        let store = try store()
        let copy = folder.path("copy.larder")
        var seen: [Double] = []
        let action = try action(name, of: store)
        #expect((action.fileName == "s.larder") == (name == "backup"))
        #expect(action.isWriting == (name == "compact"))
        _ = try store.perform(action, writingTo: name == "backup" ? copy : nil) { seen.append($0.fraction) }
        #expect(seen.last == 1 && seen == seen.sorted())
        if name == "backup" { #expect(try DeviceStore(path: copy).entries() == store.entries()) }
        if name == "compact" { #expect(try store.statistics().deadBytes < store.statistics().liveBytes / 10) }
        #expect(try store.verify().problems == [])
    }

    @Test(arguments: ["verify", "compact", "backup"])
    func canceledActionLeavesEverythingAsItWas(name: String) throws {
        let store = try store()
        let (before, entries) = (try store.statistics().generation, try store.entries())
        let copy = folder.path("copy.larder")
        let action = try action(name, of: store)
        #expect(throws: Canceled.self) {
            try store.perform(action, writingTo: name == "backup" ? copy : nil) { _ in throw Canceled() }
        }
        #expect(try store.statistics().generation == before)
        #expect(try store.entries() == entries)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { $0.hasPrefix("s.larder") }
        )
        // Another action can begin.
        try store.compact()
        #expect(try store.verify().problems == [])
    }

    @Test func backupNeedsFile() throws {
        let store = try store()
        let action = try action("backup", of: store)
        let error = #expect(throws: StoreError.self) { try store.perform(action, writingTo: nil) { _ in } }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test func readOnlyStoreCanNotBeCompacted() throws {
        try store().closeNow()
        var options = DeviceStoreOptions()
        options.isReadOnly = true
        let store = try DeviceStore(path: folder.path("s.larder"), options: options)
        #expect(store.inspectionActions.map(\.name) == ["verify", "backup"])
        #expect(try store.inspectionFacts().contains { $0.name == "opened" })
        #expect(try store.inspectionPage(InspectionQuery(table: "entries", limit: 3)).records.count == 3)
    }
}
