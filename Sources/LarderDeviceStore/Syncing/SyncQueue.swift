import LarderFiles
import Synchronization

/// A queue that implements group commit for callers that wait for a sync.
///
/// One of the waiting callers, the leader, syncs for all of them. Callers that arrive during a sync share the next sync.
final class SyncQueue: Sendable {
    private struct State {
        /// The number of the last synced commit, or `nil` if the data found when the store was opened may not be synced.
        var synced: UInt64?
        var isRunning = false
        var waiters: [SyncWaiter] = []
        /// The number of callers that the last sync served, plus the callers that were waiting when the sync ended.
        var lastCallers = 1
        /// The duration of the last sync, including the notification of other processes.
        var lastDuration = Duration.zero
        /// The number of upcoming syncs that leaders start without waiting for more callers, because the processor is busy.
        var syncsWithoutGathering = 0

        func covers(_ number: UInt64) -> Bool { synced.map { $0 >= number } ?? false }
    }

    private let state: Mutex<State>

    /// Creates a queue for a store whose commits are numbered from 1.
    ///
    /// Pass `true` for `isSynced` if the existing content of the store is synced.
    init(isSynced: Bool) { state = Mutex(State(synced: isSynced ? 0 : nil)) }

    /// Records that all commits up to `number` are synced.
    func note(_ number: UInt64) { state.withLock { $0.synced = max($0.synced ?? 0, number) } }

    /// Blocks the current thread until all commits up to `number` are synced.
    ///
    /// `sync` must sync the log and return the number of the last synced commit.
    func wait(for number: UInt64, _ sync: @escaping @Sendable () throws -> UInt64) throws {
        let thread = WaitingThread()
        switch enter(SyncWaiter(number: number, caller: .thread(thread))) {
        case .done: return
        case .leader: try lead(sync)
        case .follower:
            switch thread.wait() {
            case .done(let result): try result.get()
            case .lead: try lead(sync)
            }
        }
    }

    /// Suspends until all commits up to `number` are synced.
    func wait(for number: UInt64, _ sync: @escaping @Sendable () throws -> UInt64) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let waiter = SyncWaiter(number: number, caller: .task(continuation))
            switch enter(waiter) {
            case .done: continuation.resume()
            case .leader:
                // If no thread can be started, this thread leads the sync, because other callers may be waiting.
                if !begin(sync, for: waiter) { waiter.tell(Result { try lead(sync) }) }
            case .follower: break
            }
        }
    }

    private enum Role { case done, leader, follower }

    private func enter(_ waiter: SyncWaiter) -> Role {
        state.withLock { state in
            if state.covers(waiter.number) { return .done }
            guard state.isRunning else {
                state.isRunning = true
                return .leader
            }
            state.waiters.append(waiter)
            return .follower
        }
    }

    /// The maximum time that a leader waits for other callers before a sync.
    private static let longestGathering = Duration.microseconds(300)
    /// The maximum time that a leader waits for the next caller to arrive.
    private static let patience = Duration.microseconds(45)
    /// The duration of a yield above which the processor is considered busy.
    ///
    /// After a longer yield, leaders don't wait for other callers before the next ``syncsAfterLongYield`` syncs.
    private static let longestYield = Duration.microseconds(300)
    private static let syncsAfterLongYield = 256

    /// Yields the processor until as many callers have arrived as for the last sync, or until a time limit has passed.
    ///
    /// Without this wait, most callers of the last sync would arrive just after the next sync has begun. A single caller does not wait.
    private func gather() {
        let (expected, duration) = state.withLock { state in
            guard state.syncsWithoutGathering == 0 else {
                state.syncsWithoutGathering -= 1
                return (1, Duration.zero)
            }
            return (state.lastCallers, state.lastDuration)
        }
        let (limit, patience) = (min(duration * 8, Self.longestGathering), min(duration, Self.patience))
        let begin = ContinuousClock.now
        var (count, now, lastArrival) = (0, begin, begin)
        while count + 1 < expected, now - begin < limit, now - lastArrival <= patience {
            CurrentProcess.yield()
            let before = now
            now = .now
            guard now - before <= Self.longestYield else {
                return state.withLock { $0.syncsWithoutGathering = Self.syncsAfterLongYield }
            }
            let arrived = state.withLock(\.waiters.count)
            if arrived > count { (count, lastArrival) = (arrived, now) }
        }
    }

    /// Syncs once for all callers that have arrived, and makes a caller that arrived during the sync the next leader.
    private func lead(_ sync: @escaping @Sendable () throws -> UInt64) throws {
        let (answer, first) = leadOnce(sync)
        var next = first
        // This thread also leads the syncs of suspended callers if no other thread can be started.
        while let waiter = next {
            let (result, another) = leadOnce(sync)
            waiter.tell(result)
            next = another
        }
        try answer.get()
    }

    /// Syncs once for all callers that have arrived.
    ///
    /// - Returns: The result of the sync, and the caller on whose behalf this thread must lead the next sync, or `nil`
    ///   if no such caller exists.
    private func leadOnce(
        _ sync: @escaping @Sendable () throws -> UInt64
    ) -> (Result<Void, any Error>, SyncWaiter?) {
        gather()
        let start = ContinuousClock.now
        let result = Result { try sync() }
        let (served, next) = finish(result, after: ContinuousClock.now - start)
        var left: SyncWaiter?
        if let next {
            if case .thread(let thread) = next.caller {
                thread.tell(.lead)
            } else if !begin(sync, for: next) {
                left = next
            }
        }
        let answer = result.map { _ in () }
        for waiter in served { waiter.tell(answer) }
        return (answer, left)
    }

    /// Starts a background thread that leads the next sync for a suspended caller.
    ///
    /// Returns `false` without syncing if no thread can be started.
    private func begin(_ sync: @escaping @Sendable () throws -> UInt64, for waiter: SyncWaiter) -> Bool {
        do {
            try BackgroundThreads.shared.run { waiter.tell(Result { try self.lead(sync) }) }
            return true
        } catch {
            return false
        }
    }

    /// Records the result and duration of a sync.
    ///
    /// - Returns: The callers to resume, and the caller that leads the next sync, or `nil` if no caller is waiting.
    private func finish(_ result: Result<UInt64, any Error>, after duration: Duration) -> ([SyncWaiter], SyncWaiter?) {
        state.withLock { state in
            state.lastCallers = state.waiters.count + 1
            state.lastDuration = duration
            var served: [SyncWaiter] = []
            var left: [SyncWaiter] = []
            switch result {
            case .success(let number):
                state.synced = max(state.synced ?? 0, number)
                for waiter in state.waiters {
                    if waiter.number <= number { served.append(waiter) } else { left.append(waiter) }
                }
            case .failure:
                // A failed sync is not repeated, so all waiting callers fail.
                served = state.waiters
            }
            // Prefer a caller with a thread, so that no thread has to be started.
            let next = (left.firstIndex(where: \.canLead) ?? left.indices.first).map { left.remove(at: $0) }
            state.waiters = left
            state.isRunning = next != nil
            return (served, next)
        }
    }
}
