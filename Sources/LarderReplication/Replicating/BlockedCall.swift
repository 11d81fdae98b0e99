import LarderFiles
import Synchronization

/// A namespace for blocking forms of asynchronous calls.
enum BlockedCall {
    private final class Outcome<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, any Error>?>(nil)
    }

    /// Blocks the current thread until `body` has returned.
    static func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let outcome = Outcome<Value>()
        let done = ThreadSemaphore()
        Task.detached {
            let result: Result<Value, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            outcome.result.withLock { $0 = result }
            done.signal()
        }
        while true {
            if let result = outcome.result.withLock(\.self) { return try result.get() }
            done.wait()
        }
    }
}
