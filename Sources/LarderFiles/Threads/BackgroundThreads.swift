import LarderCore
import Synchronization

/// A pool of threads that run Larder's background work and blocking work.
///
/// A thread starts when there is work but no idle thread, and ends after a few idle seconds. The pool uses neither Dispatch nor Swift's
/// concurrency runtime, because both crash if they run out of file descriptors (decision 0045).
package final class BackgroundThreads: Sendable {
    /// A closure that runs on a background thread.
    package typealias Work = @Sendable () -> Void

    private struct State {
        var works = Queue<Work>()
        /// The scheduled items of repeating work, each with the time of its next run.
        var repetitions: [(repetition: Repetition, due: ContinuousClock.Instant)] = []
        /// The idle threads, in the order in which they became idle.
        var idle: [ThreadSemaphore] = []
        /// The thread that sleeps until the next run of repeating work, and the wake-up time of the thread.
        var keeper: (thread: ThreadSemaphore, wakes: ContinuousClock.Instant)?
        var threads = 0
    }

    /// The time after which an idle thread ends.
    private static let patience = Duration.seconds(5)

    private let state = Mutex(State())
    private let limit: Int

    private init(limit: Int) { self.limit = limit }

    // MARK: The threads of this process

    private struct OfThisProcess {
        let forks = CurrentProcess.forkGeneration
        /// The thread pool for background work of stores.
        ///
        /// The number of threads is unlimited, so that no store waits for another store.
        let own = BackgroundThreads(limit: .max)
        /// The thread pool for blocking work on behalf of callers.
        ///
        /// The limit is high enough that a few blocked threads do not delay other callers.
        let forCallers = BackgroundThreads(limit: 64)
    }

    /// The thread pools of this process.
    ///
    /// A forked child creates new pools.
    private static let current = Mutex(OfThisProcess())

    private static func current(_ threads: (OfThisProcess) -> BackgroundThreads) -> BackgroundThreads {
        // In a forked child, the parent's work items are released outside the lock.
        let (chosen, former) = current.withLock { current -> (BackgroundThreads, OfThisProcess?) in
            guard current.forks != CurrentProcess.forkGeneration else { return (threads(current), nil) }
            let former = current
            current = OfThisProcess()
            return (threads(current), former)
        }
        withExtendedLifetime(former) {}
        return chosen
    }

    /// The pool that runs Larder's own background work.
    package static var shared: BackgroundThreads { current(\.own) }

    /// The pool that runs blocking work for waiting callers, on at most 64 threads.
    fileprivate static var forCallers: BackgroundThreads { current(\.forCallers) }

    // MARK: Work

    /// Starts running `work` on a background thread.
    ///
    /// - Throws: ``FileError`` with code `tooManyThreads`, without running `work`, if no thread is idle and no thread can be started.
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

    /// Runs `work` on a background thread, or on the calling thread if no thread can be started.
    package func perform(_ work: @escaping Work) {
        do { try run(work) } catch { work() }
    }

    // MARK: Repetitions

    /// Work that runs repeatedly on background threads until ``end()`` is called.
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

        /// Stops running the work and releases it.
        ///
        /// If the work is running on another thread, that run completes first.
        package func end() {
            // A forked child has no threads for the repetition, and a thread of the parent may have held the locks at the fork.
            guard CurrentProcess.forkGeneration == forks else { return }
            // The work is moved out of the lock, so that it is released while no lock is held.
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

    /// Runs `work` repeatedly on background threads, with a pause of `interval` before each run.
    ///
    /// Runs never overlap.
    ///
    /// - Returns: The repeating work, which continues until ``Repetition/end()`` is called.
    /// - Throws: ``FileError`` with code `tooManyThreads` if no thread can be started.
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

    /// The thread, if any, that must start waiting for the next run of repeating work.
    private enum Relief {
        case none
        case idle(ThreadSemaphore)
        /// A new thread that is already counted but must still be started.
        case new
    }

    /// A box from which a new thread takes its first work item.
    ///
    /// The box lives as long as the thread, but the thread releases the work as soon as the work has run.
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

    /// Returns the thread that must wait for the next run of repeating work, or `.none` if no thread needs to start waiting.
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

    /// Runs the main loop of a background thread until the thread has been idle for a few seconds.
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
        // If no thread can be started, the next repetition waits until this thread is free.
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

/// Runs `work`, which may block, on a background thread, and suspends until `work` returns.
///
/// Issues that `work` reports go to the issue handler of the current task. If no thread can be started, `work` runs on the current thread.
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
