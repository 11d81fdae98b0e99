import LarderCore
import LarderDataSources
import LarderTestSupport
import LarderTesting
import Testing

/// Tests that a write with an unknown outcome leaves no stale value in the cache.
struct UnknownWriteOutcomeTests {
    private struct Broken: Error {}

    private let main = HeldSource()
    private let cache = InMemoryDataSource<Int>()
    private let key = KeyQuery("k")

    private var repository: CacheRepository<HeldSource, InMemoryDataSource<Int>> {
        CacheRepository(main: main, cache: cache)
    }

    /// Stores 1 under the key in both sources.
    private func fill() {
        main.memory.put(1, in: key)
        cache.put(1, in: key)
    }

    @Test func cancelledPutInvalidatesCache() throws {
        fill()
        let repository = repository
        main.hold("put")
        let put = repository.put(2, in: key)
        #expect(main.waiting == ["put k"])
        put.cancel()
        #expect(throws: CancellationError.self) { try put.get() }
        #expect(main.cancelled == ["put k"])
        // The server has stored the value.
        main.memory.put(2, in: key)
        main.hold()
        #expect(try repository.get(key, operation: .cacheSync).get() == 2)
    }

    @Test func putInCancelledTaskInvalidatesCache() async throws {
        fill()
        let repository = repository
        main.hold("put")
        let writer = Task { try await repository.put(2, in: key).value }
        try await waitUntil { main.waiting == ["put k"] }
        writer.cancel()
        await #expect(throws: CancellationError.self) { try await writer.value }
        main.memory.put(2, in: key)
        main.hold()
        #expect(try await repository.get(key).value == 2)
    }

    @Test func cancelledListPutInvalidatesCache() throws {
        main.memory.putAll([1], in: key)
        cache.putAll([1], in: key)
        let repository = repository
        main.hold("putAll")
        repository.putAll([2], in: key).cancel()
        main.memory.putAll([2], in: key)
        main.hold()
        #expect(try repository.getAll(key).get() == [2])
    }

    @Test func cancelledDeletionInvalidatesCache() throws {
        fill()
        let repository = repository
        main.hold("delete")
        repository.delete(key).cancel()
        main.memory.delete(key)
        main.hold()
        #expect(throws: CoreError.NotFound.self) { try repository.get(key).get() }
    }

    @Test func cancelledCacheFirstPutInvalidatesCache() throws {
        fill()
        let repository = repository
        main.hold("put")
        repository.put(2, in: key, operation: .cacheSync).cancel()
        main.hold()
        // The server has not stored the value.
        #expect(try repository.get(key).get() == 1)
    }

    @Test func putCancelledBeforeStartKeepsCachedValue() throws {
        fill()
        let repository = repository
        // Before it writes, the repository reads the previous value.
        main.hold("get")
        repository.put(2, in: key).cancel()
        #expect(try cache.get(key).get() == 1)
    }

    @Test func failedPutKeepsCachedValue() throws {
        fill()
        let repository = repository
        main.hold("put")
        let put = repository.put(2, in: key)
        main.answer(Broken())
        #expect(throws: Broken.self) { try put.get() }
        #expect(try cache.get(key).get() == 1)
    }

    @Test func customErrorCanMarkWriteOutcomeAsUnknown() throws {
        fill()
        let repository = CacheRepository(main: main, cache: cache, isOutcomeUnknown: { $0 is Broken })
        main.hold("put")
        let put = repository.put(2, in: key)
        main.answer(Broken())
        #expect(throws: Broken.self) { try put.get() }
        #expect(throws: CoreError.NotFound.self) { try cache.get(key).get() }
    }

    @Test func failedUndoInvalidatesCache() throws {
        fill()
        let cache = DataSourceSpy(cache)
        let repository = CacheRepository(main: main, cache: cache)
        main.hold("put")
        cache.fail(["put"], with: Broken())
        let put = repository.put(2, in: key)
        main.answer()
        main.answer(Broken())
        #expect(throws: RepositoryError.self) { try put.get() }
        cache.fail(with: nil)
        main.hold()
        #expect(try repository.get(key).get() == 2)
    }

    @Test func cacheInvalidationFailureIsReported() throws {
        fill()
        let cache = DataSourceSpy(cache)
        cache.fail(["delete"], with: Broken())
        let repository = CacheRepository(main: main, cache: cache)
        main.hold("put")
        let issues = issues { repository.put(2, in: key).cancel() }
        #expect(issues.map(\.code) == [.degraded])
        #expect(issues.first?.key == "k")
        #expect(issues.first?.underlying is Broken)
    }

    @Test func valueReadBeforeCancelledPutIsNotCached() throws {
        fill()
        let repository = repository
        main.hold("get", "put")
        let read = repository.get(key, operation: .mainSync)
        let put = repository.put(2, in: key)
        #expect(main.waiting == ["get k", "get k"])
        main.answer()
        main.answer()
        #expect(main.waiting == ["put k"])
        put.cancel()
        #expect(try read.get() == 1)
        #expect(throws: CoreError.NotFound.self) { try cache.get(key).get() }
    }
}
