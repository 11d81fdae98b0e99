import Foundation
import LarderCore
import LarderDataSources
import LarderStores
import LarderTesting
import Synchronization
import Testing

struct CacheRepositoryTests {
    private struct Broken: Error {}
    private typealias Repository = CacheRepository<DataSourceSpy<Int>, DataSourceSpy<Int>>

    private let mainMemory = InMemoryDataSource<Int>()
    private let cacheMemory = InMemoryDataSource<Int>()
    private let main: DataSourceSpy<Int>
    private let cache: DataSourceSpy<Int>
    private let key = KeyQuery("k")

    init() {
        main = DataSourceSpy(mainMemory)
        cache = DataSourceSpy(cacheMemory)
    }

    private var repository: Repository { CacheRepository(main: main, cache: cache) }
    private var expired: Repository {
        CacheRepository(main: main, cache: cache, validator: ClosureValidator { _ in false })
    }
    private var asked: [String] { main.calls.map { "main \($0.verb)" } + cache.calls.map { "cache \($0.verb)" } }

    // Behavior 68.
    @Test func mainOperationCallsOnlyMainSource() {
        #expect(throws: CoreError.NotFound.self) { try repository.get(key, operation: .main).get() }
        #expect(asked == ["main get"])
    }

    // Behavior 69.
    @Test func mainOperationReturnsMainSourceValue() throws {
        mainMemory.put(1, in: key)
        #expect(try repository.get(key, operation: .main).get() == 1)
        #expect(asked == ["main get"])
    }

    // Behavior 70.
    @Test func cacheOperationFailsOnEmptyCacheWithoutCallingMainSource() {
        #expect(throws: CoreError.NotFound.self) { try repository.get(key, operation: .cache).get() }
        #expect(asked == ["cache get"])
    }

    // Behavior 71.
    @Test func cacheOperationReturnsValidValue() throws {
        cacheMemory.put(1, in: key)
        #expect(try repository.get(key, operation: .cache).get() == 1)
        #expect(asked == ["cache get"])
    }

    // Behavior 72.
    @Test func cacheMissReadsMainSourceAndFillsCache() throws {
        mainMemory.put(1, in: key)
        #expect(try repository.get(key).get() == 1)
        #expect(asked == ["main get", "cache get", "cache put"])
        #expect(cache.calls.last?.values == [1])
        #expect((cache.calls.last?.query as? StringKeyQuery) == key)
    }

    // Behavior 73.
    @Test func cacheHitDoesNotCallMainSource() throws {
        cacheMemory.put(1, in: key)
        #expect(try repository.get(key, operation: .cacheSync).get() == 1)
        #expect(main.calls.isEmpty)
    }

    // Behavior 74.
    @Test func invalidCachedValueIsReplacedFromMainSource() throws {
        cacheMemory.put(1, in: key)
        mainMemory.put(2, in: key)
        #expect(try expired.get(key).get() == 2)
        #expect(asked == ["main get", "cache get", "cache put"])
    }

    // Behavior 75.
    @Test func readFailsIfCachedValueIsInvalidAndMainSourceIsEmpty() {
        cacheMemory.put(1, in: key)
        #expect(throws: CoreError.NotFound.self) { try expired.get(key).get() }
    }

    // Behavior 76.
    @Test func mainSyncReadStoresValueInCache() throws {
        mainMemory.put(1, in: key)
        mainMemory.putAll([1, 2], forId: "l")
        #expect(try repository.get(key, operation: .mainSync).get() == 1)
        #expect(try cacheMemory.get(key).get() == 1)
        #expect(try repository.getAll(KeyQuery("l"), operation: .mainSync).get() == [1, 2])
        #expect(try cacheMemory.getAll("l").get() == [1, 2])
    }

    // Behavior 77.
    @Test func cacheOperationFailsForInvalidValue() {
        cacheMemory.put(1, in: key)
        #expect(throws: CoreError.NotValid.self) { try expired.get(key, operation: .cache).get() }
    }

    // Behavior 78.
    @Test func cacheOperationReturnsInvalidValueIfValidationIsIgnored() throws {
        cacheMemory.put(1, in: key)
        #expect(try expired.get(key, operation: .cache(ignoresValidation: true)).get() == 1)
    }

    // Behavior 79.
    @Test func undecodableCachedValueIsTreatedAsCacheMiss() throws {
        mainMemory.put(1, in: key)
        cache.failNext(CoreError.DataSerialization())
        #expect(try repository.get(key).get() == 1)
        #expect(try cacheMemory.get(key).get() == 1)
    }

    // Behavior 80.
    @Test func fallbackClosureCanAcceptInvalidCachedValue() throws {
        cacheMemory.put(1, in: key)
        main.failNext(Broken(), Broken(), Broken())
        let seen = Recorder<FallbackReason>()
        let value = try expired.get(
            key,
            operation: .cacheSync { reason in
                seen.add(reason)
                return true
            }
        ).get()
        #expect(value == 1)
        #expect(seen.values.first?.mainError is Broken)
        #expect(seen.values.first?.cacheError is CoreError.NotValid)
        #expect(throws: Broken.self) { try expired.get(key, operation: .cacheSync { _ in false }).get() }
        cacheMemory.delete("k")
        #expect(throws: Broken.self) { try expired.get(key, operation: .cacheSync { _ in true }).get() }
    }

    // Behavior 81.
    @Test func readFailsOnUnexpectedCacheError() {
        cache.failNext(Broken())
        #expect(throws: Broken.self) { try repository.get(key).get() }
        #expect(main.calls.isEmpty)
    }

    // Behavior 82.
    @Test func allMethodsRejectUnknownOperation() {
        let other = RepositoryOperation.other("mine")
        #expect(throws: CoreError.NotImplemented.self) { try repository.get(key, operation: other).get() }
        #expect(throws: CoreError.NotImplemented.self) { try repository.getAll(key, operation: other).get() }
        #expect(throws: CoreError.NotImplemented.self) { try repository.put(1, in: key, operation: other).get() }
        #expect(throws: CoreError.NotImplemented.self) { try repository.putAll([1], in: key, operation: other).get() }
        #expect(throws: CoreError.NotImplemented.self) { try repository.delete(key, operation: other).get() }
        #expect(asked.isEmpty)
    }

    // Behavior 83.
    @Test func mainAndCacheOperationsWriteToSingleSource() throws {
        try repository.put(1, in: key, operation: .main).get()
        try repository.delete(key, operation: .main).get()
        #expect(asked == ["main put", "main delete"])
        try repository.put(1, in: key, operation: .cache).get()
        try repository.delete(key, operation: .cache).get()
        #expect(asked == ["main put", "main delete", "cache put", "cache delete"])
    }

    // Behaviors 84 and 86.
    @Test(arguments: [RepositoryOperation.mainSync, .standard])
    func mainSyncWritesToMainSourceThenCache(operation: RepositoryOperation) throws {
        try repository.put(1, in: key, operation: operation).get()
        #expect(try mainMemory.get(key).get() == 1)
        #expect(try cacheMemory.get(key).get() == 1)
        try repository.putAll([2], in: key, operation: operation).get()
        #expect(try cacheMemory.getAll(key).get() == [2])
        try repository.delete(key, operation: operation).get()
        #expect(
            main.calls.filter { $0.verb != "get" && $0.verb != "getAll" }.map(\.verb) == ["put", "putAll", "delete"]
        )
        #expect(cache.calls.map(\.verb) == ["put", "putAll", "delete"])
    }

    // Behavior 85.
    @Test func cacheSyncWritesToCacheThenMainSource() throws {
        cache.failNext(CoreError.NotFound(), Broken())
        #expect(throws: Broken.self) { try repository.put(1, in: key, operation: .cacheSync).get() }
        #expect(main.calls.isEmpty)
        try repository.put(1, in: key, operation: .cacheSync).get()
        try repository.delete(key, operation: .cacheSync).get()
        #expect(main.calls.map(\.verb) == ["put", "delete"])
    }

    // Behavior 87.
    @Test func failedMainSourceWriteLeavesCacheUnchanged() throws {
        cacheMemory.put(1, in: key)
        main.failNext(CoreError.NotFound(), Broken())
        #expect(throws: Broken.self) { try repository.put(2, in: key).get() }
        #expect(try cacheMemory.get(key).get() == 1)
    }

    @Test func firstWriteIsUndoneIfSecondWriteFails() throws {
        mainMemory.put(1, in: key)
        cache.failNext(Broken(), Broken(), Broken())
        #expect(throws: Broken.self) { try repository.put(2, in: key).get() }
        #expect(try mainMemory.get(key).get() == 1)
        #expect(throws: Broken.self) { try repository.put(2, in: KeyQuery("new")).get() }
        #expect(throws: CoreError.NotFound.self) { try mainMemory.get("new").get() }
        mainMemory.putAll([1], forId: "l")
        #expect(throws: Broken.self) { try repository.putAll([2], in: KeyQuery("l")).get() }
        #expect(try mainMemory.getAll("l").get() == [1])
    }

    @Test func undoingValueWriteRestoresPreviousList() throws {
        mainMemory.putAll([1, 2], in: key)
        cache.failNext(Broken())
        #expect(throws: Broken.self) { try repository.put(3, in: key).get() }
        #expect(try mainMemory.getAll(key).get() == [1, 2])
    }

    @Test func undoingListWriteRestoresPreviousValue() throws {
        mainMemory.put(1, in: key)
        cache.failNext(Broken())
        #expect(throws: Broken.self) { try repository.putAll([2, 3], in: key).get() }
        #expect(try mainMemory.get(key).get() == 1)
    }

    @Test func undoingListWriteRestoresPreviousValueInStore() throws {
        let store = MemoryStore()
        let main = DeviceStorageDataSource<String>(store)
        main.put("a", in: key)
        let texts = DataSourceSpy<String>()
        texts.failNext(Broken())
        let repository = CacheRepository(main: main, cache: texts)
        #expect(throws: Broken.self) { try repository.putAll(["b"], in: key).get() }
        #expect(try main.get(key).get() == "a")
        #expect(store.verify().isIntact)
    }

    @Test func failedWriteThrowsSourcesDifferIfPreviousValueIsUnreadable() throws {
        let store = MemoryStore()
        try store.set(.data(Data([1])), for: "k")
        let dates = DataSourceSpy<Date>()
        dates.failNext(Broken())
        let repository = CacheRepository(main: DeviceStorageDataSource<Date>(store), cache: dates)
        let error = #expect(throws: RepositoryError.self) { try repository.put(Date(), in: key).get() }
        #expect(error?.code == .sourcesDiffer)
        #expect(try store.get("k") != nil)
        #expect(store.verify().isIntact)
    }

    @Test func failedMultiKeyWriteRestoresEachKey() throws {
        mainMemory.put(1, forId: "a")
        mainMemory.putAll([2, 3], forId: "b")
        cache.failNext(Broken())
        #expect(throws: Broken.self) { try repository.putAll([7, 8, 9], in: IdsQuery(["a", "b", "c"])).get() }
        #expect(try mainMemory.get("a").get() == 1)
        #expect(try mainMemory.getAll("b").get() == [2, 3])
        #expect(throws: CoreError.NotFound.self) { try mainMemory.get("c").get() }
    }

    @Test func failedUndoThrowsSourcesDiffer() throws {
        main.failNext(Broken())
        cache.failNext(Broken())
        // The read before the write failed, so the former state is unknown. The write itself succeeds.
        let error = try #require(throws: RepositoryError.self) { try repository.put(2, in: key).get() }
        #expect(error.code == .sourcesDiffer)
        #expect(error.underlying is Broken)
    }

    @Test func descriptionOfDeeplyNestedErrorIsBounded() throws {
        var last: any Error = Broken()
        // Both causes of each error are the previous error.
        for _ in 0..<100 {
            main.failNext(last)
            cache.failNext(last)
            last = try #require(throws: RepositoryError.self) { try repository.put(2, in: key).get() }
        }
        try expectBounded(last, Broken.self) { ($0 as? RepositoryError)?.undoError }
        try expectBounded(last, Broken.self) { ($0 as? RepositoryError)?.underlying }
        // Errors from other modules are bounded, too.
        for number in 0..<100 {
            let wrapped = StoreError(.inputOutput, "Try \(number) failed.", underlying: last)
            main.failNext(number % 3 == 0 ? Broken() : wrapped)
            cache.failNext(number % 3 == 1 ? Broken() : wrapped)
            last = try #require(throws: RepositoryError.self) { try repository.put(2, in: key).get() }
        }
        #expect("\(last)".utf8.count < 8_000)
        #expect(LarderIssue(.writeFailed, "It failed.", underlying: last).description.utf8.count < 8_000)
    }

    private func expectBounded<Cause: Error>(
        _ error: any Error,
        _ first: Cause.Type,
        _ cause: (any Error) -> (any Error)?
    ) throws {
        var chain = [error]
        while let next = cause(chain[chain.count - 1]) { chain.append(next) }
        try #require(chain.count < 20)
        #expect(chain.last is Cause)
        #expect("\(error)".utf8.count < 8_000)
    }

    @Test func readReturnsValueEvenIfCachingFails() throws {
        mainMemory.put(1, in: key)
        cache.failNext(CoreError.NotFound(), Broken())
        let answer = Recorder<Int>()
        let issues = issues { repository.get(key).then { answer.add($0) } }
        #expect(answer.values == [1])
        #expect(issues.map(\.code) == [.degraded])
    }

    @Test func readFailsWhenCacheDoesNotSupportQuery() {
        let narrow = CacheRepository(main: main, cache: cacheMemory)
        #expect(throws: CoreError.QueryNotSupported.self) { try narrow.get(VoidQuery()).get() }
        #expect(throws: CoreError.QueryNotSupported.self) { try narrow.getAll(VoidQuery()).get() }
        #expect(throws: CoreError.QueryNotSupported.self) { try narrow.put(1, in: VoidQuery()).get() }
        #expect(throws: CoreError.QueryNotSupported.self) { try narrow.delete(VoidQuery()).get() }
        #expect(main.calls.isEmpty)
    }

    @Test func cachedEmptyListIsValid() throws {
        cacheMemory.putAll([], in: key)
        #expect(try repository.getAll(key).get() == [])
        #expect(main.calls.isEmpty)
    }

    // Behavior 88.
    @Test func repositoryWithSingleSourceIgnoresOperation() throws {
        let single = main.asRepository()
        try single.put(1, in: key, operation: .cache).get()
        #expect(try single.get(key, operation: .other("any")).get() == 1)
        try single.putAll([1], in: key).get()
        #expect(try single.getAll(key).get() == [1])
        try single.delete(key).get()
        #expect(main.calls.map(\.verb) == ["put", "get", "putAll", "getAll", "delete"])
    }

    // Behavior 89.
    @Test func voidDataSourceAsRepositoryThrowsNotImplemented() {
        let void = VoidDataSource<Int>().asRepository()
        #expect(throws: CoreError.NotImplemented.self) { try void.get(key).get() }
        #expect(throws: CoreError.NotImplemented.self) { try void.getAll(key).get() }
        #expect(throws: CoreError.NotImplemented.self) { try void.put(1, in: key).get() }
        #expect(throws: CoreError.NotImplemented.self) { try void.putAll([1], in: key).get() }
        #expect(throws: CoreError.NotImplemented.self) { try void.delete(key).get() }
    }
}

/// Tests behavior 109: Concurrent readers of one key share a single read of the main source.
struct SharedReadTests {
    /// A data source whose reads stay pending until a test settles them.
    private final class Slow: GetDataSource, PutDataSource, DeleteDataSource {
        let resolvers = Recorder<FutureResolver<Int>>()
        /// A closure that runs when a read has failed, before its reader receives the failure.
        let beforeAnswer = Mutex<(@Sendable () -> Void)?>(nil)

        func get(_ query: any KeyQuery) -> Future<Int> {
            let future = Future(resolving: { resolvers.add($0) })
            // Added only if needed, because the work is cancelled only after all listeners are.
            return beforeAnswer.withLock { $0 }.map { before in future.fail { _ in before() } } ?? future
        }
        func getAll(_ query: any KeyQuery) -> Future<[Int]> { Future(error: CoreError.NotFound()) }
        func put(_ value: Int?, in query: any KeyQuery) -> Future<Int> { Future(value ?? 0) }
        func putAll(_ values: [Int], in query: any KeyQuery) -> Future<[Int]> { Future(values) }
        func delete(_ query: any KeyQuery) -> Future<Void> { Future(()) }
    }

    private let main = Slow()

    /// An in-memory data source that runs a test's closure during its next write.
    private final class Interrupted: GetDataSource, PutDataSource, DeleteDataSource {
        let memory = InMemoryDataSource<Int>()
        let onPut = Mutex<(@Sendable () -> Void)?>(nil)

        func get(_ query: any KeyQuery) -> Future<Int> { memory.get(query) }
        func getAll(_ query: any StoreQuery) -> Future<[Int]> { memory.getAll(query) }
        func put(_ value: Int?, in query: any KeyQuery) -> Future<Int> {
            // Removed first, because the closure may put again.
            onPut.withLock { onPut in
                defer { onPut = nil }
                return onPut
            }?()
            return memory.put(value, in: query)
        }
        func putAll(_ values: [Int], in query: any StoreQuery) -> Future<[Int]> { memory.putAll(values, in: query) }
        func delete(_ query: any StoreQuery) -> Future<Void> { memory.delete(query) }
    }

    @Test(arguments: [RepositoryOperation.mainSync, .cacheSync, .cache])
    func valuePutDuringReadIsNotReplacedByStaleValue(operation: RepositoryOperation) throws {
        let cache = InMemoryDataSource<Int>()
        let repository = CacheRepository(main: main, cache: cache)
        let read = repository.get(KeyQuery("k"), operation: .mainSync)
        // `mainSync` and `cacheSync` read the former value first. Reads of the main source wait for the test, too.
        let put = repository.put(2, in: KeyQuery("k"), operation: operation)
        for resolver in main.resolvers.values.dropFirst() { resolver.set(CoreError.NotFound()) }
        #expect(try put.get() == 2)
        main.resolvers.values[0].set(1)
        #expect(try read.get() == 1)
        #expect(try cache.get("k").get() == 2)
    }

    @Test func readDoesNotCacheValueDeletedDuringRead() throws {
        let cache = InMemoryDataSource<Int>()
        let repository = CacheRepository(main: main, cache: cache)
        let read = repository.get(KeyQuery("k"))
        try repository.delete(KeyQuery("k")).get()
        main.resolvers.values[0].set(1)
        #expect(try read.get() == 1)
        #expect(throws: CoreError.NotFound.self) { try cache.get("k").get() }
    }

    @Test func putDuringCacheFillLeavesNoStaleValue() throws {
        let (server, cache) = (InMemoryDataSource<Int>(), Interrupted())
        let repository = CacheRepository(main: server, cache: cache)
        server.put(1, in: KeyQuery("k"))
        cache.onPut.withLock { $0 = { repository.put(2, in: KeyQuery("k")) } }
        #expect(try repository.get(KeyQuery("k"), operation: .mainSync).get() == 1)
        #expect(try repository.get(KeyQuery("k")).get() == 2)
    }

    @Test func readStartedAfterPutDoesNotJoinEarlierRead() throws {
        let repository = CacheRepository(main: main, cache: InMemoryDataSource<Int>())
        let before = repository.get(KeyQuery("k"), operation: .mainSync)
        repository.put(2, in: KeyQuery("k"), operation: .main)
        let after = repository.get(KeyQuery("k"), operation: .mainSync)
        try #require(main.resolvers.values.count == 2)
        main.resolvers.values[1].set(2)
        main.resolvers.values[0].set(1)
        #expect(try before.get() == 1)
        #expect(try after.get() == 2)
        #expect(try repository.get(KeyQuery("k"), operation: .cache).get() == 2)
    }

    @Test func putToAnotherKeyDoesNotPreventCaching() throws {
        let cache = InMemoryDataSource<Int>()
        let repository = CacheRepository(main: main, cache: cache)
        let read = repository.get(KeyQuery("k"))
        repository.put(2, in: KeyQuery("other"), operation: .cache)
        main.resolvers.values[0].set(1)
        #expect(try read.get() == 1)
        #expect(try cache.get("k").get() == 1)
    }

    @Test func sharedReadEndsWhenAllReadersAreCancelled() {
        let repository = CacheRepository(main: main, cache: InMemoryDataSource<Int>())
        let readers = (0..<3).map { _ in repository.get(KeyQuery("k")) }
        #expect(repository.readsUnderWay == 1)
        for reader in readers { reader.cancel() }
        #expect(repository.readsUnderWay == 0)
        for resolver in main.resolvers.values { resolver.set(1) }
    }

    @Test func readCancelledDuringCacheLookupDoesNotCallMainSource() {
        let reader = Mutex<Future<Int>?>(nil)
        let cache = Slow()
        cache.beforeAnswer.withLock { $0 = { reader.withLock { $0 }?.cancel() } }
        let read = CacheRepository(main: main, cache: cache).get(KeyQuery("k"))
        reader.withLock { $0 = read }
        cache.resolvers.values[0].set(CoreError.NotFound())
        #expect(throws: CancellationError.self) { try read.get() }
        #expect(main.resolvers.values.isEmpty)
    }

    // Behavior 109.
    @Test func twentyConcurrentReadersShareOneRead() throws {
        let repository = CacheRepository(main: main, cache: InMemoryDataSource<Int>())
        let readers = (0..<20).map { _ in repository.get(KeyQuery("k")) }
        _ = repository.get(KeyQuery("other"))
        #expect(main.resolvers.values.count == 2)
        readers[0].cancel()
        main.resolvers.values[0].set(7)
        for reader in readers.dropFirst() { #expect(try reader.get() == 7) }
        #expect(throws: CancellationError.self) { try readers[0].get() }
        #expect(try repository.get(KeyQuery("k")).get() == 7)
        main.resolvers.values[1].set(1)
    }

    // Behavior 109.
    @Test func cancellingAllReadersCancelsSharedRead() {
        let repository = CacheRepository(main: main, cache: InMemoryDataSource<Int>())
        let cancelled = Recorder<Int>()
        let readers = (0..<3).map { _ in repository.get(KeyQuery("k")) }
        main.resolvers.values[0].onCancel { cancelled.add(1) }
        readers[0].cancel()
        readers[1].cancel()
        #expect(cancelled.values.isEmpty)
        readers[2].cancel()
        #expect(cancelled.values == [1])
        _ = repository.get(KeyQuery("k"))
        #expect(main.resolvers.values.count == 2)
        for resolver in main.resolvers.values { resolver.set(1) }
    }
}
