import LarderCore
import LarderDataSources
import LarderTesting
import Testing

/// Tests each method that combines futures, with settled and with pending futures.
struct FutureCombiningTests {
    private struct Broken: Error, Equatable { var name = "" }
    private struct Other: Error {}

    /// Applies `combine` to a settled future and to a pending future that later settles in the same way, and returns their common outcome.
    private func outcomes<Value: Sendable, NewValue: Sendable & Equatable>(
        _ outcome: Result<Value, any Error>,
        _ combine: (Future<Value>) -> Future<NewValue>
    ) throws -> Result<NewValue, any Error> {
        let settled = combine(Future { try outcome.get() })
        #expect(settled.isSettled)
        let (future, resolver) = Future<Value>.pending()
        let later = combine(future)
        #expect(!later.isSettled)
        resolver.set(outcome)
        #expect(later.isSettled)
        let (first, second) = (settled.result, later.result)
        #expect((try? first.get()) == (try? second.get()))
        return second
    }

    private let value = Result<Int, any Error>.success(2)
    private let broken = Result<Int, any Error>.failure(Broken())

    @Test func mapTransformsValue() throws {
        #expect(try outcomes(value) { $0.map { "\($0)" } }.get() == "2")
        #expect(throws: Other.self) { try outcomes(value) { $0.map { (_: Int) -> Int in throw Other() } }.get() }
        #expect(throws: Broken.self) { try outcomes(broken) { $0.map { $0 + 1 } }.get() }
    }

    @Test func mapErrorTransformsError() throws {
        #expect(throws: Other.self) { try outcomes(broken) { $0.mapError { _ in Other() } }.get() }
        #expect(try outcomes(value) { $0.mapError { _ in Other() } }.get() == 2)
    }

    @Test func flatMapContinuesWithNextFuture() throws {
        #expect(try outcomes(value) { $0.flatMap { Future($0 * 2) } }.get() == 4)
        #expect(throws: Other.self) { try outcomes(value) { $0.flatMap { _ in Future<Int>(error: Other()) } }.get() }
        #expect(throws: Other.self) {
            try outcomes(value) { $0.flatMap { (_: Int) -> Future<Int> in throw Other() } }.get()
        }
        #expect(throws: Broken.self) { try outcomes(broken) { $0.flatMap { Future($0) } }.get() }
    }

    @Test func recoverReplacesFailureWithAnotherFuture() throws {
        #expect(try outcomes(broken) { $0.recover { _ in Future(0) } }.get() == 0)
        #expect(try outcomes(value) { $0.recover { _ in Future(0) } }.get() == 2)
        #expect(throws: Other.self) { try outcomes(broken) { $0.recover { _ in throw Other() } }.get() }
    }

    @Test func recoverCanHandleSpecificErrorType() throws {
        #expect(try outcomes(broken) { $0.recover(if: Broken.self) { _ in Future(0) } }.get() == 0)
        #expect(throws: Broken.self) { try outcomes(broken) { $0.recover(if: Other.self) { _ in Future(0) } }.get() }
    }

    @Test func filterFailsFutureWhenCheckThrows() throws {
        #expect(try outcomes(value) { $0.filter { _ in } }.get() == 2)
        #expect(throws: Other.self) { try outcomes(value) { $0.filter { _ in throw Other() } }.get() }
    }

    @Test func onCompletionRunsOnSuccessAndFailure() throws {
        let count = Recorder<Int>()
        _ = try outcomes(value) { $0.onCompletion { count.add(1) } }
        _ = try outcomes(broken) { $0.onCompletion { count.add(1) } }
        #expect(count.values.count == 4)
        #expect(throws: Other.self) { try outcomes(value) { $0.onCompletion { throw Other() } }.get() }
    }

    @Test func unwrapFailsOnNilAndFillReplacesNil() throws {
        let some = Result<Int?, any Error>.success(1)
        let none = Result<Int?, any Error>.success(nil)
        #expect(try outcomes(some) { $0.unwrap() }.get() == 1)
        #expect(throws: CoreError.NotFound.self) { try outcomes(none) { $0.unwrap() }.get() }
        #expect(try outcomes(none) { $0.fill { 5 } }.get() == 5)
        #expect(try outcomes(some) { $0.fill { 5 } }.get() == 1)
    }

    @Test func zipCombinesValuesIntoTuple() throws {
        let pair = try Future(1).zip(Future("a")).get()
        #expect(pair == (1, "a"))
        let three = try Future(1).zip(Future("a"), Future(true)).get()
        #expect(three == (1, "a", true))
        let four = try Future(1).zip(Future("a"), Future(true), Future(2.5)).get()
        #expect(four == (1, "a", true, 2.5))
        #expect(throws: Broken.self) { try Future(1).zip(Future<Int>(error: Broken())).get() }
    }

    @Test func batchReturnsValuesInOrder() throws {
        #expect(try Future<Int>.batch([]).get() == [])
        #expect(try Future.batch(Future(1), Future(2)).get() == [1, 2])
        let (first, one) = Future<Int?>.pending()
        let (second, two) = Future<Int?>.pending()
        let batch = Future.batch([first, Future(nil), second])
        two.set(3)
        one.set(1)
        #expect(try batch.get() == [1, nil, 3])
    }

    @Test func firstFailureInBatchCancelsOtherFutures() throws {
        let cancelled = Recorder<String>()
        let (first, one) = Future<Int>.pending()
        one.onCancel { cancelled.add("first") }
        let (second, two) = Future<Int>.pending()
        let batch = Future.batch([first, second])
        two.set(Broken())
        #expect(throws: Broken.self) { try batch.get() }
        #expect(throws: CancellationError.self) { try first.get() }
        #expect(cancelled.values == ["first"])
        let (third, three) = Future<Int>.pending()
        #expect(throws: Broken.self) { try Future.batch(third, Future(error: Broken())).get() }
        #expect(throws: CancellationError.self) { try third.get() }
        three.set(1)
    }

    @Test func cancellingBatchCancelsItsFutures() throws {
        let (first, one) = Future<Int>.pending()
        Future.batch(first, Future(1)).cancel()
        #expect(throws: CancellationError.self) { try first.get() }
        one.set(1)
    }
}

/// Tests the cancellation of futures and tasks, and timeouts.
struct FutureCancellationTests {
    @Test func cancellingFutureCancelsItsTask() async throws {
        let time = ManualTimeSource()
        let future = Future<Int>(async: {
            try await time.sleep(for: .seconds(1))
            return 1
        })
        await time.waitForSleepers()
        future.cancel()
        await #expect(throws: CancellationError.self) { try await future.value }
        #expect(time.sleeperCount == 0)
    }

    @Test func cancellingLastAwaitingTaskCancelsWork() async throws {
        let time = ManualTimeSource()
        let future = Future<Int>(async: {
            try await time.sleep(for: .seconds(1))
            return 1
        })
        let task = Task { try await future.value }
        await time.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func cancellingOneOfSeveralAwaitingTasksKeepsWorkRunning() async throws {
        let (future, resolver) = Future<Int>.pending()
        let seen = Recorder<Int>()
        future.then { seen.add($0) }
        let task = Task { try await future.value }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        resolver.set(1)
        #expect(seen.values == [1])
    }

    @Test func cancellingDerivedFutureCancelsWork() throws {
        let cancelled = Recorder<String>()
        let (future, resolver) = Future<Int>.pending()
        resolver.onCancel { cancelled.add("work") }
        future.map { $0 + 1 }.recover { _ in Future(0) }.cancel()
        #expect(cancelled.values == ["work"])
        #expect(throws: CancellationError.self) { try future.get() }
    }

    @Test func cancellingFlatMapCancelsSecondStep() throws {
        let (second, resolver) = Future<Int>.pending()
        let (first, one) = Future<Int>.pending()
        let both = first.flatMap { _ in second }
        one.set(1)
        both.cancel()
        #expect(throws: CancellationError.self) { try second.get() }
        resolver.set(2)
    }

    @Test func cancellationHandlerAddedAfterCancellationRunsImmediately() {
        let cancelled = Recorder<Int>()
        let (future, resolver) = Future<Int>.pending()
        future.cancel()
        future.cancel()
        resolver.onCancel { cancelled.add(1) }
        #expect(cancelled.values == [1])
    }

    @Test func cancellationIsNotReportedAsUnhandledFailure() {
        let (future, resolver) = Future<Int>.pending()
        #expect(issues { future.cancel() }.isEmpty)
        resolver.set(1)
    }

    @Test func futureExceedingTimeoutFailsAndIsCancelled() async throws {
        let time = ManualTimeSource()
        let (future, resolver) = Future<Int>.pending()
        let limited = future.withTimeout(.seconds(5), time: time)
        await time.waitForSleepers()
        time.advance(by: .seconds(5))
        let error = await #expect(throws: FutureError.self) { try await limited.value }
        #expect(error?.code == .timedOut)
        await #expect(throws: CancellationError.self) { try await future.value }
        resolver.set(1)
    }

    @Test func futureSettledBeforeTimeoutDoesNotFail() async throws {
        let time = ManualTimeSource()
        let (future, resolver) = Future<Int>.pending()
        let limited = future.withTimeout(.seconds(5), time: time)
        resolver.set(1)
        #expect(try await limited.value == 1)
        #expect(try await Future(2).withTimeout(.zero, time: time).value == 2)
    }

    @Test func cancellingFutureWithTimeoutCancelsWork() throws {
        let (future, resolver) = Future<Int>.pending()
        future.withTimeout(.seconds(5), time: ManualTimeSource()).cancel()
        #expect(throws: CancellationError.self) { try future.get() }
        resolver.set(1)
    }
}
