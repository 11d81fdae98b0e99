import LarderCore
import LarderDataSources
import LarderStores
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Testing

/// Tests that a data source that never answers does not block its callers forever.
struct SourceTimeLimitTests {
    private let main = HeldSource()
    private let cache = InMemoryDataSource<Int>()
    private let store = MemoryStore()
    private let time = ManualTimeSource()
    private let key = KeyQuery("k")
    private let other = KeyQuery("other")

    private var repository: CacheRepository<HeldSource, InMemoryDataSource<Int>> {
        CacheRepository(main: main, cache: cache, time: time, timeLimit: .seconds(10))
    }

    private var outbox: OutboxDataSource<Int> {
        OutboxDataSource(main: main, store: store, name: "numbers", timeLimit: .seconds(10), time: time)
    }

    /// Advances the time by one second whenever a task sleeps, until a condition is met.
    private func advance(until condition: () throws -> Bool) async throws {
        try await waitUntil {
            if try condition() { return true }
            if time.sleeperCount > 0 { time.advance(by: .seconds(1)) }
            return try condition()
        }
    }

    @Test func readAfterTimedOutReadCallsSourceAgain() async throws {
        main.memory.put(1, in: key)
        main.hold("get")
        let repository = repository
        let (first, second) = (repository.get(key), repository.get(key))
        #expect(main.waiting == ["get k"])
        await time.waitForSleepers()
        time.advance(by: .seconds(10))
        for read in [first, second] {
            let error = await #expect(throws: FutureError.self) { try await read.value }
            #expect(error?.code == .timedOut)
        }
        #expect(main.cancelled == ["get k"])
        main.hold()
        #expect(try await repository.get(key).value == 1)
        #expect(time.sleeperCount == 0)
    }

    @Test func timedOutWriteHasUnknownOutcomeAndInvalidatesCache() async throws {
        main.memory.put(1, in: key)
        cache.put(1, in: key)
        main.hold("put")
        let repository = repository
        let put = repository.put(2, in: key)
        await time.waitForSleepers()
        time.advance(by: .seconds(10))
        let error = await #expect(throws: FutureError.self) { try await put.value }
        #expect(error?.code == .mayHaveHappened)
        #expect(main.cancelled == ["put k"])
        main.memory.put(2, in: key)
        main.hold()
        #expect(try await repository.get(key).value == 2)
    }

    @Test func timedOutDeletionInvalidatesCache() async throws {
        cache.put(1, in: key)
        main.hold("delete")
        let deletion = repository.delete(key)
        await time.waitForSleepers()
        time.advance(by: .seconds(10))
        let error = await #expect(throws: FutureError.self) { try await deletion.value }
        #expect(error?.code == .mayHaveHappened)
        #expect(throws: CoreError.NotFound.self) { try cache.get(key).get() }
    }

    @Test func callWithoutTimeLimitNeverTimesOut() async throws {
        main.memory.put(1, in: key)
        main.hold("get")
        let repository = CacheRepository(main: main, cache: cache, time: time, timeLimit: nil)
        let read = repository.get(key)
        time.advance(by: .seconds(1_000_000))
        #expect(time.sleeperCount == 0)
        main.answer()
        #expect(try await read.value == 1)
    }

    // MARK: - The cache of a repository

    /// Waits until a task sleeps, then advances the time by the time limit.
    private func passLimit(_ limit: Duration = .seconds(10)) async throws {
        try await waitUntil(within: .seconds(10), "a time limit") { time.sleeperCount > 0 }
        time.advance(by: limit)
    }

    @Test(.expectsIssues(.degraded)) func unresponsiveCacheDoesNotBlockReadFromMainSource() async throws {
        let held = HeldSource()
        held.hold("delete")
        let cache = ExpiringDataSource(
            held,
            lifetime: CacheLifetime(fresh: nil, missing: .seconds(60)),
            time: time
        )
        let repository = CacheRepository(main: main, cache: cache, time: time, timeLimit: .seconds(10))
        let read = repository.get(key, operation: .mainSync)
        #expect(held.waiting == ["delete k"])
        try await passLimit()
        await #expect(throws: CoreError.NotFound.self) { try await read.value }
        #expect(repository.readsUnderWay == 0)
    }

    @Test func unresponsiveCacheDoesNotBlockReadDuringWrite() async throws {
        let held = HeldSource()
        held.hold("put", "delete")
        main.memory.put(1, in: key)
        let repository = CacheRepository(main: main, cache: held, time: time, timeLimit: .seconds(10))
        let log = Recorder<LarderIssue>()
        try await withIssueHandler({ log.add($0) }) {
            let read = repository.get(key, operation: .mainSync)
            #expect(held.waiting == ["put k"])
            _ = try await repository.put(2, in: key, operation: .main).value
            held.answer()
            try await waitUntil { held.waiting == ["delete k"] }
            try await waitUntil { time.sleeperCount > 0 }
            time.advance(by: .seconds(10))
            try await waitUntil(within: .seconds(10), "the read") { read.isSettled }
            #expect(try await read.value == 1)
        }
        #expect(repository.readsUnderWay == 0)
        #expect(held.cancelled == ["delete k"])
        #expect(log.values.count == 1)
        #expect(log.values.first?.message.contains("stale values") == true)
        #expect(log.values.first?.key == "k")
    }

    // MARK: - Memory

    @Test func timedOutMemoryCacheReadDoesNotDelayOtherReaders() async throws {
        main.memory.put(1, in: key)
        main.hold("get")
        let source = TimedCacheDataSource(main, time: time)
        let read = source.get(key)
        main.hold()
        #expect(try await source.get(key).value == 1)
        try await passLimit(.seconds(60))
        let error = await #expect(throws: FutureError.self) { try await read.value }
        #expect(error?.code == .timedOut)
        #expect(main.cancelled == ["get k"])
    }

    @Test func timedOutMemoryCacheWriteIsNotCached() async throws {
        let source = TimedCacheDataSource(main, time: time, timeLimit: .seconds(10))
        _ = try await source.put(1, in: key).value
        main.hold("put")
        let put = source.put(2, in: key)
        try await passLimit()
        let error = await #expect(throws: FutureError.self) { try await put.value }
        #expect(error?.code == .mayHaveHappened)
        #expect(main.cancelled == ["put k"])
        main.memory.put(2, in: key)
        #expect(try await source.get(key).value == 2)
        main.memory.put(3, in: key)
        #expect(try await source.get(key).value == 2, "A value that is read after the write has ended is cached.")
    }

    @Test func memoryCacheWithoutTimeLimitWaitsForSource() async throws {
        main.memory.put(1, in: key)
        main.hold("get")
        let read = TimedCacheDataSource(main, time: time, timeLimit: nil).get(key)
        time.advance(by: .seconds(1_000_000))
        #expect(time.sleeperCount == 0)
        main.answer()
        #expect(try await read.value == 1)
    }

    // MARK: - Outbox

    @Test func timedOutWriteStaysFirstInOutboxAndIsResent() async throws {
        main.hold("put")
        let outbox = outbox
        let (first, second) = (outbox.put(1, in: key), outbox.put(2, in: key))
        let replayed = outbox.replay()
        try await waitUntil { main.waiting == ["put k"] }
        try await advance { first.isSettled && second.isSettled && replayed.isSettled }
        // The writes settle and stay in the outbox, as if there were no network.
        #expect(try await first.value == 1)
        #expect(try await second.value == 2)
        let error = await #expect(throws: FutureError.self) { try await replayed.value }
        #expect(error?.code == .mayHaveHappened)
        #expect(main.cancelled == ["put k"])
        #expect(try outbox.pending().map(\.number) == [0, 1])
        main.hold()
        try await outbox.replay().value
        #expect(try await main.memory.get(key).value == 2)
        #expect(try outbox.pending().isEmpty)
    }

    @Test func readDoesNotWaitForPendingWritesOfOtherKeys() async throws {
        main.memory.put(5, in: other)
        main.hold("put")
        let outbox = outbox
        let put = outbox.put(1, in: key)
        try await waitUntil { main.waiting == ["put k"] }
        #expect(try await outbox.get(other).value == 5)
        #expect(!put.isSettled)
        main.answer()
        #expect(try await put.value == 1)
    }

    @Test func readOfKeyWithPendingWriteFailsAtTimeLimit() async throws {
        main.hold("put")
        let outbox = outbox
        let put = outbox.put(1, in: key)
        let read = outbox.get(key)
        try await waitUntil { main.waiting == ["put k"] }
        try await advance { put.isSettled && read.isSettled }
        let error = await #expect(throws: FutureError.self) { try await read.value }
        #expect(error?.code == .mayHaveHappened)
    }

    @Test func timeoutMessageSaysOutboxMayStillSendWrite() async throws {
        main.hold("put")
        let outbox = outbox
        let put = outbox.put(1, in: key)
        try await waitUntil { main.waiting == ["put k"] }
        let limited = put.withTimeout(.seconds(1), time: time)
        try await advance { limited.isSettled }
        let error = await #expect(throws: FutureError.self) { try await limited.value }
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("cancelled") == false)
        #expect(error?.message.contains("outbox") == true)
        #expect(try outbox.pending().map(\.number) == [0])
        main.answer()
        try await waitUntil { try outbox.pending().isEmpty }
        #expect(try await main.memory.get(key).value == 1)
    }
}
