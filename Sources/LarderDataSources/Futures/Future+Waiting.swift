import Foundation
import Synchronization

extension Future {
    /// Blocks the current thread until the future settles, and returns its value.
    ///
    /// - Returns: The future's value.
    /// - Throws: The future's error. On the main thread, a call on a pending future throws ``FutureError/Code/wouldBlockMainThread``
    ///   instead of blocking.
    @available(*, noasync, message: "This call can block the current thread. Use `try await future.value`.")
    @inlinable
    @discardableResult
    public func get() throws -> Value {
        if case .value(let value) = storage { return value }
        return try result.get()
    }

    /// The future's value or error, as a `Result`.
    ///
    /// Reading this property blocks the current thread until the future settles. On the main thread, reading the result of a pending future
    /// returns the error ``FutureError/Code/wouldBlockMainThread`` instead of blocking.
    @available(*, noasync, message: "This call can block the current thread. Use `try await future.value`.")
    public var result: Result<Value, any Error> {
        switch storage {
        case .value(let value): return .success(value)
        case .failure(let failure): return .failure(failure.takeError())
        case .pending(let pending):
            if let outcome = pending.outcome { return outcome.taken }
            guard !Thread.isMainThread else {
                return .failure(
                    FutureError(
                        .wouldBlockMainThread,
                        "The result can't be returned because waiting for the future would block the main thread. Use `onCompleteUi`, or `await` the future's `value`."
                    )
                )
            }
            let isSettled = DispatchSemaphore(value: 0)
            pending.listen { _ in isSettled.signal() }
            isSettled.wait()
            return pending.outcome?.taken ?? .failure(CancellationError())
        }
    }

    /// The future's value, which asynchronous code can await.
    ///
    /// Reading this property throws the future's error, or `CancellationError` as soon as the current task is cancelled. After a
    /// cancellation, the work continues only if the future has other listeners.
    public var value: Value {
        get async throws {
            switch storage {
            case .value(let value): value
            case .failure(let failure): throw failure.takeError()
            case .pending(let pending): try await pending.waitForValue()
            }
        }
    }
}

extension PendingFuture {
    fileprivate func waitForValue() async throws -> Value {
        let waiter = WaiterBox<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard waiter.begin(continuation) else {
                    // The task was cancelled before it waited. Removing the added listener cancels the work unless the future has other
                    // listeners.
                    if let identifier = listen({ _ = $0.taken }) { remove(identifier) }
                    return continuation.resume(throwing: CancellationError())
                }
                let identifier = listen { outcome in
                    // The error is marked as handled even if the task has just received a `CancellationError`.
                    let result = outcome.taken
                    waiter.take()?.resume(with: result)
                }
                if let identifier, waiter.keep(identifier) { remove(identifier) }
            }
        } onCancel: {
            let (continuation, identifier) = waiter.cancel()
            continuation?.resume(throwing: CancellationError())
            if let identifier { remove(identifier) }
        }
    }
}

/// The state of a task that awaits a future.
///
/// The continuation is resumed exactly once, either by the outcome or by cancellation.
private final class WaiterBox<Value: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Value, any Error>?
        var identifier: UInt64?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Stores the continuation of the waiting task.
    ///
    /// Returns `false` if the task has already been cancelled.
    func begin(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            state.continuation = continuation
            return true
        }
    }

    /// Stores the identifier of the listener that resumes the waiting task.
    ///
    /// Returns `true` if the task has been cancelled and the caller must remove the listener.
    func keep(_ identifier: UInt64) -> Bool {
        state.withLock { state in
            state.identifier = identifier
            return state.isCancelled
        }
    }

    func take() -> CheckedContinuation<Value, any Error>? {
        state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }
    }

    func cancel() -> (CheckedContinuation<Value, any Error>?, UInt64?) {
        state.withLock { state in
            state.isCancelled = true
            defer { state.continuation = nil }
            return (state.continuation, state.identifier)
        }
    }
}
