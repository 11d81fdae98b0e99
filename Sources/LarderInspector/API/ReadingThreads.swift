#if Inspector
import LarderCore
import LarderFiles
import Synchronization

/// Threads on which the inspector reads instances and files, so that its requests never take the threads of the program's own calls.
///
/// A blocked thread can't be interrupted. If a task is canceled, it leaves the thread behind, which counts until its work returns.
final class ReadingThreads: Sendable {
    private struct Work: Sendable {
        let number: Int
        /// The identity of the instance that is read, if any.
        let instance: String?
        let body: @Sendable () -> Void
    }

    private struct State {
        /// The works that have no thread yet, oldest first.
        var waiting: [Work] = []
        var running = 0
        var runningOfInstance: [String: Int] = [:]
        var last = 0
    }

    private let state = Mutex(State())
    private let limit: Int
    private let limitOfInstance: Int
    private let maximumWaiting: Int

    /// Creates threads.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of threads.
    ///   - limitOfInstance: The maximum number of threads for one instance, so that an instance that hangs does not stop the others.
    ///   - maximumWaiting: The maximum number of works that wait for a thread.
    init(limit: Int, ofInstance limitOfInstance: Int, maximumWaiting: Int) {
        self.limit = limit
        self.limitOfInstance = limitOfInstance
        self.maximumWaiting = maximumWaiting
    }

    /// Runs work that may block on one of the threads, and suspends until it returns.
    ///
    /// - Parameters:
    ///   - instance: The identity of the instance that is read, if any.
    ///   - isAdmitted: Whether the work may wait although many others do, because it continues an answer that has begun.
    ///   - work: The work, which does not begin if the task is canceled while it waits.
    /// - Returns: The result of the work.
    /// - Throws: The error of the work, ``Refusal`` if too many others wait, or `CancellationError` as soon as the task is canceled.
    func run<Result: Sendable>(
        of instance: String? = nil,
        isAdmitted: Bool = false,
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        let handler = InheritedIssueHandler()
        let outcome = Outcome<Result>()
        let number = try add(instance, isAdmitted) { outcome.end(Swift.Result { try handler.during(work) }) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { outcome.resume($0) }
        } onCancel: {
            remove(number)
            outcome.end(.failure(CancellationError()))
        }
    }

    private func add(_ instance: String?, _ isAdmitted: Bool, _ body: @escaping @Sendable () -> Void) throws -> Int {
        let number = try state.withLock { state -> Int in
            guard isAdmitted || state.waiting.count < maximumWaiting else {
                throw Refusal.busy("Too many requests are being answered. Try again in a second.")
            }
            state.last += 1
            state.waiting.append(Work(number: state.last, instance: instance, body: body))
            return state.last
        }
        begin()
        return number
    }

    private func remove(_ number: Int) { state.withLock { $0.waiting.removeAll { $0.number == number } } }

    /// Begins the works for which there are threads.
    private func begin() {
        while let work = next() {
            BackgroundThreads.shared.perform {
                work.body()
                self.end(work)
                self.begin()
            }
        }
    }

    private func next() -> Work? {
        state.withLock { state in
            guard state.running < limit else { return nil }
            let index = state.waiting.firstIndex { work in
                work.instance.map { state.runningOfInstance[$0, default: 0] < limitOfInstance } ?? true
            }
            guard let index else { return nil }
            let work = state.waiting.remove(at: index)
            state.running += 1
            if let instance = work.instance { state.runningOfInstance[instance, default: 0] += 1 }
            return work
        }
    }

    private func end(_ work: Work) {
        state.withLock { state in
            state.running -= 1
            guard let instance = work.instance, let count = state.runningOfInstance[instance] else { return }
            state.runningOfInstance[instance] = count > 1 ? count - 1 : nil
        }
    }
}

/// The result of work and the task that waits for it, whichever comes first.
private final class Outcome<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var continuation: CheckedContinuation<Value, any Error>?
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// Ends with a result, unless there was another before.
    func end(_ result: Result<Value, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            if state.continuation == nil { state.result = result }
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(with: result)
    }

    /// Resumes a task as soon as there is a result.
    func resume(_ continuation: CheckedContinuation<Value, any Error>) {
        let result = state.withLock { state -> Result<Value, any Error>? in
            if state.result == nil { state.continuation = continuation }
            defer { state.result = nil }
            return state.result
        }
        if let result { continuation.resume(with: result) }
    }
}
#endif
