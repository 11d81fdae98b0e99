import LarderCore
import LarderDataSources
import Synchronization
import Testing

struct FutureTests {
    private struct Broken: Error {}

    @Test func closuresOfSettledFutureRunSynchronously() {
        let seen = Recorder<Int>()
        Future(3).then { seen.add($0) }
        #expect(seen.values == [3])
    }

    @Test func futureRunsEitherThenOrFail() {
        let seen = Recorder<String>()
        Future(3).then { _ in seen.add("value") }.fail { _ in seen.add("error") }
        Future<Int>(error: Broken()).then { _ in seen.add("value") }.fail { _ in seen.add("error") }
        #expect(seen.values == ["value", "error"])
    }

    @Test func everyListenerReceivesValue() {
        let seen = Recorder<Int>()
        let future = Future(1)
        for _ in 0..<3 { future.then { seen.add($0) } }
        #expect(seen.values == [1, 1, 1])
    }

    @Test func getReturnsValueOrThrowsError() throws {
        #expect(try Future("a").get() == "a")
        #expect(throws: Broken.self) { try Future<Int>(error: Broken()).get() }
    }

    @Test func resultOfSettledFutureContainsValueOrError() throws {
        #expect(try Future("a").result.get() == "a")
        #expect(throws: Broken.self) { try Future<Int> { throw Broken() }.result.get() }
    }

    @Test func awaitingFutureReturnsValueOrThrowsError() async throws {
        #expect(try await Future { 5 }.value == 5)
        await #expect(throws: Broken.self) { try await Future<Int>(error: Broken()).value }
    }

    @Test func onCompleteUiRunsOneClosureOnMainActor() async {
        let outcome = await withCheckedContinuation { continuation in
            Future(2).onCompleteUi(
                onSuccess: {
                    MainActor.assertIsolated()
                    continuation.resume(returning: "value \($0)")
                },
                onFailure: { _ in continuation.resume(returning: "error") }
            )
        }
        #expect(outcome == "value 2")
        let failure = await withCheckedContinuation { continuation in
            Future<Int>(error: Broken()).onCompleteUi(
                onSuccess: { _ in continuation.resume(returning: "value") },
                onFailure: { continuation.resume(returning: "error \($0 is Broken)") }
            )
        }
        #expect(failure == "error true")
    }

    @Test func unhandledFailureIsReported() {
        let issues = issues { _ = Future<Int>(error: Broken()).then { _ in } }
        #expect(issues.map(\.code) == [.unhandledFailure])
        #expect(issues.first?.underlying is Broken)
    }

    @Test func handledFailureIsNotReported() {
        let issues = issues {
            Future<Int>(error: Broken()).fail { _ in }
            _ = Future<Int>(error: Broken()).result
        }
        #expect(issues.isEmpty)
    }

    @Test func notFoundIsNotReportedAsUnhandledFailure() {
        #expect(issues { _ = Future<Int>(error: CoreError.NotFound()) }.isEmpty)
    }
}
