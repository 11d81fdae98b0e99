import Foundation
import LarderCore
import LarderDataSources
import LarderTestSupport
import LarderTesting
import Synchronization
import Testing

/// Chains of a million futures, a million attempts, and lengths of other kinds that decision 0046 gives reasons for, on a stack of 512 KB.
@Suite(.serialized) struct FutureChainTests {
    private struct Broken: Error {}
    private static let length = 1_000_000
    /// Attempts that end later, each of which settles a future of its own.
    private static let attempts = 200_000

    /// Maps behind a future that has not settled.
    private static func chain(_ length: Int = length) -> (last: Future<Int>, resolver: FutureResolver<Int>) {
        let (first, resolver) = Future<Int>.pending()
        var last = first
        for _ in 0..<length { last = last.map { $0 + 1 } }
        return (last, resolver)
    }

    @Test func longChainSettles() throws {
        let value = try onSmallThread {
            let (last, resolver) = Self.chain()
            resolver.set(0)
            return try last.get()
        }
        #expect(value == Self.length)
    }

    @Test func longChainFails() throws {
        let isBroken = try onSmallThread {
            let (last, resolver) = Self.chain(200_000)
            resolver.set(Broken())
            guard case .failure(let error) = last.result else { return false }
            return error is Broken
        }
        #expect(isBroken)
    }

    @Test func longChainIsCancelledFromItsEnd() throws {
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

    @Test func longChainIsDropped() throws {
        let codes = try onSmallThread {
            issues {
                // The last future goes first, then the resolver, which fails what is left.
                var chain: (last: Future<Int>, resolver: FutureResolver<Int>)? = Self.chain()
                #expect(chain?.last.isSettled == false)
                chain = nil
            }.map(\.code)
        }
        #expect(codes == [.unheardFailure])
    }

    @Test func longChainOfBatchesSettles() throws {
        let count = try onSmallThread {
            let (first, resolver) = Future<Int>.pending()
            var last = first
            for _ in 0..<50_000 { last = Future.batch(last, Future(1)).map { $0.reduce(0, +) } }
            resolver.set(0)
            return try last.get()
        }
        #expect(count == 50_000)
    }

    @Test func longChainsOfEveryKindSettle() throws {
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

    @Test func longChainsOfEveryKindAreCancelled() throws {
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

    // MARK: - Ends that lead to other ends

    @Test func tasksThatWaitForOneAnotherAreCancelled() async throws {
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

    @Test func taskThatWaitsForManyOthersIsCancelled() async throws {
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

    /// Each future's listener holds the resolver of the next one, and nothing settles the first.
    @Test func resolversThatListenersHoldAreReleased() throws {
        let isAbandoned = try onSmallThread {
            guard case .failure(let error) = Self.futureOfReleasedResolvers(100_000).result else { return false }
            return (error as? FutureError)?.code == .abandoned
        }
        #expect(isAbandoned)
    }

    /// A future whose resolver the last listener held; a function, so that nothing else holds a resolver when it returns.
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

    /// Each step waits for one that begins when the step before has settled.
    private final class Steps: Sendable {
        private let resolver = Mutex<FutureResolver<Void>?>(nil)

        func run(_ left: Int) -> Future<Int> {
            let (future, resolver) = Future<Void>.pending()
            self.resolver.withLock { $0 = resolver }
            return future.flatMap { left == 0 ? Future(0) : self.run(left - 1).map { $0 + 1 } }
        }

        /// Settles the step that waits.
        func settle() {
            let resolver = resolver.withLock { resolver in
                defer { resolver = nil }
                return resolver
            }
            resolver?.set(())
        }
    }

    @Test func manyStepsThatBeginOneAfterAnotherSettle() throws {
        let count = try onSmallThread {
            let steps = Steps()
            let all = steps.run(100_000)
            for _ in 0...100_000 { steps.settle() }
            return try all.get()
        }
        #expect(count == 100_000)
    }

    @Test func manyStepsThatBeginOneAfterAnotherAreCancelled() throws {
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

    /// Fails every attempt but the last.
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

        /// Fails the attempt that waits; `false` when none does.
        func fail() -> Bool {
            let resolver = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            resolver?.set(Broken())
            return resolver != nil
        }

        /// Lets go of the attempt that waits.
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

    @Test func millionRetriesOfWhatFailsAtOnce() throws {
        let value = try onSmallThread {
            let source = RetryDataSource(Flaky(Self.length), policy: RetryPolicy(attempts: .max))
            return try source.get(KeyQuery("k")).get()
        }
        #expect(value == Self.length)
    }

    @Test func manyRetriesOfWhatFailsLater() throws {
        let value = try onSmallThread {
            let flaky = Flaky(200_000, isLater: true)
            let future = RetryDataSource(flaky, policy: RetryPolicy(attempts: .max)).get(KeyQuery("k"))
            while flaky.fail() {}
            return try future.get()
        }
        #expect(value == 200_000)
    }

    @Test func retriesAreCancelledAfterManyAttempts() throws {
        let (isCancelled, attempts) = try onSmallThread {
            let flaky = Flaky(.max, isLater: true)
            let future = RetryDataSource(flaky, policy: RetryPolicy(attempts: .max)).get(KeyQuery("k"))
            for _ in 1..<Self.attempts { #expect(flaky.fail()) }
            future.cancel()
            // What comes of the last attempt leads to no further one.
            while flaky.fail() {}
            guard case .failure(let error) = future.result else { return (false, 0) }
            return (error is CancellationError, flaky.attemptCount)
        }
        #expect(isCancelled)
        #expect(attempts == Self.attempts)
    }

    @Test func retriesAreDroppedAfterManyAttempts() throws {
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
                // The last attempt's resolver goes, and nobody hears of the failure.
                flaky.drop()
                #expect(flaky.attemptCount == Self.attempts)
            }.map(\.code)
            return (codes, released == nil)
        }
        #expect(codes == [.unheardFailure])
        #expect(isReleased)
    }

    @Test func retriesAreCancelledBetweenAttempts() async throws {
        let time = ManualTimeSource()
        let source = RetryDataSource(
            Flaky(3),
            policy: RetryPolicy(attempts: .max, pause: .seconds(1), time: time)
        )
        let future = source.get(KeyQuery("k"))
        await time.waitForSleepers()
        future.cancel()
        await #expect(throws: CancellationError.self) { try await future.value }
        #expect(time.sleeperCount == 0)
    }
}
