import Synchronization

/// A hub that delivers the commits of one store to its observers.
///
/// A store calls ``publish(_:)`` while it holds its own lock, so that the calls are made in commit order, and ``deliver()`` after it has
/// released the lock. If ``isObserved`` is `false`, the store may skip both calls. Reading ``isObserved`` costs one relaxed load.
public final class StoreChangeHub: Sendable {
    private struct State {
        var observers: [UInt64: Observer] = [:]
        var nextIdentifier: UInt64 = 0
        /// The undelivered events, each with the identifiers of the handlers to call, in ascending order.
        var queue = Queue<(event: StoreEvent, identifiers: [UInt64])>()
        var isDelivering = false
        var isFinished = false
    }

    private struct Observer {
        enum Receiver {
            case handler(@Sendable (StoreEvent) -> Void)
            case buffer(StoreChangeBuffer)
        }

        let prefix: String
        let receiver: Receiver

        /// The buffer of the observer's sequence, or `nil` if the observer is a handler.
        var buffer: StoreChangeBuffer? { if case .buffer(let buffer) = receiver { buffer } else { nil } }
        /// The observer's handler, or `nil` if the observer reads a sequence.
        var handler: (@Sendable (StoreEvent) -> Void)? {
            if case .handler(let handler) = receiver { handler } else { nil }
        }

        /// Returns the event limited to the keys with the observer's prefix, or `nil` if no changed key has this prefix.
        func part(of event: StoreEvent) -> StoreEvent? {
            guard case .change(let change) = event else { return event }
            return change.restricted(to: prefix).map { .change($0) }
        }
    }

    private let state = Mutex(State())
    private let observerCount = Atomic<Int>(0)

    /// A closure called with the change in the number of observers, which is negative when observers are removed.
    private let countChanged: (@Sendable (Int) -> Void)?

    /// Creates a hub without observers.
    public init() { countChanged = nil }

    /// Creates a hub without observers, for a store that combines the observer counts of several hubs.
    ///
    /// - Parameter countChanged: A closure that is called with the change in the number of observers while the hub holds no lock. For a new
    ///   observer, the call is made before the method that adds the observer returns.
    package init(countChanged: @escaping @Sendable (Int) -> Void) { self.countChanged = countChanged }

    /// Whether the store has at least one observer.
    ///
    /// A store without observers need not collect the old values of changed keys.
    public var isObserved: Bool { observerCount.load(ordering: .relaxed) > 0 }

    /// Adds one commit to the queue of every observer.
    ///
    /// This method neither calls handlers nor resumes readers. Call ``deliver()`` to do so.
    ///
    /// - Parameter change: The change, which must not contain unchanged values or reserved keys.
    public func publish(_ change: StoreChange) {
        guard !change.entries.isEmpty else { return }
        enqueue(.change(change))
    }

    /// Notifies every observer that commits made by another process could not be tracked individually.
    ///
    /// The notification is queued like a commit. Call ``deliver()`` afterwards.
    ///
    /// - Parameter count: The number of commits, at least 1.
    public func publishMissed(_ count: Int) { enqueue(.missed(count)) }

    private func enqueue(_ event: StoreEvent) {
        state.withLock { state in
            guard !state.observers.isEmpty, !state.isFinished else { return }
            for observer in state.observers.values {
                if let buffer = observer.buffer, let part = observer.part(of: event) { buffer.append(part) }
            }
            let handlers = state.observers.filter { $0.value.handler != nil }.keys.sorted()
            if !handlers.isEmpty { state.queue.append((event, handlers)) }
        }
    }

    /// Resumes waiting readers and calls the handlers for the queued events in order, one call at a time.
    ///
    /// Don't hold a lock when you call this method, because handlers and the executors of readers may run client code.
    ///
    /// If another thread is already calling handlers, that thread also delivers the newly queued events, and this method returns
    /// immediately.
    public func deliver() {
        guard isObserved else { return }
        for buffer in state.withLock({ $0.observers.values.compactMap(\.buffer) }) { buffer.wake() }
        let begins = state.withLock { state in
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        guard begins else { return }
        while let (event, identifiers) = next() {
            for identifier in identifiers {
                // The observer is looked up for each event, so that a canceled observer receives no further events.
                let observer = state.withLock { $0.observers[identifier] }
                if let handler = observer?.handler, let part = observer?.part(of: event) { handler(part) }
            }
        }
    }

    private func next() -> (event: StoreEvent, identifiers: [UInt64])? {
        state.withLock { state in
            let next = state.queue.popFirst()
            if next == nil { state.isDelivering = false }
            return next
        }
    }

    /// Calls `handler` for every event that occurs after this call; see ``KeyValueStore/observe(prefix:_:)``.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the keys to observe, compared bytewise.
    ///   - handler: A closure to call with each event, while no lock is held.
    /// - Returns: The observation, which ends when it is canceled or released.
    public func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        let identifier = add(Observer(prefix: prefix, receiver: .handler(handler)))
        return StoreObservation { [weak self] in self?.remove(identifier) }
    }

    /// Returns a sequence of the events that occur after this call; see ``KeyValueStore/changes(prefix:buffering:)``.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the keys to observe, compared bytewise.
    ///   - buffering: The policy for commits that the reader has not read yet.
    /// - Returns: A sequence for a single reader.
    public func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        let buffer = StoreChangeBuffer(buffering)
        let identifier = add(Observer(prefix: prefix, receiver: .buffer(buffer)))
        return StoreChanges(
            buffer: buffer,
            observation: StoreObservation { [weak self] in
                self?.remove(identifier)
                buffer.finish()
            }
        )
    }

    /// Ends all sequences and observations.
    ///
    /// A store calls this method when it is closed.
    public func finish() {
        // The observers and the queued events are moved out of the state, so that they are released outside the lock.
        let (observers, queue) = state.withLock { state in
            state.isFinished = true
            defer {
                state.observers = [:]
                state.queue.removeAll()
            }
            return (state.observers, state.queue)
        }
        withExtendedLifetime(queue) {}
        observerCount.store(0, ordering: .relaxed)
        if !observers.isEmpty { countChanged?(-observers.count) }
        for observer in observers.values { observer.buffer?.finish() }
    }

    private func add(_ observer: Observer) -> UInt64 {
        let (identifier, isFinished) = state.withLock { state in
            state.nextIdentifier += 1
            if !state.isFinished {
                state.observers[state.nextIdentifier] = observer
                observerCount.store(state.observers.count, ordering: .relaxed)
            }
            return (state.nextIdentifier, state.isFinished)
        }
        if isFinished { observer.buffer?.finish() } else { countChanged?(1) }
        return identifier
    }

    private func remove(_ identifier: UInt64) {
        // The observer is released outside the lock, because values captured by its handler may end other observations of this hub.
        let removed = state.withLock { state in
            let removed = state.observers.removeValue(forKey: identifier)
            observerCount.store(state.observers.count, ordering: .relaxed)
            return removed
        }
        if removed != nil { countChanged?(-1) }
        withExtendedLifetime(removed) {}
    }
}

/// A running observation of a store.
///
/// The observation ends when you cancel it or release the last reference to it.
public final class StoreObservation: Sendable {
    private let end: Mutex<(@Sendable () -> Void)?>

    /// Creates an observation that calls `end` at most once.
    ///
    /// - Parameter end: A closure that stops the delivery of further events.
    public init(_ end: @escaping @Sendable () -> Void) { self.end = Mutex(end) }

    deinit { cancel() }

    /// Ends the observation.
    ///
    /// After this method returns, no new handler call begins. A call that began earlier may still be running on another thread. Canceling
    /// an observation again has no effect.
    public func cancel() {
        let end = end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }
}
