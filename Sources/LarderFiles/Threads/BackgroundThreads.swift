import LarderCore
import Synchronization

/// Threads of Larder's own, for work that no caller's thread does.
///
/// They are started when there is work and no thread is idle; an idle thread ends after some seconds. Neither Dispatch nor Swift's
/// run-time for tasks is involved, both of which end the process when they can't open the file descriptors that they need.
package final class BackgroundThreads: Sendable {
    /// Something to do, once.
    package typealias Work = @Sendable () -> Void

    private struct State {
        var works = Queue<Work>()
        /// Those that wait for their time.
        var repetitions: [(repetition: Repetition, due: ContinuousClock.Instant)] = []
        /// Threads that wait for work, the one that had some last at the end.
        var idle: [ThreadSemaphore] = []
        /// The thread that waits for the time of a repetition, and when it wakes.
        var keeper: (thread: ThreadSemaphore, wakes: ContinuousClock.Instant)?
        var threads = 0
    }

    /// How long an idle thread stays.
    private static let patience = Duration.seconds(5)

    private let state = Mutex(State())
    private let limit: Int

    private init(limit: Int) { self.limit = limit }

    // MARK: The threads of this process

    private struct OfThisProcess {
        let forks = CurrentProcess.forkGeneration
        /// At most a few for each store, so that none waits for another's.
        let own = BackgroundThreads(limit: .max)
        /// So many that what blocks some of them, such as a lock, does not keep the others from going on.
        let forCallers = BackgroundThreads(limit: 64)
    }

    /// A child process has none of its parent's threads.
    private static let current = Mutex(OfThisProcess())

    private static func current(_ threads: (OfThisProcess) -> BackgroundThreads) -> BackgroundThreads {
        // What the parent's threads held is released outside the lock.
        let (chosen, former) = current.withLock { current -> (BackgroundThreads, OfThisProcess?) in
            guard current.forks != CurrentProcess.forkGeneration else { return (threads(current), nil) }
            let former = current
            current = OfThisProcess()
            return (threads(current), former)
        }
        withExtendedLifetime(former) {}
        return chosen
    }

    /// For what Larder does by itself: never more than a few works of each store at once.
    package static var shared: BackgroundThreads { current(\.own) }

    /// For what callers wait for and what may block, as many as there are callers: 64 at once, the others wait.
    fileprivate static var forCallers: BackgroundThreads { current(\.forCallers) }

    // MARK: Work

    /// Has a thread do `work`, now.
    ///
    /// - Throws: ``FileError``, `tooManyThreads`, when no thread is idle and none can be started. Then nothing was done.
    package func run(_ work: @escaping Work) throws {
        let task = state.withLock { state -> Relief in
            if let thread = state.idle.popLast() {
                state.works.append(work)
                return .idle(thread)
            }
            if state.threads >= limit {
                state.works.append(work)
                return .none
            }
            state.threads += 1
            return .new
        }
        try relieve(task, beginningWith: work)
    }

    /// Has a thread do `work`, or does it here where no thread can be started.
    package func perform(_ work: @escaping Work) {
        do { try run(work) } catch { work() }
    }

    // MARK: Repetitions

    /// Work that is done again and again.
    package final class Repetition: Sendable {
        fileprivate let interval: Duration
        private let work: Mutex<Work?>
        private let threads: BackgroundThreads
        private let forks = CurrentProcess.forkGeneration

        fileprivate init(_ interval: Duration, _ threads: BackgroundThreads, _ work: @escaping Work) {
            self.interval = interval
            self.threads = threads
            self.work = Mutex(work)
        }

        /// Ends it, and releases what the work holds.
        ///
        /// The work may be under way on another thread; it does not begin again.
        package func end() {
            // In a child process no thread does it, and one that is gone may have had the locks.
            guard CurrentProcess.forkGeneration == forks else { return }
            // Released when no lock is held.
            let ended = work.withLock { work in
                defer { work = nil }
                return work
            }
            threads.remove(self)
            withExtendedLifetime(ended) {}
        }

        fileprivate var isEnded: Bool { work.withLock { $0 == nil } }

        fileprivate func run() { work.withLock(\.self)?() }
    }

    /// Has threads do `work` every `interval`, the first time when one is over; never twice at once.
    ///
    /// Starts a thread at most, and wakes none that would look in time by itself.
    ///
    /// - Returns: The repetition, which goes on until it is ended.
    /// - Throws: ``FileError``, `tooManyThreads`, when no thread can be started.
    package func `repeat`(every interval: Duration, _ work: @escaping Work) throws -> Repetition {
        let repetition = Repetition(interval, self, work)
        let due = ContinuousClock.now + interval
        let task = state.withLock { state -> Relief in
            state.repetitions.append((repetition, due))
            if let keeper = state.keeper { return keeper.wakes <= due ? .none : .idle(keeper.thread) }
            return Self.relief(&state)
        }
        do {
            try relieve(task)
        } catch {
            remove(repetition)
            throw error
        }
        return repetition
    }

    private func remove(_ repetition: Repetition) {
        state.withLock { state in state.repetitions.removeAll { $0.repetition === repetition } }
    }

    private func schedule(_ repetition: Repetition) {
        let due = ContinuousClock.now + repetition.interval
        state.withLock { state in if !repetition.isEnded { state.repetitions.append((repetition, due)) } }
    }

    // MARK: Threads

    /// Who does what a thread that goes to work leaves.
    private enum Relief {
        case none
        case idle(ThreadSemaphore)
        /// One that is to be started, and is counted already.
        case new
    }

    /// The work that a thread is started for.
    ///
    /// The thread empties it: what started it lives as long as the thread, and what the work
    /// holds must not.
    private final class FirstWork: Sendable {
        private let work: Mutex<Work?>

        init(_ work: Work?) { self.work = Mutex(work) }

        func take() -> Work? {
            work.withLock { work in
                defer { work = nil }
                return work
            }
        }
    }

    private enum Step {
        case work(Work, Relief)
        case repetition(Repetition, Relief)
        case wait(Duration)
        case end
    }

    /// Somebody to wait for the time of a repetition, where nobody does.
    private static func relief(_ state: inout State) -> Relief {
        guard !state.repetitions.isEmpty, state.keeper == nil else { return .none }
        if let thread = state.idle.popLast() { return .idle(thread) }
        state.threads += 1
        return .new
    }

    private func relieve(_ relief: Relief, beginningWith work: Work? = nil) throws {
        switch relief {
        case .none: return
        case .idle(let thread): thread.signal()
        case .new:
            do {
                let first = FirstWork(work)
                try SystemCalls.startThread("larder") { self.serve(beginningWith: first) }
            } catch {
                state.withLock { $0.threads -= 1 }
                throw FileError(
                    .tooManyThreads,
                    FileError.Operation("start a thread for"),
                    "background work",
                    errno: error.number
                )
            }
        }
    }

    /// What one thread does until it ends.
    private func serve(beginningWith first: FirstWork) {
        let own = ThreadSemaphore()
        if let work = first.take() { Self.draining(work) }
        var lastWork = ContinuousClock.now
        while true {
            switch next(own, lastWork) {
            case .work(let work, let relief):
                relieveIfPossible(relief)
                Self.draining(work)
                lastWork = .now
            case .repetition(let repetition, let relief):
                relieveIfPossible(relief)
                Self.draining { repetition.run() }
                schedule(repetition)
                lastWork = .now
            case .wait(let limit): own.wait(within: limit)
            case .end: return
            }
        }
    }

    private func relieveIfPossible(_ relief: Relief) {
        // Where no thread can be started, what is due waits until this one is done.
        try? relieve(relief)
    }

    private func next(_ own: ThreadSemaphore, _ lastWork: ContinuousClock.Instant) -> Step {
        let now = ContinuousClock.now
        return state.withLock { state in
            if state.keeper?.thread === own { state.keeper = nil }
            state.idle.removeAll { $0 === own }
            if let index = state.repetitions.firstIndex(where: { $0.due <= now }) {
                let repetition = state.repetitions.remove(at: index).repetition
                return .repetition(repetition, Self.relief(&state))
            }
            if let work = state.works.popFirst() { return .work(work, Self.relief(&state)) }
            if state.keeper == nil, let wakes = state.repetitions.map(\.due).min() {
                state.keeper = (own, wakes)
                return .wait(wakes - now)
            }
            let end = lastWork + Self.patience
            guard now < end else {
                state.threads -= 1
                return .end
            }
            state.idle.append(own)
            return .wait(end - now)
        }
    }

    private static func draining(_ work: () -> Void) {
        #if canImport(ObjectiveC)
        autoreleasepool(invoking: work)
        #else
        work()
        #endif
    }
}

/// Runs `work`, which may block, on a thread that may, and suspends meanwhile.
///
/// Its issues go to the handler of the current task. Where no thread can be started it runs here.
package func withBlockingWork<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
) async throws -> Result {
    let handler = InheritedIssueHandler()
    return try await withCheckedThrowingContinuation { continuation in
        BackgroundThreads.forCallers.perform {
            continuation.resume(with: Swift.Result { try handler.during(work) })
        }
    }
}
