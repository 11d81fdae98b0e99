import LarderFiles
import Synchronization

/// Callers that wait for the disk, and the one of them that asks it: everybody who comes while a sync runs shares the next.
final class SyncQueue: Sendable {
    private struct State {
        /// Commits up to this number are on the disk.
        var synced: UInt64?
        var isRunning = false
        var waiters: [SyncWaiter] = []
        /// How many callers there were at the end of the last sync: those it was for, and those who had come for the next.
        var lastCallers = 1
        /// How long it took, its note for other processes included.
        var lastDuration = Duration.zero

        func covers(_ number: UInt64) -> Bool { synced.map { $0 >= number } ?? false }
    }

    private let state: Mutex<State>
    /// How many waiters there are: whoever gathers them looks again and again.
    private let waiting = Atomic<Int>(0)
    private let yielding = Yielding()

    /// A queue for a store whose first commit will have the number 1.
    ///
    /// `isSynced` says whether what was there before is on the disk.
    init(isSynced: Bool) { state = Mutex(State(synced: isSynced ? 0 : nil)) }

    /// Notes that commits up to `number` are on the disk.
    func note(_ number: UInt64) { state.withLock { $0.synced = max($0.synced ?? 0, number) } }

    /// Returns when commits up to `number` are on the disk.
    ///
    /// Blocks the thread.
    ///
    /// `sync` asks the disk, and says up to which commit it has confirmed.
    func wait(for number: UInt64, _ sync: @escaping @Sendable () throws -> UInt64) throws {
        let thread = WaitingThread()
        switch enter(SyncWaiter(number: number, caller: .thread(thread))) {
        case .done: return
        case .leader: try lead(sync)
        case .follower(let limit):
            switch thread.wait(yielding, within: limit) {
            case .done(let result): try result.get()
            case .lead: try lead(sync)
            }
        }
    }

    /// The suspending form of ``wait(for:_:)-(_,_)``.
    func wait(for number: UInt64, _ sync: @escaping @Sendable () throws -> UInt64) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let waiter = SyncWaiter(number: number, caller: .task(continuation))
            switch enter(waiter) {
            case .done: continuation.resume()
            case .leader:
                // Where no thread can be started the caller's leads: others may be waiting for it by now.
                if !begin(sync, for: waiter) { waiter.tell(Result { try lead(sync) }) }
            case .follower: break
            }
        }
    }

    private enum Role {
        case done, leader
        /// For so long it is better not to sleep.
        case follower(Duration)
    }

    private func enter(_ waiter: SyncWaiter) -> Role {
        state.withLock { state in
            if state.covers(waiter.number) { return .done }
            guard state.isRunning else {
                state.isRunning = true
                return .leader
            }
            state.waiters.append(waiter)
            waiting.store(state.waiters.count, ordering: .relaxed)
            let isFast = state.lastDuration <= Self.fastSync
            return .follower(isFast ? Self.longestGathering(state.lastDuration) : .zero)
        }
    }

    /// Where a sync takes no longer than this, being woken is a good part of it.
    private static let fastSync = Duration.microseconds(50)

    /// For how long callers are waited for, beside a sync that takes `duration`.
    ///
    /// A few times as long, for each of them has to be told and to write again.
    private static func longestGathering(_ duration: Duration) -> Duration { min(duration * 8, .microseconds(300)) }

    /// For how long nobody may come before the wait is over.
    private static let patience = Duration.microseconds(45)

    /// Where there were several callers, gives those who come again the time to come.
    ///
    /// A file system may hold up whoever writes to the file while it syncs: then those who could share the next sync arrive just
    /// when it would begin without them. A caller who is alone waits for nobody.
    private func gather() {
        let (expected, duration) = state.withLock { ($0.lastCallers, $0.lastDuration) }
        guard expected > 1 else { return }
        var count = waiting.load(ordering: .relaxed)
        let (limit, patience) = (Self.longestGathering(duration), min(duration, Self.patience))
        let begin = ContinuousClock.now
        var (now, lastArrival) = (begin, begin)
        while yielding.isCheap, count + 1 < expected, now - begin < limit, now - lastArrival <= patience {
            now = yielding.yield(since: now)
            let arrived = waiting.load(ordering: .relaxed)
            if arrived > count { (count, lastArrival) = (arrived, now) }
        }
    }

    /// One sync, for all callers that have come; one of those that came meanwhile leads the next.
    private func lead(_ sync: @escaping @Sendable () throws -> UInt64) throws {
        let (answer, first) = leadOnce(sync)
        var next = first
        // For callers that have no thread of their own, when none can be started for them.
        while let waiter = next {
            let (result, another) = leadOnce(sync)
            waiter.tell(result)
            next = another
        }
        try answer.get()
    }

    /// One sync.
    ///
    /// - Returns: What it came to, and the caller that should lead the next one and has no thread for it.
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

    /// Leads for a caller without a thread, on one of Larder's own; `false`, and nothing done, where none can be started.
    private func begin(_ sync: @escaping @Sendable () throws -> UInt64, for waiter: SyncWaiter) -> Bool {
        do {
            try BackgroundThreads.shared.run { waiter.tell(Result { try self.lead(sync) }) }
            return true
        } catch {
            return false
        }
    }

    /// Notes the outcome of a sync.
    ///
    /// - Returns: Who is to be told of it, and who leads the next.
    private func finish(_ result: Result<UInt64, any Error>, after duration: Duration) -> ([SyncWaiter], SyncWaiter?) {
        yielding.countSync()
        return state.withLock { state in
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
                // Never asked again: everybody who waits is told.
                served = state.waiters
            }
            // A thread that is there already need not be woken for it.
            let next = (left.firstIndex(where: \.canLead) ?? left.indices.first).map { left.remove(at: $0) }
            state.waiters = left
            waiting.store(left.count, ordering: .relaxed)
            state.isRunning = next != nil
            return (served, next)
        }
    }
}
