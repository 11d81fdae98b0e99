import LarderFiles
import Synchronization

/// A namespace for running asynchronous work on behalf of a command, whose thread waits for the result.
enum BlockedTask {
    private final class Outcome<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, any Error>?>(nil)
        let done = ThreadSemaphore()
    }

    /// Runs asynchronous work and blocks the current thread until it has ended.
    ///
    /// - Parameters:
    ///   - limit: The maximum time to wait. If it passes, the work is canceled.
    ///   - late: Returns the error for work that has not ended in time.
    ///   - work: The asynchronous work.
    /// - Returns: The result of `work`.
    /// - Throws: The error of `work`, or that of `late`.
    static func run<Value: Sendable>(
        within limit: Duration? = nil,
        orThrow late: () -> CommandFailure = { .storage("The work has not ended in time. Try again.") },
        _ work: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let outcome = Outcome<Value>()
        let task = Task.detached {
            let result: Result<Value, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            outcome.result.withLock { $0 = result }
            outcome.done.signal()
        }
        let clock = ContinuousClock()
        let deadline = limit.map { clock.now + $0 }
        while true {
            if let result = outcome.result.withLock(\.self) { return try result.get() }
            if let deadline, clock.now >= deadline {
                task.cancel()
                throw late()
            }
            outcome.done.wait(within: deadline.map { max(clock.now.duration(to: $0), .zero) })
        }
    }
}
