import Foundation
import LarderCore
import Synchronization

/// The state that a pending future shares with its copies and its resolver.
///
/// Listeners run outside the lock, on the thread that settles the future, in the order in which they were added. Closures and values that
/// callers passed are also released outside the lock.
@usableFromInline
final class PendingFuture<Value: Sendable>: Sendable {
    typealias Outcome = FutureOutcome<Value>
    /// A closure that receives the future's outcome.
    ///
    /// The closure settles dependent futures through the delivery queue instead of by nested calls.
    typealias Listener = @Sendable (Outcome, inout Deliveries) -> Void
    typealias CancellationHandler = @Sendable (inout Deliveries) -> Void

    private struct State {
        var outcome: Outcome?
        /// The listeners, sorted by identifier.
        var listeners: [(identifier: UInt64, listener: Listener)] = []
        var nextIdentifier: UInt64 = 0
        var onCancel: CancellationHandler?
        var isCancelled = false
    }

    /// The listeners and the cancellation handler that a future removes from its state when it settles.
    private struct Released {
        let listeners: [(identifier: UInt64, listener: Listener)]
        let onCancel: CancellationHandler?

        /// Adds the listeners to the front of the delivery queue, in the order in which they were registered.
        func callListeners(_ outcome: Outcome, _ deliveries: inout Deliveries) {
            for (_, listener) in listeners.reversed() { deliveries.push { listener(outcome, &$0) } }
        }
    }

    private let state = Mutex(State())

    var outcome: Outcome? { state.withLock(\.outcome) }

    private static func end(_ state: inout State, with outcome: Outcome) -> Released? {
        guard state.outcome == nil else { return nil }
        let released = Released(listeners: state.listeners, onCancel: state.onCancel)
        state.outcome = outcome
        state.listeners = []
        state.onCancel = nil
        return released
    }
}

// MARK: - Settling

extension PendingFuture {
    /// Settles the future with the given outcome.
    ///
    /// Has no effect and returns `false` if the future has already settled.
    @discardableResult
    func settle(_ outcome: Outcome) -> Bool { Deliveries.drained { settle(outcome, &$0) } }

    /// Fails the future because its resolver was released.
    ///
    /// Has no effect if the future has settled.
    func abandon(_ error: FutureError) {
        Deliveries.ending { settle(.failure(Failure(error, issues: .shared)), &$0) }
    }

    /// Settles the future and adds its listeners, followed by `next`, to the delivery queue.
    ///
    /// If the future has already settled, returns `false`, drops the outcome without reporting an error, and does not call `next`.
    @discardableResult
    func settle(_ outcome: Outcome, _ deliveries: inout Deliveries, then next: Deliveries.Call? = nil) -> Bool {
        guard let released = state.withLock({ Self.end(&$0, with: outcome) }) else {
            outcome.dismiss()
            return false
        }
        if let next { deliveries.push(next) }
        released.callListeners(outcome, &deliveries)
        return true
    }

    /// Calls `listener` once with the future's outcome.
    ///
    /// If the future has settled, the call is made immediately. Otherwise, the call is made when the future settles.
    ///
    /// - Returns: The identifier to pass to ``remove(_:)``, or `nil` if the listener was called immediately.
    @discardableResult
    func listen(_ listener: @escaping @Sendable (Outcome) -> Void) -> UInt64? {
        Deliveries.drained { forward({ outcome, _ in listener(outcome) }, &$0) }
    }

    /// Calls `listener` once through the delivery queue.
    ///
    /// If the future has settled, the call is added to the front of the queue. Otherwise, the call is added when the future settles.
    ///
    /// - Returns: The identifier to pass to ``remove(_:)``, or `nil` if the future has settled.
    @discardableResult
    func forward(_ listener: @escaping Listener, _ deliveries: inout Deliveries) -> UInt64? {
        let (outcome, identifier): (Outcome?, UInt64?) = state.withLock { state in
            if let outcome = state.outcome { return (outcome, nil) }
            state.nextIdentifier += 1
            state.listeners.append((state.nextIdentifier, listener))
            return (nil, state.nextIdentifier)
        }
        if let outcome { deliveries.push { listener(outcome, &$0) } }
        return identifier
    }
}

// MARK: - Cancelling

extension PendingFuture {
    /// Fails the future with `CancellationError` and stops the future's work.
    ///
    /// Has no effect if the future has settled.
    ///
    /// The listeners and the cancellation handler have run when this method returns.
    func cancel() { Deliveries.drainedWithEndings { cancel(&$0) } }

    /// Behaves like ``cancel()``, but adds the listener calls to `deliveries`.
    func cancel(_ deliveries: inout Deliveries) { state.withLock { Self.cancel(&$0) }?.callListeners(&deliveries) }

    /// Removes a listener, and cancels the future if no listeners remain.
    func remove(_ identifier: UInt64) { Deliveries.ending { remove(identifier, &$0) } }

    /// Behaves like ``remove(_:)``, but adds the listener calls to `deliveries`.
    ///
    /// Removal and cancellation are one atomic step: a listener that is added concurrently either prevents the cancellation or receives its
    /// outcome.
    func remove(_ identifier: UInt64, _ deliveries: inout Deliveries) {
        let (removed, cancelled) = state.withLock { state -> (Listener?, Cancelled?) in
            guard let index = Self.index(of: identifier, in: state) else { return (nil, nil) }
            let removed = state.listeners.remove(at: index).listener
            return (removed, state.listeners.isEmpty ? Self.cancel(&state) : nil)
        }
        // Released outside the lock, because values that the listener captured may use this future in `deinit`.
        withExtendedLifetime(removed) {}
        cancelled?.callListeners(&deliveries)
    }

    /// Sets the handler that is called when the future is cancelled.
    ///
    /// If the future has already been cancelled, the handler is called immediately.
    func onCancel(_ handler: @escaping CancellationHandler) { Deliveries.drained { onCancel(handler, &$0) } }

    /// Behaves like ``onCancel(_:)``, but adds the handler call to `deliveries`.
    func onCancel(_ handler: @escaping CancellationHandler, _ deliveries: inout Deliveries) {
        let (isCancelled, former) = state.withLock { state in
            let former = state.onCancel
            if state.outcome == nil { state.onCancel = handler }
            return (state.isCancelled, former)
        }
        withExtendedLifetime(former) {}
        if isCancelled { deliveries.push(handler) }
    }

    /// Sets the cancellation handler unless the future already has one.
    ///
    /// If the future has already been cancelled, the handler is called immediately.
    func offerOnCancel(_ handler: @escaping CancellationHandler) {
        let isCancelled = state.withLock { state in
            if state.outcome == nil, state.onCancel == nil { state.onCancel = handler }
            return state.isCancelled
        }
        if isCancelled { Deliveries.drained { $0.push(handler) } }
    }

    /// The outcome of a cancellation, with the listeners and the cancellation handler to call after the lock is released.
    private struct Cancelled {
        let outcome: Outcome
        let released: Released

        /// Adds the listeners, followed by the cancellation handler, to the delivery queue.
        ///
        /// Listeners are notified before the work is stopped.
        func callListeners(_ deliveries: inout Deliveries) {
            if let handler = released.onCancel { deliveries.push(handler) }
            released.callListeners(outcome, &deliveries)
        }
    }

    private static func cancel(_ state: inout State) -> Cancelled? {
        let outcome = Outcome.failure(Failure(CancellationError(), issues: .shared))
        guard let released = end(&state, with: outcome) else { return nil }
        state.isCancelled = true
        return Cancelled(outcome: outcome, released: released)
    }

    private static func index(of identifier: UInt64, in state: State) -> Int? {
        let index = state.listeners.partitioningIndex { $0.identifier >= identifier }
        return index < state.listeners.count && state.listeners[index].identifier == identifier ? index : nil
    }
}

/// The outcome of a settled future.
enum FutureOutcome<Value: Sendable>: Sendable {
    case value(Value)
    case failure(Failure)

    init(catching work: () throws -> Value) {
        do { self = .value(try work()) } catch { self = .failure(Failure(error, issues: .shared)) }
    }

    /// The outcome as a `Result`.
    ///
    /// Reading this property marks an error as handled.
    var taken: Result<Value, any Error> {
        switch self {
        case .value(let value): .success(value)
        case .failure(let failure): .failure(failure.takeError())
        }
    }

    /// Marks an error as handled without returning the error.
    func dismiss() { if case .failure(let failure) = self { failure.dismiss() } }
}
