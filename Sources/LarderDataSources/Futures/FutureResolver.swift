import LarderCore
import Synchronization

/// Settles one pending future; see ``Future/pending()``.
///
/// The first call counts and later ones change nothing. A resolver that is released without having settled its future fails it
/// with ``FutureError/Code/abandoned``, so that nobody waits for ever. It may be used from any thread; listeners run on the
/// thread that settles, before the call returns.
public final class FutureResolver<Value: Sendable>: Sendable {
    private let pending: PendingFuture<Value>
    /// Whether another future settles this one from now on.
    private let isHandedOver = Atomic(false)

    init(_ pending: PendingFuture<Value>) { self.pending = pending }

    /// Settles the future with a value.
    ///
    /// - Parameter value: What listeners get.
    public func set(_ value: Value) { pending.settle(.value(value)) }

    /// Fails the future.
    ///
    /// - Parameter error: What listeners get.
    public func set(_ error: any Error) { pending.settle(.failure(Failure(error, issues: .shared))) }

    /// Settles the future as a result says.
    ///
    /// - Parameter result: A value or an error.
    public func set(_ result: Result<Value, any Error>) {
        switch result {
        case .success(let value): set(value)
        case .failure(let error): set(error)
        }
    }

    /// Settles the future with the error, if there is one, else with the value.
    ///
    /// - Parameters:
    ///   - value: What listeners get when there is no error.
    ///   - error: Wins over the value. With neither the future fails with `CoreError.IllegalArgument`.
    public func set(value: Value?, error: (any Error)?) {
        if let error {
            set(error)
        } else if let value {
            set(value)
        } else {
            set(CoreError.IllegalArgument("A future was settled with neither a value nor an error: give it one."))
        }
    }

    /// Settles the future as another one settles.
    ///
    /// Cancelling this one takes its interest in the other one away.
    ///
    /// - Parameter future: The other one.
    public func set(_ future: Future<Value>) {
        isHandedOver.store(true, ordering: .relaxed)
        future.feed(pending) { $0 }
    }

    /// Says how to stop the work when the future is cancelled; the last handler counts.
    ///
    /// - Parameter handler: Called once at most, outside every lock; at once when the future was cancelled before.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) { pending.onCancel { _ in handler() } }

    deinit {
        if !isHandedOver.load(ordering: .relaxed), pending.outcome == nil {
            pending.abandon(
                FutureError(
                    .abandoned,
                    "The resolver was released without settling its future: settle it on every path."
                )
            )
        }
    }
}
