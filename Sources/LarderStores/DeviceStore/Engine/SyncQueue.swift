import Dispatch
import LarderCore
import LarderFiles
import Synchronization

/// Callers that wait for the disk, and the one of them that asks it: everybody who comes while a sync runs shares the next.
final class SyncQueue: Sendable {
    private struct Waiter {
        let number: UInt64
        let resume: @Sendable (Result<Void, any Error>) -> Void
    }

    private struct State {
        /// Commits up to this number are on the disk.
        var synced: UInt64?
        var isRunning = false
        var waiters: [Waiter] = []
        /// How many callers the last sync was for, and how long it took.
        var lastServed = 1
        var lastDuration = Duration.zero

        func covers(_ number: UInt64) -> Bool { synced.map { $0 >= number } ?? false }
    }

    private let state: Mutex<State>

    /// A queue for a store whose first commit will have the number 1.
    ///
    /// `isSynced` says whether what was there before is on the disk.
    init(isSynced: Bool) { state = Mutex(State(synced: isSynced ? 0 : nil)) }

    /// Whether commits up to `number` are on the disk.
    func isSynced(_ number: UInt64) -> Bool { state.withLock { $0.covers(number) } }

    /// Notes that commits up to `number` are on the disk.
    func note(_ number: UInt64) { state.withLock { $0.synced = max($0.synced ?? 0, number) } }

    /// Returns when commits up to `number` are on the disk.
    ///
    /// Blocks the thread.
    ///
    /// `sync` asks the disk, and says up to which commit it has confirmed.
    func wait(for number: UInt64, _ sync: @escaping @Sendable () throws -> UInt64) throws {
        let arrival = DispatchSemaphore(value: 0)
        let outcome = Mutex<Result<Void, any Error>>(.success(()))
        let role = state.withLock { state -> Role in
            if state.covers(number) { return .done }
            if !state.isRunning {
                state.isRunning = true
                return .leader
            }
            state.waiters.append(
                Waiter(number: number) { result in
                    outcome.withLock { $0 = result }
                    arrival.signal()
                }
            )
            return .follower
        }
        switch role {
        case .done: return
        case .leader: try lead(sync)
        case .follower:
            arrival.wait()
            try outcome.withLock(\.self).get()
        }
    }

    /// The suspending form of ``wait(for:_:)-(_,_)``.
    func wait(for number: UInt64, _ sync: @escaping @Sendable () throws -> UInt64) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let role = state.withLock { state -> Role in
                if state.covers(number) { return .done }
                state.waiters.append(Waiter(number: number) { continuation.resume(with: $0) })
                if state.isRunning { return .follower }
                state.isRunning = true
                return .leader
            }
            switch role {
            case .done: continuation.resume()
            // Whoever waits, this caller among them, is told by its waiter.
            case .leader: DispatchQueue.global().async { _ = try? self.lead(sync) }
            case .follower: break
            }
        }
    }

    private enum Role { case done, leader, follower }

    /// Where there were several callers, gives those who come again the time to come, a fraction of what a sync takes.
    ///
    /// A file system may hold up whoever writes to the file while it syncs: then those who could share the next sync arrive just
    /// when it would begin without them. A caller who is alone waits for nobody.
    private func gather() {
        var (count, expected, limit) = state.withLock { ($0.waiters.count, $0.lastServed, $0.lastDuration) }
        guard count + expected > 2 else { return }
        limit = min(limit, Self.longestGathering)
        let clock = ContinuousClock()
        let begin = clock.now
        var lastArrival = begin
        while clock.now - begin < limit {
            CurrentProcess.pause(for: Self.gatheringStep, yields: true)
            let now = state.withLock { $0.waiters.count }
            if now > count {
                (count, lastArrival) = (now, clock.now)
            } else if clock.now - lastArrival > (now + 1 < expected ? Self.patience * 3 : Self.patience) {
                return
            }
        }
    }

    private static let longestGathering = Duration.microseconds(300)
    private static let gatheringStep = Duration.microseconds(3)
    /// For how long nobody may come before the wait is over.
    private static let patience = Duration.microseconds(15)

    /// One sync.
    ///
    /// Whoever came meanwhile is served by another, on a thread of its own.
    private func lead(_ sync: @escaping @Sendable () throws -> UInt64) throws {
        gather()
        let clock = ContinuousClock()
        let begin = clock.now
        let result = Result { try sync() }
        let duration = clock.now - begin
        let (served, hasMore) = state.withLock { state in
            var served: [Waiter]
            state.lastDuration = duration
            switch result {
            case .success(let number):
                state.synced = max(state.synced ?? 0, number)
                served = state.waiters.filter { $0.number <= number }
                state.waiters.removeAll { $0.number <= number }
            case .failure:
                // Never asked again: everybody who waits is told.
                served = state.waiters
                state.waiters = []
            }
            state.lastServed = served.count + 1
            state.isRunning = !state.waiters.isEmpty
            return (served, state.isRunning)
        }
        // Those who wait are told by their waiters.
        if hasMore { DispatchQueue.global().async { _ = try? self.lead(sync) } }
        let answer = result.map { _ in () }
        for waiter in served { waiter.resume(answer) }
        try answer.get()
    }
}
