import Foundation
import LarderCore
import Synchronization

/// What a future that has not settled yet shares with its copies and its resolver.
///
/// Listeners run outside the lock, on the thread that settles, in the order in which they were added.
@usableFromInline
final class PendingFuture<Value: Sendable>: Sendable {
    typealias Outcome = FutureOutcome<Value>
    typealias Listener = @Sendable (Outcome) -> Void

    private struct State {
        var outcome: Outcome?
        var listeners: [(identifier: UInt64, listener: Listener)] = []
        var nextIdentifier: UInt64 = 0
        var onCancel: (@Sendable () -> Void)?
        var isCancelled = false
    }

    private let state = Mutex(State())

    var outcome: Outcome? { state.withLock(\.outcome) }

    /// Settles the future, unless it has settled; `false` when it had.
    @discardableResult
    func settle(_ outcome: Outcome) -> Bool {
        let listeners: [Listener]? = state.withLock { state in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            state.onCancel = nil
            defer { state.listeners = [] }
            return state.listeners.map(\.listener)
        }
        guard let listeners else { return false }
        for listener in listeners { listener(outcome) }
        return true
    }

    /// Calls `listener` once: now, when the outcome is there, or when it comes.
    ///
    /// - Returns: What to remove the listener by, or `nil` when it was called.
    @discardableResult
    func listen(_ listener: @escaping Listener) -> UInt64? {
        let (outcome, identifier): (Outcome?, UInt64?) = state.withLock { state in
            if let outcome = state.outcome { return (outcome, nil) }
            state.nextIdentifier += 1
            state.listeners.append((state.nextIdentifier, listener))
            return (nil, state.nextIdentifier)
        }
        if let outcome { listener(outcome) }
        return identifier
    }

    /// Takes a listener away; when it was the last one, nobody wants the outcome and the work is cancelled.
    ///
    /// Both in one step: whoever begins to listen meanwhile is either in time, or finds the future settled.
    func remove(_ identifier: UInt64) {
        let cancelled = state.withLock { state -> Cancelled? in
            guard let index = state.listeners.firstIndex(where: { $0.identifier == identifier }) else { return nil }
            state.listeners.remove(at: index)
            return state.listeners.isEmpty ? Self.cancel(&state) : nil
        }
        cancelled?.tell()
    }

    /// Says how to stop the work; at once, if the future was cancelled before.
    func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            if state.outcome == nil { state.onCancel = handler }
            return state.isCancelled
        }
        if isCancelled { handler() }
    }

    /// Says how to stop the work, unless somebody has said so already.
    func offerOnCancel(_ handler: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            if state.outcome == nil, state.onCancel == nil { state.onCancel = handler }
            return state.isCancelled
        }
        if isCancelled { handler() }
    }

    /// Fails the future with `CancellationError` and stops the work behind it; nothing when it has settled.
    func cancel() { state.withLock { Self.cancel(&$0) }?.tell() }

    /// What is told outside the lock once a future is cancelled.
    private struct Cancelled {
        let outcome: Outcome
        let listeners: [Listener]
        let handler: (@Sendable () -> Void)?

        /// The listeners first: what the work answers to being stopped is nobody's outcome.
        func tell() {
            for listener in listeners { listener(outcome) }
            handler?()
        }
    }

    private static func cancel(_ state: inout State) -> Cancelled? {
        guard state.outcome == nil else { return nil }
        let outcome = Outcome.failure(Failure(CancellationError(), issues: .shared))
        let cancelled = Cancelled(
            outcome: outcome,
            listeners: state.listeners.map(\.listener),
            handler: state.onCancel
        )
        state.outcome = outcome
        state.isCancelled = true
        state.listeners = []
        state.onCancel = nil
        return cancelled
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
}
