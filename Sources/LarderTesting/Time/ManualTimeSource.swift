public import Foundation
public import LarderCore
import Synchronization

/// A time source for tests that advances only when ``advance(by:)`` is called.
public final class ManualTimeSource: TimeSource {
    private struct Sleeper {
        let identifier: UInt64
        let deadline: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now: Date
        var monotonic = Duration.zero
        var nextIdentifier: UInt64 = 0
        var sleepers: [Sleeper] = []
        var cancelled: Set<UInt64> = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state: Mutex<State>

    /// Creates a time source that starts at a given date.
    ///
    /// - Parameter now: The initial date of the wall clock. The default is 2001-01-01, midnight UTC.
    public init(now: Date = Date(timeIntervalSinceReferenceDate: 0)) { state = Mutex(State(now: now)) }

    /// The current date according to the wall clock.
    public var now: Date { state.withLock(\.now) }
    /// The time on the monotonic clock, which is the sum of all advances.
    public var monotonic: Duration { state.withLock(\.monotonic) }
    /// The number of tasks that are currently sleeping on this time source.
    public var sleeperCount: Int { state.withLock(\.sleepers.count) }

    /// Advances the wall clock and the monotonic clock, and wakes all tasks whose deadlines have passed.
    ///
    /// Tasks are woken in the order of their deadlines. Tasks with equal deadlines are woken in the order in which they began to sleep.
    ///
    /// - Parameter duration: The duration to advance by, which must not be negative.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.monotonic += duration
            let (seconds, attoseconds) = duration.components
            state.now += Double(seconds) + Double(attoseconds) / 1e18
            let due = state.sleepers.filter { $0.deadline <= state.monotonic }
                .sorted { ($0.deadline, $0.identifier) < ($1.deadline, $1.identifier) }
            state.sleepers.removeAll { $0.deadline <= state.monotonic }
            return due
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Sets the wall clock without advancing the monotonic clock, as a user or a time server would.
    ///
    /// The date may be earlier than the current date. Sleeping tasks are not woken.
    ///
    /// - Parameter date: The new date of the wall clock.
    public func setWallClock(to date: Date) { state.withLock { $0.now = date } }

    /// Suspends the current task until the clock has advanced by `duration`.
    ///
    /// - Parameter duration: The duration to sleep. If it is zero or negative, the call returns immediately.
    /// - Throws: `CancellationError` if the task is cancelled while it sleeps.
    public func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        guard duration > .zero else { return }
        let identifier = state.withLock { state in
            state.nextIdentifier += 1
            return state.nextIdentifier
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { fallAsleep(identifier, for: duration, $0) }
        } onCancel: {
            cancel(identifier)
        }
    }

    /// Suspends the current task until at least `count` other tasks are sleeping.
    ///
    /// - Parameter count: The number of sleeping tasks to wait for.
    public func waitForSleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.sleepers.count >= count { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }

    private func fallAsleep(
        _ identifier: UInt64,
        for duration: Duration,
        _ continuation: CheckedContinuation<Void, any Error>
    ) {
        let waiters: [CheckedContinuation<Void, Never>]? = state.withLock { state in
            // The task may have been cancelled after it received its identifier and before this call.
            if state.cancelled.remove(identifier) != nil { return nil }
            state.sleepers.append(
                Sleeper(identifier: identifier, deadline: state.monotonic + duration, continuation: continuation)
            )
            let ready = state.waiters.filter { $0.count <= state.sleepers.count }
            state.waiters.removeAll { $0.count <= state.sleepers.count }
            return ready.map(\.continuation)
        }
        guard let waiters else { return continuation.resume(throwing: CancellationError()) }
        for waiter in waiters { waiter.resume() }
    }

    private func cancel(_ identifier: UInt64) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let index = state.sleepers.firstIndex(where: { $0.identifier == identifier }) else {
                state.cancelled.insert(identifier)
                return nil
            }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
