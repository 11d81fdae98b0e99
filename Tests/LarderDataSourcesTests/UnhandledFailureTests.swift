import LarderCore
import LarderDataSources
import LarderTesting
import Testing

/// Tests which failures are not reported as unhandled.
struct UnhandledFailureTests {
    private struct Broken: Error {}
    private struct Other: Error {}

    @Test func failureAfterCancellationIsNotReportedAsUnhandled() {
        let issues = issues {
            let (future, resolver) = Future<Int>.pending()
            let read = future.map { $0 + 1 }
            read.fail { _ in }
            read.cancel()
            resolver.set(Broken())
        }
        #expect(issues.isEmpty)
    }

    @Test func cancelledReadFailureIsNotReportedAsUnhandled() async throws {
        let recorder = Recorder<LarderIssue>()
        await withIssueHandler({ recorder.add($0) }) {
            let (future, resolver) = Future<Int>.pending()
            let reader = Task { try await future.value }
            reader.cancel()
            await #expect(throws: CancellationError.self) { try await reader.value }
            resolver.set(Broken())
        }
        #expect(recorder.values.isEmpty)
    }

    @Test func errorsAfterFutureSettlesAreNotReported() throws {
        var values: [Int] = []
        let issues = try issues {
            let (future, resolver) = Future<Int>.pending()
            resolver.set(1)
            resolver.set(Broken())
            resolver.set(.failure(Broken()))
            resolver.set(value: nil, error: Broken())
            resolver.set(Future(error: Broken()))
            values.append(try future.get())
        }
        #expect(values == [1])
        #expect(issues.isEmpty)
    }

    @Test func laterFailuresInFutureBatchAreNotReportedAsUnhandled() {
        let issues = issues {
            #expect(throws: Broken.self) {
                try Future<Int>.batch(Future(error: Broken()), Future(error: Other())).get()
            }
            let (first, one) = Future<Int>.pending()
            let (second, two) = Future<Int>.pending()
            let batch = Future.batch(first, second)
            one.set(Broken())
            two.set(Other())
            #expect(throws: Broken.self) { try batch.get() }
        }
        #expect(issues.isEmpty)
    }

    @Test func failureInCancelledFutureChainIsNotReported() {
        let issues = issues {
            let (future, resolver) = Future<Int>.pending()
            let cancelling = Recorder<Future<Int>>()
            // This listener runs before the next step, while the future calls its listeners.
            future.fail { _ in for chain in cancelling.values { chain.cancel() } }
            let chain = future.flatMap { Future($0) }
            cancelling.add(chain)
            resolver.set(Broken())
        }
        #expect(issues.isEmpty)
    }

    @Test func errorAfterTimeoutIsNotReportedAsUnhandled() async throws {
        let recorder = Recorder<LarderIssue>()
        await withIssueHandler({ recorder.add($0) }) {
            let time = ManualTimeSource()
            let (future, resolver) = Future<Int>.pending()
            let limited = future.withTimeout(.seconds(1), time: time)
            await time.waitForSleepers()
            time.advance(by: .seconds(1))
            await #expect(throws: FutureError.self) { try await limited.value }
            resolver.set(Broken())
        }
        #expect(recorder.values.isEmpty)
    }
}
