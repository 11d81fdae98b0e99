import Dispatch
import Foundation
import LarderCore
import LarderDataSources
import LarderTestTraits
import LarderTesting
import Testing

/// Tests behaviors 90 to 93 and other behavior of pending futures.
struct FutureBehaviorTests {
    private struct Broken: Error, Equatable { var name = "" }
    private struct Other: Error {}

    // Behavior 90.
    @Test func resolverSettlesFutureWithValueOrError() throws {
        let (first, one) = Future<Int>.pending()
        one.set(3)
        #expect(try first.result.get() == 3)
        let (second, two) = Future<Int>.pending()
        two.set(Broken())
        #expect(throws: Broken.self) { try second.result.get() }
    }

    // Behavior 90.
    @Test func settlingWithValueAndErrorFailsFuture() throws {
        let (first, one) = Future<Int>.pending()
        one.set(value: 3, error: Broken())
        #expect(throws: Broken.self) { try first.get() }
        let (second, two) = Future<Int>.pending()
        two.set(value: 3, error: nil)
        #expect(try second.get() == 3)
        let (third, three) = Future<Int>.pending()
        three.set(value: nil, error: nil)
        #expect(throws: CoreError.IllegalArgument.self) { try third.get() }
    }

    // Behavior 90.
    @Test func resolverAcceptsResult() throws {
        let (first, one) = Future<Int>.pending()
        one.set(.success(3))
        #expect(try first.get() == 3)
        let (second, two) = Future<Int>.pending()
        two.set(.failure(Broken()))
        #expect(throws: Broken.self) { try second.get() }
    }

    // Behavior 92.
    @Test func resultBlocksUntilAnotherThreadSettlesFuture() async throws {
        let (future, resolver) = Future<Int>.pending()
        async let waited: Int = withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: future.result) }
        }
        resolver.set(7)
        #expect(try await waited == 7)
    }

    // Behavior 93.
    @Test func futureRunsAsynchronousWork() async throws {
        let future = Future<Int>(async: {
            await Task.yield()
            return 4
        })
        #expect(try await future.value == 4)
        let failing = Future<Int>(async: { throw Broken() })
        await #expect(throws: Broken.self) { try await failing.value }
    }

    // Behavior 93.
    @Test func awaitingPendingFutureReturnsValueOnceSettled() async throws {
        let (future, resolver) = Future<String>.pending()
        async let value = future.value
        resolver.set("later")
        #expect(try await value == "later")
    }

    @Test(.expectsIssues(.unhandledFailure)) func listenersOfPendingFutureRunOnceInOrder() {
        let seen = Recorder<String>()
        let (future, resolver) = Future<Int>.pending()
        future.then { seen.add("a\($0)") }.fail { _ in seen.add("error") }
        future.then { seen.add("b\($0)") }
        #expect(seen.values.isEmpty)
        resolver.set(1)
        resolver.set(2)
        resolver.set(Broken())
        future.then { seen.add("c\($0)") }
        #expect(seen.values == ["a1", "b1", "c1"])
    }

    @Test func listenerCanAddListenerToSameFuture() {
        let seen = Recorder<Int>()
        let (future, resolver) = Future<Int>.pending()
        future.then { _ in future.then { seen.add($0) } }
        resolver.set(5)
        #expect(seen.values == [5])
    }

    @Test func isSettledIsTrueOnlyAfterFutureSettles() {
        let (future, resolver) = Future<Int>.pending()
        #expect(!future.isSettled)
        resolver.set(1)
        #expect(future.isSettled)
        #expect(Future(1).isSettled)
    }

    @Test func futureFailsIfResolverIsReleased() throws {
        let future = Future<Int>.pending().future
        let error = try #require(throws: FutureError.self) { try future.get() }
        #expect(error.code == .abandoned)
    }

    @Test func resolvingClosureCanSettleFutureImmediatelyOrLater() throws {
        #expect(try Future<Int>(resolving: { $0.set(1) }).get() == 1)
        #expect(throws: Broken.self) { try Future<Int>(resolving: { _ in throw Broken() }).get() }
        let kept = Recorder<FutureResolver<Int>>()
        let future = Future<Int>(resolving: { kept.add($0) })
        #expect(!future.isSettled)
        kept.values.first?.set(2)
        #expect(try future.get() == 2)
    }

    @Test func resolverSettlesFutureWithAnotherFuture() throws {
        let (inner, innerResolver) = Future<Int>.pending()
        let (outer, outerResolver) = Future<Int>.pending()
        outerResolver.set(inner)
        innerResolver.set(9)
        #expect(try outer.get() == 9)
        let (settled, resolver) = Future<Int>.pending()
        resolver.set(Future(1))
        #expect(try settled.get() == 1)
    }

    @MainActor @Test func getThrowsForPendingFutureOnMainThread() throws {
        let (future, resolver) = Future<Int>.pending()
        if Thread.isMainThread {
            let error = try #require(throws: FutureError.self) { try future.get() }
            #expect(error.code == .wouldBlockMainThread)
        }
        resolver.set(1)
        #expect(try future.get() == 1)
    }

    @Test func thenAndFailHandlersRunOnSpecifiedQueue() async {
        let queue = DispatchQueue(label: "test")
        let seen: Bool = await withCheckedContinuation { continuation in
            Future(1).then(on: queue) { _ in
                dispatchPrecondition(condition: .onQueue(queue))
                continuation.resume(returning: true)
            }
        }
        #expect(seen)
        let failed: Bool = await withCheckedContinuation { continuation in
            Future<Int>(error: Broken()).fail(on: queue) { continuation.resume(returning: $0 is Broken) }
        }
        #expect(failed)
    }

    @Test func onCompleteUiOfPendingFutureRunsOnMainActor() async {
        let (future, resolver) = Future<Int>.pending()
        let value = await withCheckedContinuation { continuation in
            future.onCompleteUi(
                onSuccess: {
                    MainActor.assertIsolated()
                    continuation.resume(returning: $0)
                },
                onFailure: { _ in continuation.resume(returning: -1) }
            )
            resolver.set(2)
        }
        #expect(value == 2)
    }

    @Test func unhandledPendingFailureIsReported() {
        let issues = issues {
            let (future, resolver) = Future<Int>.pending()
            future.then { _ in }
            resolver.set(Broken())
        }
        #expect(issues.map(\.code) == [.unhandledFailure])
    }
}
