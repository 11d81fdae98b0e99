import LarderCore
import Synchronization

/// An object that settles one pending future; see ``Future/pending()``.
///
/// Only the first call that settles the future has an effect. If a resolver is released without settling its future, the future fails with
/// ``FutureError/Code/abandoned``. Resolvers are thread-safe. Listeners run on the thread that settles the future, before the call returns.
public final class FutureResolver<Value: Sendable>: Sendable {
    private let pending: PendingFuture<Value>
    /// Whether another future will settle this resolver's future.
    private let isHandedOver = Atomic(false)

    init(_ pending: PendingFuture<Value>) { self.pending = pending }

    /// Settles the future with a value.
    ///
    /// - Parameter value: The value that listeners receive.
    public func set(_ value: Value) { pending.settle(.value(value)) }

    /// Settles the future with an error.
    ///
    /// - Parameter error: The error that listeners receive.
    public func set(_ error: any Error) { pending.settle(.failure(Failure(error, issues: .shared))) }

    /// Settles the future with a result.
    ///
    /// - Parameter result: The value or the error that listeners receive.
    public func set(_ result: Result<Value, any Error>) {
        switch result {
        case .success(let value): set(value)
        case .failure(let error): set(error)
        }
    }

    /// Settles the future with the error if there is one, otherwise with the value.
    ///
    /// - Parameters:
    ///   - value: The value that listeners receive if `error` is `nil`.
    ///   - error: The error that listeners receive. If both arguments are `nil`, the future fails with `CoreError.IllegalArgument`.
    public func set(value: Value?, error: (any Error)?) {
        if let error {
            set(error)
        } else if let value {
            set(value)
        } else {
            set(
                CoreError.IllegalArgument(
                    "A future was settled with neither a value nor an error. Pass a value or an error."
                )
            )
        }
    }

    /// Settles the future with the outcome of another future when that future settles.
    ///
    /// Cancelling the resolver's future removes its listener from the other future.
    ///
    /// - Parameter future: The future that provides the outcome.
    public func set(_ future: Future<Value>) {
        isHandedOver.store(true, ordering: .relaxed)
        future.feed(pending) { $0 }
    }

    /// Sets the handler to call when the future is cancelled, for example to stop a network request.
    ///
    /// The handler replaces any earlier handler.
    ///
    /// - Parameter handler: A closure that runs at most once, outside all locks. If the future has already been cancelled, it runs
    ///   immediately.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) { pending.onCancel { _ in handler() } }

    deinit {
        if !isHandedOver.load(ordering: .relaxed), pending.outcome == nil {
            pending.abandon(
                FutureError(
                    .abandoned,
                    "The future failed because its resolver was released without settling it. Settle the future on every code path."
                )
            )
        }
    }
}
