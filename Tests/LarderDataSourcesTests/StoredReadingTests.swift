import Foundation
import LarderCore
import LarderDataSources
import LarderTesting
import Testing

/// Tests a repository whose cache records the ages of its values.
@Suite struct StoredReadingTests {
    private struct Broken: Error {}
    private typealias Cache = ExpiringDataSource<DataSourceSpy<Int>>

    private let time = ManualTimeSource()
    private let mainMemory = InMemoryDataSource<Int>()
    private let main: DataSourceSpy<Int>
    private let cacheSpy = DataSourceSpy<Int>()
    private let cache: Cache
    private let repository: CacheRepository<DataSourceSpy<Int>, Cache>
    private let key = KeyQuery("k")

    init() {
        main = DataSourceSpy(mainMemory)
        cache = ExpiringDataSource(
            cacheSpy,
            lifetime: CacheLifetime(fresh: .seconds(10), missing: .seconds(3)),
            time: time
        )
        repository = CacheRepository(main: main, cache: cache, time: time)
    }

    private var reads: Int { main.calls.filter { $0.verb.hasPrefix("get") }.count }

    // Behavior 107.
    @Test func storedValueHasOriginAndAge() throws {
        mainMemory.put(1, in: key)
        let expiry = time.now + 10
        #expect(try repository.getStored(key).get() == Stored(1, origin: .main, age: .zero))
        time.advance(by: .seconds(4))
        let cached = try repository.getStored(key).get()
        #expect(cached == Stored(1, origin: .cache, age: .seconds(4), expiry: expiry))
        #expect("\(cached.origin)" == "cache")
        #expect(try repository.getStored(key, operation: .main).get().origin == .main)
    }

    // Behavior 107.
    @Test func fallbackValueIsFlaggedAndReportsOrigin() throws {
        mainMemory.put(1, in: key)
        _ = try repository.get(key).get()
        time.advance(by: .seconds(11))
        main.fail(with: Broken())
        let stored = try repository.getStored(key, operation: .cacheSync { $0.mainError is Broken }).get()
        #expect(stored.value == 1)
        #expect(stored.origin == .cache && stored.isFallback && stored.isExpired)
        #expect(stored.age == .seconds(11))
        #expect(throws: Broken.self) { try repository.getStored(key).get() }
    }

    // Behavior 104.
    @Test func zeroMaximumAgeReadsFromMainSource() throws {
        mainMemory.put(1, in: key)
        _ = try repository.get(key).get()
        _ = try repository.get(key).get()
        #expect(reads == 1)
        mainMemory.put(2, in: key)
        #expect(try repository.getStored(key, maximumAge: .zero).get().value == 2)
        #expect(reads == 2)
        #expect(try repository.get(key, operation: .cache).get() == 2)
        #expect(try repository.get(key, operation: .mainSync).get() == 2)
        #expect(reads == 3)
    }

    @Test func valuesOlderThanMaximumAgeAreReadFromMainSource() throws {
        mainMemory.put(1, in: key)
        _ = try repository.get(key).get()
        time.advance(by: .seconds(5))
        mainMemory.put(2, in: key)
        #expect(try repository.getStored(key, maximumAge: .seconds(6)).get().value == 1)
        #expect(try repository.getStored(key, maximumAge: .seconds(5)).get().value == 2)
    }

    // Behavior 105.
    @Test func valueIsReadFromMainSourceIfCachedValueIsInvalid() throws {
        let picky = CacheRepository(
            main: main,
            cache: cache,
            validator: ClosureValidator { $0 > 1 },
            time: time
        )
        cache.put(1, in: key)
        mainMemory.put(2, in: key)
        #expect(try picky.get(key).get() == 2)
        #expect(reads == 1)
    }

    @Test func cachedListReportsAge() throws {
        mainMemory.putAll([1, 2], in: key)
        #expect(try repository.getAllStored(key).get() == Stored([1, 2], origin: .main, age: .zero))
        time.advance(by: .seconds(2))
        #expect(try repository.getAllStored(key).get().age == .seconds(2))
        time.advance(by: .seconds(8))
        #expect(try repository.getAllStored(key, operation: .cache(ignoresValidation: true)).get().isExpired)
        #expect(throws: CoreError.NotValid.self) { try repository.getAll(key, operation: .cache).get() }
    }

    @Test func staleValueIsReturnedAndRefreshedInBackground() throws {
        mainMemory.put(1, in: key)
        #expect(try repository.get(key, operation: .staleWhileRevalidate).get() == 1)
        time.advance(by: .seconds(11))
        mainMemory.put(2, in: key)
        let stale = try repository.getStored(key, operation: .staleWhileRevalidate).get()
        #expect(stale.value == 1 && stale.isExpired && stale.origin == .cache && !stale.isFallback)
        #expect(try repository.get(key, operation: .staleWhileRevalidate).get() == 2)
        #expect(reads == 2)
    }

    @Test func valueIsReadFromMainSourceIfCachedValueIsTooStale() throws {
        mainMemory.put(1, in: key)
        _ = try repository.get(key).get()
        mainMemory.put(2, in: key)
        time.advance(by: .seconds(14))
        #expect(try repository.get(key, operation: .staleWhileRevalidate(for: .seconds(5))).get() == 1)
        time.advance(by: .seconds(16))
        mainMemory.put(3, in: key)
        #expect(try repository.get(key, operation: .staleWhileRevalidate(for: .seconds(5))).get() == 3)
        // The age of a value that was written to the cache directly is unknown.
        cacheSpy.put(9, in: KeyQuery("old"))
        mainMemory.put(4, forId: "old")
        #expect(try repository.get(KeyQuery("old"), operation: .staleWhileRevalidate(for: .seconds(5))).get() == 4)
    }

    @Test func failedRefreshIsReportedAndReturnsCachedValue() throws {
        mainMemory.put(1, in: key)
        _ = try repository.get(key).get()
        time.advance(by: .seconds(11))
        main.fail(with: Broken())
        let returned = Recorder<Int>()
        let issues = issues {
            repository.get(key, operation: .staleWhileRevalidate).then { returned.add($0) }
        }
        #expect(returned.values == [1])
        #expect(issues.map(\.code) == [.degraded])
        #expect(throws: Broken.self) {
            try repository.get(KeyQuery("none"), operation: .staleWhileRevalidate).get()
        }
        cacheSpy.fail(["get"], with: Broken())
        #expect(throws: Broken.self) { try repository.get(key, operation: .staleWhileRevalidate).get() }
    }

    @Test func missingValueIsRereadWhenAbsenceRecordExpires() throws {
        #expect(throws: CoreError.NotFound.self) { try repository.get(key).get() }
        #expect(throws: CoreError.NotFound.self) { try repository.get(key).get() }
        #expect(throws: CoreError.NotFound.self) { try repository.get(key, operation: .staleWhileRevalidate).get() }
        #expect(reads == 1)
        mainMemory.put(1, in: key)
        time.advance(by: .seconds(3))
        #expect(try repository.get(key).get() == 1)
        #expect(reads == 2)
    }

    @Test func putRemovesAbsenceRecord() throws {
        #expect(throws: CoreError.NotFound.self) { try repository.get(key).get() }
        try repository.put(1, in: key).get()
        #expect(try repository.get(key).get() == 1)
    }

    @Test func valueDeletedFromMainSourceIsDeletedFromCache() throws {
        mainMemory.put(1, in: key)
        _ = try repository.get(key).get()
        mainMemory.delete("k")
        time.advance(by: .seconds(11))
        #expect(try repository.get(key, operation: .staleWhileRevalidate).get() == 1)
        #expect(throws: CoreError.NotFound.self) { try repository.get(key, operation: .staleWhileRevalidate).get() }
        #expect(throws: CoreError.NotFound.self) {
            try repository.get(key, operation: .cache(ignoresValidation: true)).get()
        }
    }

    @Test func valueHasNoAgeIfCacheDoesNotTrackAges() throws {
        let memory = InMemoryDataSource<Int>()
        let plain = CacheRepository(main: main, cache: memory)
        memory.put(1, in: key)
        #expect(try plain.getStored(key).get() == Stored(1, origin: .memory))
        mainMemory.put(2, in: key)
        #expect(try plain.getStored(key, maximumAge: .seconds(60)).get().value == 2)
        #expect(Stored(1, origin: .main).map { "\($0)" }.value == "1")
    }

    // Behavior 106.
    @Test func cacheChangesAreReportedDuringMainSourceRead() async throws {
        let memory = InMemoryDataSource<Int>()
        let slow = CacheRepository(
            main: DebugDataSource(main, trouble: DebugTrouble(delay: { .seconds(5) }), time: time) { _ in },
            cache: memory
        )
        mainMemory.put(1, in: key)
        var changes = memory.changes(for: key).makeAsyncIterator()
        let fetch = slow.get(key)
        memory.put(7, in: key)
        #expect(await changes.next() == .value(7, key: "k"))
        #expect(!fetch.isSettled)
        await time.waitForSleepers()
        time.advance(by: .seconds(5))
        #expect(try await fetch.value == 1)
    }

    // MARK: - Memory in front of the cache

    // Behavior 97.
    @Test func inMemoryCopyExpiresWithOriginal() throws {
        try cache.put(1, in: key).get()
        let layered = TimedCacheDataSource(cache, bounds: .init(expiry: .seconds(300)), time: time)
        time.advance(by: .seconds(6))
        #expect(try layered.get(key).get() == 1)
        let asked = cacheSpy.calls.count
        time.advance(by: .seconds(3))
        #expect(try layered.get(key).get() == 1)
        #expect(cacheSpy.calls.count == asked)
        time.advance(by: .seconds(1))
        #expect(throws: CoreError.NotValid.self) { try layered.get(key).get() }
        #expect(throws: CoreError.NotValid.self) { try layered.get(key).get() }
        try layered.putAll([1], forId: "l").get()
        #expect(try layered.getAll("l").get() == [1])
        time.advance(by: .seconds(10))
        #expect(throws: CoreError.NotValid.self) { try layered.getAll("l").get() }
    }
}
