import Foundation
import LarderCore
import LarderStores
import LarderTestSupport
import LarderTesting
import Testing

@Suite struct StoreTransferTests {
    let folder: TemporaryDirectory
    let android: SharedPreferencesStore
    let settings: PropertyListStore

    init() throws {
        folder = try TemporaryDirectory()
        android = try SharedPreferencesStore(path: folder.path("p.xml"))
        settings = try PropertyListStore(path: folder.path("s.plist"))
    }

    private func fill(_ store: any KeyValueStore) throws {
        var batch = StoreBatch()
        batch.set(true, for: "bool")
        batch.set(.int(1 << 40), for: "int")
        batch.set(.float(0.1), for: "float")
        batch.set(0.1, for: "double")
        batch.set("x\0", for: "string")
        batch.set(["b", "a"], for: "list")
        _ = try store.commit(batch)
    }

    @Test func sharedPreferencesAreCopiedToPropertyListAndBack() throws {
        try fill(android)
        let there = try settings.copyEntries(from: android, .all)
        #expect(there.isExact && there.copied.count == 6)
        #expect(try settings.entries() == android.entries())
        for key in try android.keys() { try android.remove(key) }
        let back = try android.copyEntries(from: settings, .all)
        #expect(back.isExact)
        #expect(try settings.entries() == android.entries())
        #expect(try android.verify().isIntact && settings.verify().isIntact)
    }

    @Test func transferReportsRejectedEntriesAndCopiesNothing() throws {
        try fill(settings)
        try settings.set(.date(Date(timeIntervalSinceReferenceDate: 0)), for: "date")
        try settings.set(["k": 1], for: "nested")
        let transfer = try android.copyEntries(from: settings, .all)
        #expect(transfer.refused.map(\.key) == ["date", "nested"])
        #expect(transfer.refused.map(\.kind) == [.date, .dictionary])
        #expect(transfer.refused.allSatisfy { $0.reason.contains($0.key) })
        #expect(transfer.copied.isEmpty && !transfer.isExact)
        #expect(try android.entries().isEmpty)
        #expect(try android.verify().isIntact)
    }

    @Test func transferCopiesAcceptedEntriesInOneCommit() throws {
        try fill(settings)
        try settings.set(.data(Data([1])), for: "data")
        let observed = Observed(android)
        let transfer = try android.copyEntries(from: settings, .possible)
        #expect(transfer.refused.map(\.key) == ["data"])
        #expect(transfer.altered == ["list"])
        #expect(transfer.copied == ["bool", "double", "float", "int", "list", "string"])
        #expect(try android.get("list") == ["a", "b"])
        guard case .change(let change)? = observed.events.first else { throw CancellationError() }
        #expect(observed.events.count == 1 && change.origin == .imported && change.entries.count == 6)
        #expect(try android.verify().isIntact)
    }

    @Test func transferCopiesOnlyEntriesWithPrefix() throws {
        let source = MemoryStore()
        try source.set(1, for: "a.1")
        try source.set(2, for: "b.1")
        let target = PrefixedStore(android, prefix: "in.")
        try target.set(3, for: "c")
        #expect(try target.copyEntries(from: source, prefix: "a.", .all).copied == ["a.1"])
        #expect(try android.keys() == ["in.a.1", "in.c"])
        try source.set(.url("a:b"), for: "a.2")
        #expect(try target.copyEntries(from: source, prefix: "a.", .possible).refused.map(\.key) == ["a.2"])
        #expect(try android.verify().isIntact)
    }

    @Test func transferReportsEntryUnreadableInDestination() throws {
        let source = MemoryStore()
        try source.set(1, for: "a")
        try source.set(2, for: "b")
        let memory = MemoryStore()
        let target = FailingStore(memory)
        target.failReading { $0 == "b" }
        let transfer = try target.copyEntries(from: source, .all)
        #expect(transfer.copied == ["a", "b"] && transfer.altered.isEmpty)
        #expect(transfer.unreadable.map(\.key) == ["b"])
        #expect(transfer.unreadable.allSatisfy { $0.reason.contains("simulated read error") } && !transfer.isExact)
        #expect(try memory.count() == 2)
        #expect(try target.verify().isIntact)
    }

    @Test func transferReportsProgressFromFirstToLastEntry() throws {
        try fill(settings)
        var seen: [StoreProgress] = []
        _ = try android.copyEntries(from: settings, .all) { seen.append($0) }
        #expect(seen.first == StoreProgress(completed: 1, total: 12))
        #expect(seen.last?.fraction == 1)
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.completed <= $1.completed })
    }
}
