public import Foundation
public import LarderCore
import Synchronization

/// A time source that stands still until a test moves it.
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

    /// A clock that shows `now`.
    ///
    /// - Parameter now: The wall clock; midnight UTC of 2001-01-01 unless given.
    public init(now: Date = Date(timeIntervalSinceReferenceDate: 0)) { state = Mutex(State(now: now)) }

    /// The wall clock.
    public var now: Date { state.withLock(\.now) }
    /// How far the clock was advanced.
    public var monotonic: Duration { state.withLock(\.monotonic) }
    /// How many tasks are asleep.
    public var sleeperCount: Int { state.withLock(\.sleepers.count) }

    /// Moves both clocks on and wakes every sleeper whose time has come, the earliest first and, among equals, the one that
    /// fell asleep first.
    ///
    /// - Parameter duration: Zero or more.
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

    /// Sets the wall clock alone, as a user or a time server does.
    ///
    /// It may go backwards. Nobody wakes.
    ///
    /// - Parameter date: What it shows from now on.
    public func setWallClock(to date: Date) { state.withLock { $0.now = date } }

    /// Suspends until the clock was advanced by `duration`.
    ///
    /// - Parameter duration: Zero or less returns at once.
    /// - Throws: `CancellationError` when the task is cancelled meanwhile.
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

    /// Suspends until at least `count` tasks are asleep, so that a test knows that advancing will wake them.
    ///
    /// - Parameter count: How many.
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
            // Cancelled between asking for an identifier and arriving here.
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
