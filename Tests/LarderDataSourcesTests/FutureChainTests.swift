import Foundation
import LarderCore
import LarderDataSources
import LarderTestSupport
import LarderTesting
import Synchronization
import Testing

/// Tests that chains of 100,000 futures or attempts work on a stack of 512 KB; see decision 0046.
@Suite(.serialized) struct FutureChainTests {
    private struct Broken: Error {}
    /// The length of a chain.
    ///
    /// Recursion would overflow the stack at a hundredth of this length.
    private static let length = 100_000
    /// The number of attempts in tests whose attempts settle later.
    private static let attempts = 20_000

    /// Returns the last future of a chain with `length` maps, and the resolver of its first future, which is pending.
    private static func chain(_ length: Int = length) -> (last: Future<Int>, resolver: FutureResolver<Int>) {
        let (first, resolver) = Future<Int>.pending()
        var last = first
        for _ in 0..<length { last = last.map { $0 + 1 } }
        return (last, resolver)
    }

    @Test func settlingLongChainDoesNotOverflowStack() throws {
        let value = try onSmallThread {
            let (last, resolver) = Self.chain()
            resolver.set(0)
            return try last.get()
        }
        #expect(value == Self.length)
    }

    @Test func failingLongChainDoesNotOverflowStack() throws {
        let isBroken = try onSmallThread {
            let (last, resolver) = Self.chain()
            resolver.set(Broken())
            guard case .failure(let error) = last.result else { return false }
            return error is Broken
        }
        #expect(isBroken)
    }

    @Test func cancellingLongChainDoesNotOverflowStack() throws {
        let isCancelled = try onSmallThread {
            let (last, resolver) = Self.chain()
            let isStopped = Atomic(false)
            resolver.onCancel { isStopped.store(true, ordering: .relaxed) }
            last.cancel()
            guard case .failure(let error) = last.result else { return false }
            return error is CancellationError && isStopped.load(ordering: .relaxed)
        }
        #expect(isCancelled)
    }

    @Test func releasingLongChainDoesNotOverflowStack() throws {
        let codes = try onSmallThread {
            issues {
                // The last future is released first, then the resolver, which fails the others.
                var chain: (last: Future<Int>, resolver: FutureResolver<Int>)? = Self.chain()
                #expect(chain?.last.isSettled == false)
                chain = nil
            }.map(\.code)
        }
        #expect(codes == [.unhandledFailure])
    }

    @Test func settlingDeeplyNestedBatchesDoesNotOverflowStack() throws {
        let count = try onSmallThread {
            let (first, resolver) = Future<Int>.pending()
            var last = first
            for _ in 0..<50_000 { last = Future.batch(last, Future(1)).map { $0.reduce(0, +) } }
            resolver.set(0)
            return try last.get()
        }
        #expect(count == 50_000)
    }

    @Test func settlingLongOperatorChainsDoesNotOverflowStack() throws {
        let counts = try onSmallThread {
            let (first, resolver) = Future<Int>.pending()
            var (following, recovered, zipped, timed) = (first, first, first, first)
            for _ in 0..<100_000 {
                following = following.flatMap { Future($0 + 1) }
                recovered = recovered.recover { throw $0 }
            }
            for _ in 0..<5_000 {
                zipped = zipped.zip(Future(1)).map { $0 + $1 }
                timed = timed.withTimeout(.seconds(3_600))
            }
            resolver.set(0)
            return try [following.get(), recovered.get(), zipped.get(), timed.get()]
        }
        #expect(counts == [100_000, 0, 5_000, 0])
    }

    @Test func cancellingLongOperatorChainsDoesNotOverflowStack() throws {
        let areCancelled = try onSmallThread {
            let ends: [(Future<Int>) -> Future<Int>] = [
                { $0.flatMap { Future($0 + 1) } }, { $0.recover { throw $0 } }, { $0.zip(Future(1)).map { $0 + $1 } },
                { $0.withTimeout(.seconds(3_600)) },
            ]
            return ends.map { end in
                let (first, resolver) = Future<Int>.pending()
                let isStopped = SharedFlag()
                resolver.onCancel { isStopped.set() }
                var last = first
                for _ in 0..<5_000 { last = end(last) }
                last.cancel()
                guard case .failure(let error) = last.result else { return false }
                return error is CancellationError && isStopped.isSet
            }
        }
        #expect(areCancelled == [true, true, true, true])
    }

    // MARK: - Settling inside another future's delivery

    @Test func cancellingChainOfWaitingTasksDoesNotOverflowStack() async throws {
        let (first, resolver) = Future<Int>.pending()
        let isStopped = SharedFlag()
        resolver.onCancel { isStopped.set() }
        let started = StartedTasks()
        var last = first
        for _ in 0..<Self.taskCount {
            last = Future(async: { [last] in
                started.count.add(1, ordering: .relaxed)
                return try await last.value + 1
            })
        }
        try await waitUntil { started.count.load(ordering: .relaxed) == Self.taskCount }
        let outermost = last
        try onSmallThread { outermost.cancel() }
        await #expect(throws: CancellationError.self) { try await outermost.value }
        try await waitUntil { isStopped.isSet }
    }

    @Test func cancellingTaskAwaitingManyTasksDoesNotOverflowStack() async throws {
        let (first, resolver) = Future<Int>.pending()
        let isStopped = SharedFlag()
        resolver.onCancel { isStopped.set() }
        let started = StartedTasks()
        var last = first
        for _ in 0..<20_000 {
            last = Future(async: { [last] in
                started.count.add(1, ordering: .relaxed)
                return try await last.value + 1
            })
        }
        try await waitUntil { started.count.load(ordering: .relaxed) == 20_000 }
        let reader = Task { [last] in try await last.value }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        try await waitUntil { isStopped.isSet }
    }

    /// Each future's listener holds the resolver of the next future.
    ///
    /// Nothing settles the first future.
    @Test func releasingResolversHeldByListenersDoesNotOverflowStack() throws {
        let isAbandoned = try onSmallThread {
            guard case .failure(let error) = Self.futureOfReleasedResolvers(100_000).result else { return false }
            return (error as? FutureError)?.code == .abandoned
        }
        #expect(isAbandoned)
    }

    /// Returns the last future of a chain in which each listener held the next resolver, after all resolvers were released.
    ///
    /// Because this is a separate function, nothing else holds a resolver when it returns.
    private static func futureOfReleasedResolvers(_ count: Int) -> Future<Int> {
        let (last, lastResolver) = Future<Int>.pending()
        var resolver = lastResolver
        for _ in 0..<count {
            let (future, own) = Future<Int>.pending()
            future.then { [resolver] in resolver.set($0) }.fail { _ in }
            resolver = own
        }
        return last
    }

    private static let taskCount = 100_000

    private final class StartedTasks: Sendable {
        let count = Atomic(0)
    }

    private final class SharedFlag: Sendable {
        private let flag = Atomic(false)
        var isSet: Bool { flag.load(ordering: .acquiring) }
        func set() { flag.store(true, ordering: .releasing) }
    }

    /// A sequence of steps, each of which starts when the previous one has settled.
    private final class Steps: Sendable {
        private let resolver = Mutex<FutureResolver<Void>?>(nil)

        func run(_ left: Int) -> Future<Int> {
            let (future, resolver) = Future<Void>.pending()
            self.resolver.withLock { $0 = resolver }
            return future.flatMap { left == 0 ? Future(0) : self.run(left - 1).map { $0 + 1 } }
        }

        /// Settles the step that is in progress.
        func settle() {
            let resolver = resolver.withLock { resolver in
                defer { resolver = nil }
                return resolver
            }
            resolver?.set(())
        }
    }

    @Test func settlingManySequentialFuturesDoesNotOverflowStack() throws {
        let count = try onSmallThread {
            let steps = Steps()
            let all = steps.run(100_000)
            for _ in 0...100_000 { steps.settle() }
            return try all.get()
        }
        #expect(count == 100_000)
    }

    @Test func cancellingManySequentialFuturesDoesNotOverflowStack() throws {
        let isCancelled = try onSmallThread {
            let steps = Steps()
            let all = steps.run(100_000)
            for _ in 0..<60_000 { steps.settle() }
            all.cancel()
            guard case .failure(let error) = all.result else { return false }
            return error is CancellationError
        }
        #expect(isCancelled)
    }

    // MARK: - Retries

    /// A data source that fails all attempts except the last.
    private final class Flaky: GetDataSource, PutDataSource, DeleteDataSource {
        private let attempts = Atomic(0)
        private let isLater: Bool
        private let waiting = Mutex<FutureResolver<Int>?>(nil)

        private let needed: Int

        init(_ needed: Int, isLater: Bool = false) {
            self.needed = needed
            self.isLater = isLater
        }

        func get(_ query: any KeyQuery) -> Future<Int> {
            let attempt = attempts.add(1, ordering: .relaxed).newValue
            if attempt == needed { return Future(attempt) }
            guard isLater else { return Future(error: Broken()) }
            let (future, resolver) = Future<Int>.pending()
            waiting.withLock { $0 = resolver }
            return future
        }

        /// Fails the pending attempt, or returns `false` if there is none.
        func fail() -> Bool {
            let resolver = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            resolver?.set(Broken())
            return resolver != nil
        }

        /// Releases the resolver of the pending attempt without settling it.
        func drop() {
            let resolver = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            withExtendedLifetime(resolver) {}
        }

        var attemptCount: Int { attempts.load(ordering: .relaxed) }

        func getAll(_ query: any KeyQuery) -> Future<[Int]> { Future([]) }
        func put(_ value: Int?, in query: any KeyQuery) -> Future<Int> { Future(0) }
        func putAll(_ values: [Int], in query: any KeyQuery) -> Future<[Int]> { Future(values) }
        func delete(_ query: any KeyQuery) -> Future<Void> { Future(()) }
    }

    @Test func immediatelyFailingCallCanBeRetriedManyTimes() throws {
        let value = try onSmallThread {
            let source = RetryDataSource(Flaky(Self.length), policy: RetryPolicy(attempts: .max))
            return try source.get(KeyQuery("k")).get()
        }
        #expect(value == Self.length)
    }

    @Test func asynchronouslyFailingCallCanBeRetriedManyTimes() throws {
        let value = try onSmallThread {
            let flaky = Flaky(Self.attempts, isLater: true)
            let future = RetryDataSource(flaky, policy: RetryPolicy(attempts: .max)).get(KeyQuery("k"))
            while flaky.fail() {}
            return try future.get()
        }
        #expect(value == Self.attempts)
    }

    @Test func retriesCanBeCancelledAfterManyAttempts() throws {
        let (isCancelled, attempts) = try onSmallThread {
            let flaky = Flaky(.max, isLater: true)
            let future = RetryDataSource(flaky, policy: RetryPolicy(attempts: .max)).get(KeyQuery("k"))
            for _ in 1..<Self.attempts { #expect(flaky.fail()) }
            future.cancel()
            // After the cancellation, a failed attempt is not retried.
            while flaky.fail() {}
            guard case .failure(let error) = future.result else { return (false, 0) }
            return (error is CancellationError, flaky.attemptCount)
        }
        #expect(isCancelled)
        #expect(attempts == Self.attempts)
    }

    @Test func retriesAreFreedAfterCallerReleasesFuture() throws {
        let (codes, isReleased) = try onSmallThread {
            weak var released: Flaky?
            let codes = issues {
                let flaky = Flaky(.max, isLater: true)
                released = flaky
                var future: Future<Int>? = RetryDataSource(flaky, policy: RetryPolicy(attempts: Self.attempts))
                    .get(KeyQuery("k"))
                for _ in 1..<Self.attempts { #expect(flaky.fail()) }
                #expect(future?.isSettled == false)
                future = nil
                // The last attempt's resolver is released, and its failure is never handled.
                flaky.drop()
                #expect(flaky.attemptCount == Self.attempts)
            }.map(\.code)
            return (codes, released == nil)
        }
        #expect(codes == [.unhandledFailure])
        #expect(isReleased)
    }

    @Test func retriesCanBeCancelledBetweenAttempts() async throws {
        let time = ManualTimeSource()
        let source = RetryDataSource(
            Flaky(3),
            policy: RetryPolicy(attempts: .max, delay: .seconds(1), time: time)
        )
        let future = source.get(KeyQuery("k"))
        await time.waitForSleepers()
        future.cancel()
        await #expect(throws: CancellationError.self) { try await future.value }
        #expect(time.sleeperCount == 0)
    }
}
