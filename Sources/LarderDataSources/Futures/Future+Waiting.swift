import Foundation
import Synchronization

extension Future {
    /// The value, for synchronous code: waits for it where it must.
    ///
    /// - Returns: The value.
    /// - Throws: The error that came instead of one; ``FutureError/Code/wouldBlockMainThread``, without waiting, when the future
    ///   is pending and this is the main thread.
    @available(*, noasync, message: "This call may wait: use `try await future.value`.")
    @inlinable
    @discardableResult
    public func get() throws -> Value {
        if case .value(let value) = storage { return value }
        return try result.get()
    }

    /// The value, or the error that came instead, for synchronous code: waits where it must.
    ///
    /// ``FutureError/Code/wouldBlockMainThread``, without waiting, when the future is pending and this is the main thread.
    @available(*, noasync, message: "This call may wait: use `try await future.value`.")
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
                        "The main thread would wait for a future that has not settled: use `onCompleteUi` or `await` its value."
                    )
                )
            }
            let isSettled = DispatchSemaphore(value: 0)
            pending.listen { _ in isSettled.signal() }
            isSettled.wait()
            return pending.outcome?.taken ?? .failure(CancellationError())
        }
    }

    /// The value, for asynchronous code.
    ///
    /// Reading it throws the error that came instead of one, and `CancellationError` as soon as the task is cancelled while it
    /// waits; the work goes on as long as anybody else listens.
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
                    // Cancelled before it waited: as one that waited and stopped.
                    if let identifier = listen({ _ = $0.taken }) { remove(identifier) }
                    return continuation.resume(throwing: CancellationError())
                }
                let identifier = listen { outcome in
                    // Taken also when the task has got its `CancellationError` a moment ago.
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

/// One task that awaits a future: its continuation is resumed once, by the outcome or by cancellation.
private final class WaiterBox<Value: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Value, any Error>?
        var identifier: UInt64?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// `false` when the task was cancelled before it waited.
    func begin(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            state.continuation = continuation
            return true
        }
    }

    /// Keeps the listener's identifier; `true` when the task was cancelled meanwhile and the caller must remove it.
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
