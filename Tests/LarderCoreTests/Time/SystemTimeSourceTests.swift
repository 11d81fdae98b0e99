import Foundation
import LarderCore
import Testing

@Suite struct SystemTimeSourceTests {
    @Test func wallClockAgreesWithSystemClock() {
        let before = Date()
        let now = SystemTimeSource().now
        #expect(before <= now && now <= Date())
    }

    @Test func monotonicTimeNeverDecreases() {
        let source: some TimeSource = .system
        let times = (0..<1_000).map { _ in source.monotonic }
        #expect(times == times.sorted())
    }

    @Test(arguments: [Duration.zero, .seconds(-10)]) func sleepForZeroReturnsImmediately(
        duration: Duration
    ) async throws {
        try await SystemTimeSource().sleep(for: duration)
    }

    @Test func cancellingTaskEndsSleep() async {
        let task = Task { try await SystemTimeSource().sleep(for: .seconds(3_600)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
