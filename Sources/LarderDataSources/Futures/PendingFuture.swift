import Foundation
import LarderCore
import Synchronization

/// What a future that has not settled yet shares with its copies and its resolver.
///
/// Listeners run outside the lock, on the thread that settles, in the order in which they were added. What the future releases, a
/// caller's closures and values among it, it releases outside the lock too.
@usableFromInline
final class PendingFuture<Value: Sendable>: Sendable {
    typealias Outcome = FutureOutcome<Value>
    /// Settles futures that depend on this one through the deliveries, without a nested call.
    typealias Listener = @Sendable (Outcome, inout Deliveries) -> Void
    typealias CancellationHandler = @Sendable (inout Deliveries) -> Void

    private struct State {
        var outcome: Outcome?
        /// Sorted by their identifiers.
        var listeners: [(identifier: UInt64, listener: Listener)] = []
        var nextIdentifier: UInt64 = 0
        var onCancel: CancellationHandler?
        var isCancelled = false
    }

    /// What a future held until it settled.
    private struct Released {
        let listeners: [(identifier: UInt64, listener: Listener)]
        let onCancel: CancellationHandler?

        /// Calls the listeners in their order, before everything else that waits.
        func tell(_ outcome: Outcome, _ deliveries: inout Deliveries) {
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
    /// Settles the future, unless it has settled; `false` when it had.
    @discardableResult
    func settle(_ outcome: Outcome) -> Bool { Deliveries.drained { settle(outcome, &$0) } }

    /// Fails the future, unless it has settled, for nothing can settle it any more.
    func abandon(_ error: FutureError) {
        Deliveries.ending { settle(.failure(Failure(error, issues: .shared)), &$0) }
    }

    /// Settles the future, unless it has settled, and leaves its listeners to the deliveries.
    ///
    /// - Parameters:
    ///   - outcome: Dropped when the future has settled: the listeners have got another one, so it is not reported as unheard.
    ///   - deliveries: Where the listeners are added.
    ///   - next: Called after the listeners, if the future had not settled.
    /// - Returns: `false` when it had.
    @discardableResult
    func settle(_ outcome: Outcome, _ deliveries: inout Deliveries, then next: Deliveries.Call? = nil) -> Bool {
        guard let released = state.withLock({ Self.end(&$0, with: outcome) }) else {
            outcome.dismiss()
            return false
        }
        if let next { deliveries.push(next) }
        released.tell(outcome, &deliveries)
        return true
    }

    /// Calls `listener` once: now, when the outcome is there, or when it comes.
    ///
    /// - Returns: What to remove the listener by, or `nil` when it was called.
    @discardableResult
    func listen(_ listener: @escaping @Sendable (Outcome) -> Void) -> UInt64? {
        Deliveries.drained { forward({ outcome, _ in listener(outcome) }, &$0) }
    }

    /// Calls `listener` once, through the deliveries: next, when the outcome is there, or when it comes.
    ///
    /// - Returns: What to remove the listener by, or `nil` when the outcome is there.
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
    /// Fails the future with `CancellationError` and stops the work behind it; nothing when it has settled.
    ///
    /// The listeners and the handler have run when this returns.
    func cancel() { Deliveries.drainedWithEndings { cancel(&$0) } }

    /// As ``cancel()``, by way of the deliveries.
    func cancel(_ deliveries: inout Deliveries) { state.withLock { Self.cancel(&$0) }?.tell(&deliveries) }

    /// Removes the listener of a reader that has stopped waiting; when it was the last one, the work is cancelled.
    ///
    /// By the cancellation that made the reader stop, if one did: the work may be a task that waits for another future.
    func remove(_ identifier: UInt64) { Deliveries.ending { remove(identifier, &$0) } }

    /// As ``remove(_:)``, by way of the deliveries.
    ///
    /// Both in one step: whoever begins to listen meanwhile is either in time, or finds the future settled.
    func remove(_ identifier: UInt64, _ deliveries: inout Deliveries) {
        let (removed, cancelled) = state.withLock { state -> (Listener?, Cancelled?) in
            guard let index = Self.index(of: identifier, in: state) else { return (nil, nil) }
            let removed = state.listeners.remove(at: index).listener
            return (removed, state.listeners.isEmpty ? Self.cancel(&state) : nil)
        }
        // Released outside the lock: what it captured may use this future.
        withExtendedLifetime(removed) {}
        cancelled?.tell(&deliveries)
    }

    /// Says how to stop the work; at once, if the future was cancelled before.
    func onCancel(_ handler: @escaping CancellationHandler) { Deliveries.drained { onCancel(handler, &$0) } }

    /// As ``onCancel(_:)``, by way of the deliveries.
    func onCancel(_ handler: @escaping CancellationHandler, _ deliveries: inout Deliveries) {
        let (isCancelled, former) = state.withLock { state in
            let former = state.onCancel
            if state.outcome == nil { state.onCancel = handler }
            return (state.isCancelled, former)
        }
        withExtendedLifetime(former) {}
        if isCancelled { deliveries.push(handler) }
    }

    /// Says how to stop the work, unless somebody has said so already.
    func offerOnCancel(_ handler: @escaping CancellationHandler) {
        let isCancelled = state.withLock { state in
            if state.outcome == nil, state.onCancel == nil { state.onCancel = handler }
            return state.isCancelled
        }
        if isCancelled { Deliveries.drained { $0.push(handler) } }
    }

    /// What is told outside the lock once a future is cancelled.
    private struct Cancelled {
        let outcome: Outcome
        let released: Released

        /// The listeners first: what the work answers to being stopped is nobody's outcome.
        func tell(_ deliveries: inout Deliveries) {
            if let handler = released.onCancel { deliveries.push(handler) }
            released.tell(outcome, &deliveries)
        }
    }

    private static func cancel(_ state: inout State) -> Cancelled? {
        let outcome = Outcome.failure(Failure(CancellationError(), issues: .shared))
        guard let released = end(&state, with: outcome) else { return nil }
        state.isCancelled = true
        return Cancelled(outcome: outcome, released: released)
    }

    private static func index(of identifier: UInt64, in state: State) -> Int? {
        var (low, high) = (0, state.listeners.count)
        while low < high {
            let middle = (low + high) / 2
            if state.listeners[middle].identifier < identifier { low = middle + 1 } else { high = middle }
        }
        return low < state.listeners.count && state.listeners[low].identifier == identifier ? low : nil
    }
}

/// How a future settled.
enum FutureOutcome<Value: Sendable>: Sendable {
    case value(Value)
    case failure(Failure)

    init(catching work: () throws -> Value) {
        do { self = .value(try work()) } catch { self = .failure(Failure(error, issues: .shared)) }
    }

    /// What listens to it has taken the error upon itself.
    var taken: Result<Value, any Error> {
        switch self {
        case .value(let value): .success(value)
        case .failure(let failure): .failure(failure.takeError())
        }
    }

    /// Marks the failure as handled: the reader that waited for the outcome has received another one.
    func dismiss() { if case .failure(let failure) = self { failure.dismiss() } }
}
