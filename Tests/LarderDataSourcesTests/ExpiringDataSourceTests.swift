import Foundation
import LarderCore
import LarderDataSources
import LarderStores
import LarderTestSupport
import LarderTesting
import Testing

@Suite struct ExpiringDataSourceTests {
    private struct Broken: Error {}
    private let time = ManualTimeSource()
    private let memory = InMemoryDataSource<Int>()
    private let key = KeyQuery("k")

    private func source(
        _ lifetime: CacheLifetime = CacheLifetime(fresh: .milliseconds(900)),
        stamps: CacheStamps = .memory
    ) -> ExpiringDataSource<InMemoryDataSource<Int>> {
        ExpiringDataSource(memory, lifetime: lifetime, stamps: stamps, time: time)
    }

    @Test(arguments: DataSourceCheck.allCases)
    func expiringSourceMeetsContract(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: [1, 2, 3]) {
            ExpiringDataSource(InMemoryDataSource<Int>(), lifetime: CacheLifetime(fresh: .seconds(60)))
        }.run(check)
    }

    @Test(arguments: DataSourceCheck.allCases)
    func sourceWithTimestampsInSameStoreMeetsContract(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: [1, 2, 3]) {
            let store = MemoryStore()
            return ExpiringDataSource(
                DeviceStorageDataSource<Int>(store, prefix: "Item"),
                lifetime: CacheLifetime(fresh: nil),
                stamps: .stored(in: store, prefix: "Item-stamps")
            )
        }.run(check)
    }

    // Behavior 100.
    @Test func valueExpiresAfterLifetime() throws {
        let source = source()
        try source.put(1, in: key).get()
        #expect(try source.get(key).get() == 1)
        time.advance(by: .milliseconds(899))
        #expect(try source.get(key).get() == 1)
        time.advance(by: .milliseconds(101))
        #expect(throws: CoreError.NotValid.self) { try source.get(key).get() }
        #expect(try memory.get(key).get() == 1)
    }

    // Behavior 101.
    @Test func storedValueIncludesAgeAndExpiryDate() throws {
        let source = source(CacheLifetime(fresh: .seconds(10)))
        let began = time.now
        try source.put(1, in: key).get()
        try source.putAll([1, 2], forId: "l").get()
        time.advance(by: .seconds(4))
        let stored = try source.getStored(key).get()
        #expect(stored == Stored(1, origin: .memory, age: .seconds(4), expiry: began + 10))
        time.advance(by: .seconds(6))
        #expect(try source.getStored(key).get().isExpired)
        #expect(try source.getAllStored(KeyQuery("l")).get().map { $0.count }.value == 2)
        #expect(throws: CoreError.NotValid.self) { try source.getAll("l").get() }
    }

    // Behavior 97.
    @Test func expirySurvivesRelaunch() throws {
        let store = MemoryStore()
        let stamps = CacheStamps.stored(in: store, prefix: "stamps")
        try source(CacheLifetime(fresh: .seconds(10)), stamps: stamps).put(1, in: key).get()
        time.advance(by: .seconds(9))
        let again = source(CacheLifetime(fresh: .seconds(10)), stamps: .stored(in: store, prefix: "stamps"))
        #expect(try again.get(key).get() == 1)
        time.advance(by: .seconds(1))
        #expect(throws: CoreError.NotValid.self) { try again.get(key).get() }
    }

    // Behavior 98.
    @Test func deletionRemovesValuesAndTimestamps() throws {
        let store = MemoryStore()
        let source = ExpiringDataSource(
            DeviceStorageDataSource<Int>(store, prefix: "Item"),
            lifetime: CacheLifetime(fresh: .seconds(60)),
            stamps: .stored(in: store, prefix: "Item-stamps"),
            time: time
        )
        try source.put(1, in: key).get()
        try source.putAll([2, 3], in: IdsQuery(["a", "b"])).get()
        #expect(try source.getAll(AllObjectsQuery()).get() == [2, 3, 1])
        try source.delete(key).get()
        #expect(try store.count() == 4)
        try source.delete(AllObjectsQuery()).get()
        #expect(try store.count() == 0)
        #expect(store.verify().isIntact)
    }

    // Behavior 99.
    @Test func removeExpiredKeepsFreshValues() throws {
        let source = source()
        try source.put(1, forId: "old").get()
        try source.putAll([1], forId: "old list").get()
        time.advance(by: .milliseconds(500))
        try source.put(2, forId: "new").get()
        memory.put(3, forId: "unknown")
        time.advance(by: .milliseconds(500))
        #expect(try source.removeExpired().get() == 2)
        #expect(try memory.entries().get().map(\.key) == ["new", "unknown"])
        #expect(try source.removeExpired().get() == 0)
    }

    @Test func listAgeIsAgeOfOldestValue() throws {
        let source = source(CacheLifetime(fresh: .seconds(10)))
        let ids = IdsQuery(["a", "b"])
        try source.put(1, forId: "a").get()
        time.advance(by: .seconds(6))
        try source.put(2, forId: "b").get()
        #expect(try source.getAllStored(ids).get().age == .seconds(6))
        #expect(try source.getAll(AllObjectsQuery()).get() == [1, 2])
        time.advance(by: .seconds(4))
        #expect(throws: CoreError.NotValid.self) { try source.getAll(ids).get() }
        #expect(throws: CoreError.NotValid.self) { try source.getAll(AllObjectsQuery()).get() }
        try source.putAll([3, 4], in: ids).get()
        #expect(try source.getAll(ids).get() == [3, 4])
    }

    @Test func valueWithoutTimestampIsExpired() throws {
        memory.put(1, in: key)
        let source = source()
        #expect(throws: CoreError.NotValid.self) { try source.get(key).get() }
        #expect(try source.getStored(key).get() == Stored(1, origin: .memory, isExpired: true))
        #expect(throws: CoreError.NotValid.self) { try source.getAll(IdsQuery(["k"])).get() }
        #expect(try source.update(key) { $0 = ($0 ?? 0) + 1 }.get() == 2)
        #expect(try source.get(key).get() == 2)
    }

    @Test func valueWithFutureTimestampIsExpired() throws {
        let source = source(CacheLifetime(fresh: .seconds(600)))
        try source.put(1, in: key).get()
        time.setWallClock(to: time.now - 61)
        #expect(throws: CoreError.NotValid.self) { try source.get(key).get() }
    }

    @Test func valueWithoutTimeLimitNeverExpires() throws {
        let source = source(CacheLifetime(fresh: nil))
        try source.put(1, in: key).get()
        time.advance(by: .seconds(1_000_000_000))
        #expect(try source.get(key).get() == 1)
    }

    @Test func jitterMakesValuesExpireEarlierAtDifferentTimes() throws {
        let numbers = Recorder<Int>()
        let lifetime = CacheLifetime(fresh: .seconds(100), jitter: 0.5) {
            numbers.add(0)
            return numbers.values.count == 1 ? 0 : 0.5
        }
        let source = source(lifetime)
        let began = time.now
        try source.put(1, forId: "a").get()
        try source.put(1, forId: "b").get()
        #expect(try source.getStored(KeyQuery("a")).get().expiry == began + 100)
        #expect(try source.getStored(KeyQuery("b")).get().expiry == began + 75)
    }

    @Test func readDeletesExpiredAbsenceRecord() throws {
        let store = MemoryStore()
        let lifetime = CacheLifetime(fresh: .seconds(60), missing: .seconds(5))
        let source = source(lifetime, stamps: .stored(in: store, prefix: "stamps"))
        for number in 0..<3 { try source.noteMissing(KeyQuery("\(number)"), asList: false).get() }
        time.advance(by: .seconds(3))
        try source.noteMissing(key, asList: true).get()
        try source.put(1, forId: "there").get()
        #expect(try store.count() == 5)
        time.advance(by: .seconds(2))
        #expect(try !source.isKnownMissing(KeyQuery("0"), asList: false).get())
        #expect(try store.count() == 4)
        // Reading all values checks all stamps.
        #expect(try source.getAll(AllObjectsQuery()).get() == [1])
        #expect(try store.keys() == ["stamps.list.k", "stamps.value.there"])
        #expect(try source.isKnownMissing(key, asList: true).get())
        #expect(store.verify().isIntact)
    }

    @Test func absenceRecordExpiresAfterItsOwnLifetime() throws {
        let source = source(CacheLifetime(fresh: .seconds(60), missing: .seconds(5)))
        try source.put(1, in: key).get()
        #expect(try !source.isKnownMissing(key, asList: false).get())
        try source.noteMissing(key, asList: false).get()
        #expect(throws: CoreError.NotFound.self) { try source.get(key).get() }
        #expect(try source.isKnownMissing(key, asList: false).get())
        #expect(try !source.isKnownMissing(key, asList: true).get())
        time.advance(by: .seconds(5))
        #expect(try !source.isKnownMissing(key, asList: false).get())
        try source.noteMissing(key, asList: false).get()
        try source.put(2, in: key).get()
        #expect(try !source.isKnownMissing(key, asList: false).get())
        #expect(try source.get(key).get() == 2)
        #expect(try !source.isKnownMissing(AllObjectsQuery(), asList: true).get())
        try source.noteMissing(AllObjectsQuery(), asList: true).get()
    }

    @Test func valueWithLongKeyExpires() throws {
        let store = MemoryStore()
        let source = source(CacheLifetime(fresh: .seconds(60)), stamps: .stored(in: store, prefix: "s"))
        let long = KeyQuery(String(repeating: "k", count: 4_096))
        try source.put(1, in: long).get()
        #expect(try source.get(long).get() == 1)
        time.advance(by: .seconds(60))
        #expect(try source.removeExpired().get() == 1)
        #expect(try store.count() == 0)
    }

    @Test func valueIsKeptIfTimestampWriteFails() throws {
        let folder = try TemporaryDirectory()
        let store = try PropertyListStore(path: folder.path("stamps.plist"))
        let source = source(CacheLifetime(fresh: .seconds(60)), stamps: .stored(in: store, prefix: "s"))
        try source.put(1, in: key).get()
        // Corrupted beneath the store, so that it can be neither read nor written from now on.
        try Data("none".utf8).write(to: folder.url("stamps.plist"))
        let kept = Recorder<Int>()
        let issues = self.issues { source.put(2, in: key).then { kept.add($0) } }
        #expect(issues.map(\.code) == [.degraded])
        #expect(kept.values == [2])
        #expect(try memory.get(key).get() == 2)
        let failed = Recorder<any Error>()
        #expect(!self.issues { source.get(key).fail { failed.add($0) } }.isEmpty)
        #expect(failed.values.first is CoreError.NotValid)
    }

    private func issues(during work: () -> Void) -> [LarderIssue] {
        let recorder = Recorder<LarderIssue>()
        withIssueHandler({ recorder.add($0) }, operation: work)
        return recorder.values
    }
}
