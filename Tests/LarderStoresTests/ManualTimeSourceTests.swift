import Foundation
import LarderTesting
import Synchronization
import Testing

@Suite struct ManualTimeSourceTests {
    let time = ManualTimeSource()

    @Test func manualTimeSourceAdvancesWallAndMonotonicClocks() {
        time.advance(by: .milliseconds(1_500))
        #expect(time.monotonic == .milliseconds(1_500))
        #expect(time.now == Date(timeIntervalSinceReferenceDate: 1.5))
        time.setWallClock(to: .distantPast)
        #expect(time.now == .distantPast)
        #expect(time.monotonic == .milliseconds(1_500))
    }

    @Test func sleepEndsExactlyAtDeadline() async throws {
        let task = Task { [time] in try await time.sleep(for: .seconds(10)) }
        await time.waitForSleepers()
        time.advance(by: .seconds(9))
        #expect(time.sleeperCount == 1)
        time.advance(by: .seconds(1))
        try await task.value
        #expect(time.sleeperCount == 0)
    }

    @Test func sleepForZeroReturnsImmediately() async throws { try await time.sleep(for: .zero) }

    @Test func cancelledSleepThrows() async {
        let task = Task { [time] in try await time.sleep(for: .seconds(1)) }
        await time.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(time.sleeperCount == 0)
    }

    @Test func sleepInCancelledTaskThrows() async {
        let task = Task { [time] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await time.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
