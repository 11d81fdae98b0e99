import Foundation
import LarderCore
import LarderDataSources
import LarderStores
import LarderTesting
import Testing

struct WrappingDataSourceTests {
    private struct Broken: Error, Equatable { var name = "" }
    private let key = KeyQuery("k")

    // MARK: - Retry

    // Behavior 63.
    @Test func retryPolicyWithZeroAttemptsMakesOneAttempt() {
        let spy = DataSourceSpy<Int>()
        spy.failNext(Broken())
        #expect(throws: Broken.self) { try RetryDataSource(spy, policy: RetryPolicy(attempts: 0)).get(key).get() }
        #expect(spy.calls.count == 1)
    }

    // Behavior 64.
    @Test func successfulCallIsNotRetried() throws {
        let spy = DataSourceSpy<Int>()
        try RetryDataSource(spy).put(1, in: key).get()
        #expect(spy.calls.count == 1)
    }

    // Behavior 65.
    @Test func failedCallIsRetriedOnce() throws {
        let spy = DataSourceSpy<Int>()
        let source = RetryDataSource(spy)
        spy.failNext(Broken())
        try source.put(1, in: key).get()
        spy.failNext(Broken())
        #expect(try source.get(key).get() == 1)
        spy.failNext(Broken())
        try source.putAll([1], in: key).get()
        spy.failNext(Broken())
        #expect(try source.getAll(key).get() == [1])
        spy.failNext(Broken())
        try source.delete(key).get()
        #expect(spy.calls.count == 10)
    }

    // Behavior 66.
    @Test func lastErrorIsReturnedWhenAllAttemptsFail() throws {
        let spy = DataSourceSpy<Int>()
        spy.failNext(Broken(name: "first"), Broken(name: "last"))
        let error = #expect(throws: Broken.self) { try RetryDataSource(spy).get(key).get() }
        #expect(error == Broken(name: "last"))
    }

    // Behavior 67.
    @Test func permanentErrorIsNotRetried() {
        let spy = DataSourceSpy<Int>()
        spy.failNext(Broken(name: "again"), Broken(name: "stop"), Broken(name: "never"))
        let policy = RetryPolicy(attempts: 5) { ($0 as? Broken)?.name == "again" }
        let error = #expect(throws: Broken.self) { try RetryDataSource(spy, policy: policy).get(key).get() }
        #expect(error == Broken(name: "stop"))
        #expect(spy.calls.count == 2)
    }

    @Test func readOfMissingValueIsNotRetried() {
        let spy = DataSourceSpy<Int>()
        #expect(throws: CoreError.NotFound.self) { try RetryDataSource(spy).get(key).get() }
        #expect(spy.calls.count == 1)
    }

    @Test func retryDelayDoublesUpToMaximum() async throws {
        let spy = DataSourceSpy<Int>()
        let time = ManualTimeSource()
        let policy = RetryPolicy(attempts: 4, delay: .seconds(1), maximumDelay: .seconds(3), time: time)
        spy.failNext(Broken(), Broken(), Broken(), Broken())
        let future = RetryDataSource(spy, policy: policy).get(key)
        for (calls, pause) in [(1, 1), (2, 2), (3, 3)] {
            await time.waitForSleepers()
            #expect(spy.calls.count == calls)
            time.advance(by: .seconds(pause))
        }
        await #expect(throws: Broken.self) { try await future.value }
        #expect(spy.calls.count == 4)
    }

    // MARK: - Validator, assembler, query mapper, void and type-erased sources

    // Behavior 60.
    @Test func validatorRejectsReadOfInvalidValue() throws {
        let memory = InMemoryDataSource<Int>()
        let source = DataSourceValidator(memory, validator: ClosureValidator { $0 > 0 })
        source.put(1, in: key)
        source.putAll([1, -1], in: KeyQuery("l"))
        #expect(try source.get(key).get() == 1)
        #expect(throws: CoreError.NotValid.self) { try source.getAll(KeyQuery("l")).get() }
        memory.put(-1, in: key)
        #expect(throws: CoreError.NotValid.self) { try source.get(key).get() }
        try source.delete(key).get()
        #expect(throws: CoreError.NotFound.self) { try source.get(key).get() }
    }

    @Test func assembledSourceForwardsReadsWritesAndDeletesSeparately() throws {
        let (reads, writes, deletes) = (DataSourceSpy<Int>(), DataSourceSpy<Int>(), DataSourceSpy<Int>())
        let source = DataSourceAssembler(get: reads, put: writes, delete: deletes)
        _ = source.get(key)
        _ = source.getAll(key)
        source.put(1, in: key)
        source.putAll([1], in: key)
        source.delete(key)
        #expect(reads.calls.map(\.verb) == ["get", "getAll"])
        #expect(writes.calls.map(\.verb) == ["put", "putAll"])
        #expect(deletes.calls.map(\.verb) == ["delete"])
        #expect(throws: CoreError.NotImplemented.self) { try DataSourceAssembler(get: reads).put(1, in: key).get() }
    }

    // Behavior 59.
    @Test func queryMapperMapsQueriesOfEveryMethod() throws {
        let spy = DataSourceSpy<Int>()
        func mapper(_ name: String) -> ClosureMapper<Int, any Query> { ClosureMapper { KeyQuery("\(name)\($0)") } }
        let source = DataSourceQueryMapper(
            spy,
            getQueryMapper: mapper("g"),
            getAllQueryMapper: mapper("ga"),
            putQueryMapper: mapper("p"),
            putAllQueryMapper: mapper("pa"),
            deleteQueryMapper: VoidMapper<Int, any Query>()
        )
        _ = source.get(1)
        _ = source.getAll(2)
        source.put(1, in: 3)
        source.putAll([1], in: 4)
        #expect(spy.calls.map(\.description) == ["get g1", "getAll ga2", "put p3", "putAll pa4"])
        #expect(throws: CoreError.NotImplemented.self) { try source.delete(5).get() }
        #expect(spy.calls.count == 4)
    }

    // Behavior 35.
    @Test(arguments: DataSourceCheck.allCases)
    func memoryCacheMeetsContract(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: [1, 2, 3]) { TimedCacheDataSource(InMemoryDataSource<Int>()) }.run(check)
    }
}

struct TimedCacheTests {
    private let spy = DataSourceSpy<Int>()
    private let time = ManualTimeSource()
    private let key = KeyQuery("k")

    private func cache(count: Int = .max, bytes: Int = .max) -> TimedCacheDataSource<DataSourceSpy<Int>> {
        let bounds = TimedCacheDataSource<DataSourceSpy<Int>>.Bounds(
            expiry: .seconds(10),
            count: count,
            bytes: bytes,
            size: { $0 }
        )
        return TimedCacheDataSource(spy, bounds: bounds, time: time)
    }

    private var reads: Int { spy.calls.filter { $0.verb.hasPrefix("get") }.count }

    // Behavior 100.
    @Test func expiredCachedValueIsReadFromSourceAgain() throws {
        let cache = cache()
        try cache.put(1, in: key).get()
        time.advance(by: .milliseconds(9_999))
        #expect(try cache.get(key).get() == 1)
        #expect(reads == 0)
        time.advance(by: .milliseconds(1))
        #expect(try cache.get(key).get() == 1)
        #expect(reads == 1)
        #expect(try cache.get(key).get() == 1)
        #expect(reads == 1)
    }

    @Test func settingClockBackDoesNotExtendExpiry() throws {
        let cache = cache()
        try cache.put(1, in: key).get()
        time.advance(by: .seconds(10))
        time.setWallClock(to: .distantPast)
        _ = cache.get(key)
        #expect(reads == 1)
    }

    @Test func listsAreCachedInMemory() throws {
        let cache = cache()
        try cache.putAll([1, 2], in: key).get()
        #expect(try cache.getAll(key).get() == [1, 2])
        #expect(reads == 0)
        #expect(throws: CoreError.NotFound.self) { try cache.get(key).get() }
    }

    @Test func leastRecentlyUsedValueIsEvictedFirst() throws {
        let cache = cache(count: 2)
        for name in ["a", "b"] { try cache.put(1, in: KeyQuery(name)).get() }
        _ = cache.get(KeyQuery("a"))
        try cache.put(1, in: KeyQuery("c")).get()
        #expect(cache.count == 2)
        _ = cache.get(KeyQuery("a"))
        #expect(reads == 0)
        _ = cache.get(KeyQuery("b"))
        #expect(reads == 1)
    }

    @Test func expiredValuesAreEvictedEvenIfNeverRead() throws {
        let cache = cache()
        for number in 0..<100 { try cache.put(number, in: KeyQuery("\(number)")).get() }
        time.advance(by: .seconds(5))
        try cache.put(1, in: KeyQuery("later")).get()
        _ = try cache.get(KeyQuery("7")).get()
        #expect(cache.count == 101)
        time.advance(by: .seconds(5))
        try cache.put(1, in: key).get()
        // The key 7 was read after "later" was written, so it is kept until "later" has expired, too.
        #expect(cache.count == 3)
        #expect(try cache.get(KeyQuery("later")).get() == 1)
        #expect(reads == 0)
    }

    @Test func totalSizeOfCachedValuesIsLimited() throws {
        let cache = cache(bytes: 10)
        try cache.put(6, in: KeyQuery("a")).get()
        try cache.put(4, in: KeyQuery("b")).get()
        #expect(cache.count == 2)
        try cache.put(1, in: KeyQuery("c")).get()
        #expect(cache.count == 2)
        try cache.put(11, in: KeyQuery("d")).get()
        #expect(cache.count == 2)
        #expect(try cache.get(KeyQuery("d")).get() == 11)
    }

    @Test func valuesRemovedFromCacheAreReadFromSourceAgain() throws {
        let cache = cache()
        try cache.put(1, in: key).get()
        cache.removeAll()
        #expect(try cache.get(key).get() == 1)
        #expect(reads == 1)
        try cache.delete(key).get()
        #expect(throws: CoreError.NotFound.self) { try cache.get(key).get() }
        try cache.put(1, in: key).get()
        try cache.putAll([2], in: IdsQuery(["k"])).get()
        #expect(try cache.get(key).get() == 2)
        try cache.delete(AllObjectsQuery()).get()
        #expect(cache.count == 0)
    }

    @Test func valueReadBeforeConcurrentWriteIsNotCached() throws {
        let kept = Recorder<FutureResolver<Int>>()
        let slow = ClosureSource(get: { Future(resolving: { kept.add($0) }) })
        let cache = TimedCacheDataSource(slow, time: time)
        let read = cache.get(key)
        cache.put(2, in: key)
        kept.values.first?.set(1)
        #expect(try read.get() == 1)
        #expect(try cache.get(key).get() == 2)
    }

    @Test func valueReadDuringWriteIsNotCached() throws {
        let (reads, writes) = (Recorder<FutureResolver<Int>>(), Recorder<FutureResolver<Int>>())
        let slow = ClosureSource(
            get: { Future(resolving: { reads.add($0) }) },
            put: { _ in Future(resolving: { writes.add($0) }) }
        )
        let cache = TimedCacheDataSource(slow, time: time)
        cache.put(2, in: key)
        let read = cache.get(key)
        writes.values.first?.set(2)
        reads.values.first?.set(1)
        #expect(try read.get() == 1)
        #expect(try cache.get(key).get() == 2)
    }

    @Test func valuesOfConcurrentWritesAreNotCached() throws {
        let (reads, writes) = (Recorder<Int>(), Recorder<FutureResolver<Int>>())
        let slow = ClosureSource(
            get: {
                reads.add(1)
                return Future(3)
            },
            put: { _ in Future(resolving: { writes.add($0) }) }
        )
        let cache = TimedCacheDataSource(slow, time: time)
        cache.put(1, in: key)
        cache.put(2, in: key)
        writes.values.last?.set(2)
        writes.values.first?.set(1)
        #expect(try cache.get(key).get() == 3)
        #expect(reads.values.count == 1)
    }

    @Test func writeToAnotherKeyDoesNotPreventCaching() throws {
        let kept = Recorder<FutureResolver<Int>>()
        let slow = ClosureSource(get: { Future(resolving: { kept.add($0) }) })
        let cache = TimedCacheDataSource(slow, time: time)
        _ = cache.get(key)
        cache.put(2, in: KeyQuery("other"))
        kept.values.first?.set(1)
        #expect(try cache.get(key).get() == 1)
        #expect(kept.values.count == 1)
    }

    @Test func cancelledWriteDoesNotPreventCachingLaterReads() throws {
        let kept = Recorder<FutureResolver<Int>>()
        let slow = ClosureSource(get: { Future(1) }, put: { _ in Future(resolving: { kept.add($0) }) })
        let cache = TimedCacheDataSource(slow, time: time)
        cache.put(2, in: key).cancel()
        #expect(try cache.get(key).get() == 1)
        #expect(cache.count == 1)
    }

    @Test func sumOfCachedSizesDoesNotOverflow() throws {
        let cache = cache()
        try cache.put(.max, in: KeyQuery("a")).get()
        try cache.putAll([.max, .max], in: KeyQuery("b")).get()
        #expect(cache.count == 1)
        try cache.put(-1, in: KeyQuery("c")).get()
        #expect(cache.count == 2)
    }

    @Test func keysAreEvictedInOrderOfLastUse() throws {
        let cache = cache(count: 100)
        for number in 0..<150 { try cache.put(number, in: IdQuery(number)).get() }
        for number in stride(from: 148, to: 50, by: -2) { _ = cache.get(IdQuery(number)) }
        try cache.delete(IdQuery(60)).get()
        for number in 200..<249 { try cache.put(number, in: IdQuery(number)).get() }
        #expect(cache.count == 100)
        #expect(reads == 0)
        for number in stride(from: 148, to: 60, by: -2) { _ = cache.get(IdQuery(number)) }
        #expect(reads == 0)
        for number in stride(from: 51, to: 147, by: 2) {
            #expect(throws: Never.self) { try cache.get(IdQuery(number)).get() }
        }
        #expect(reads == 48)
    }

    /// A data source whose reads and writes call closures.
    private struct ClosureSource: GetDataSource, PutDataSource, DeleteDataSource {
        let get: @Sendable () -> Future<Int>
        var put: @Sendable (Int) -> Future<Int> = { Future($0) }
        func get(_ query: any KeyQuery) -> Future<Int> { get() }
        func getAll(_ query: any KeyQuery) -> Future<[Int]> { Future(error: CoreError.NotFound()) }
        func put(_ value: Int?, in query: any KeyQuery) -> Future<Int> { put(value ?? 0) }
        func putAll(_ values: [Int], in query: any KeyQuery) -> Future<[Int]> { Future(values) }
        func delete(_ query: any KeyQuery) -> Future<Void> { Future(()) }
    }
}
