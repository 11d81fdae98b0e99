import Synchronization

/// Where a store announces its commits and observers wait for them: one for each store.
///
/// A store calls ``publish(_:)`` while it still holds its own lock, so that the order of calls is the commit order, and
/// ``deliver()`` after it has released it. Without an observer ``isObserved`` costs one relaxed load and neither is called.
public final class StoreChangeHub: Sendable {
    private struct State {
        var observers: [UInt64: Observer] = [:]
        var nextIdentifier: UInt64 = 0
        /// Events with the handlers that were there when they happened, lowest identifier first.
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

        /// The buffer, of an observer that has one.
        var buffer: StoreChangeBuffer? { if case .buffer(let buffer) = receiver { buffer } else { nil } }
        /// The handler, of an observer that has one.
        var handler: (@Sendable (StoreEvent) -> Void)? {
            if case .handler(let handler) = receiver { handler } else { nil }
        }

        /// What of an event concerns the observer.
        func part(of event: StoreEvent) -> StoreEvent? {
            guard case .change(let change) = event else { return event }
            return change.restricted(to: prefix).map { .change($0) }
        }
    }

    private let state = Mutex(State())
    private let observerCount = Atomic<Int>(0)

    /// Told how many observers more, or fewer, there are.
    private let countChanged: (@Sendable (Int) -> Void)?

    /// A hub without observers.
    public init() { countChanged = nil }

    /// A hub without observers, for a store that has several and wants to ask but once whether anybody listens.
    ///
    /// - Parameter countChanged: Called with how many observers more, or fewer, there are: before the first event can reach one
    ///   that is new, and outside every lock of the hub.
    package init(countChanged: @escaping @Sendable (Int) -> Void) { self.countChanged = countChanged }

    /// Whether anybody is listening: if not, a store need not even collect old values.
    public var isObserved: Bool { observerCount.load(ordering: .relaxed) > 0 }

    /// Notes one commit for every observer.
    ///
    /// Runs no observer's code, and resumes no reader: ``deliver()`` does.
    ///
    /// - Parameter change: Entries whose value stayed the same, or whose key is reserved, are left out by the caller.
    public func publish(_ change: StoreChange) {
        guard !change.entries.isEmpty else { return }
        enqueue(.change(change))
    }

    /// Notes that commits of another process could not be followed one by one.
    ///
    /// - Parameter count: How many, at least one.
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

    /// Resumes the readers that wait for what was published, and calls the handlers for it, in order, one call at a time.
    ///
    /// Call it without holding any lock: a reader's executor, like a handler, may be the user's own code.
    ///
    /// When another thread is already calling handlers, it takes over what is queued and this returns at once.
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
                // Looked up anew each time: an observer that was cancelled meanwhile hears nothing more.
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

    /// Calls `handler` for every event from now on; see ``KeyValueStore/observe(prefix:_:)``.
    ///
    /// - Parameters:
    ///   - prefix: Only changes of keys that begin with exactly these bytes.
    ///   - handler: Runs outside every lock.
    /// - Returns: The observation; it ends when cancelled or released.
    public func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        let identifier = add(Observer(prefix: prefix, receiver: .handler(handler)))
        return StoreObservation { [weak self] in self?.remove(identifier) }
    }

    /// The events from now on, as a sequence; see ``KeyValueStore/changes(prefix:buffering:)``.
    ///
    /// - Parameters:
    ///   - prefix: Only changes of keys that begin with exactly these bytes.
    ///   - buffering: What to do when the reader falls behind.
    /// - Returns: A sequence for one reader.
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

    /// Ends every sequence and observation: the store is closed.
    public func finish() {
        // The queue too is released outside the lock, with the values in it.
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
        // Handed out of the lock before it is released: what its handler captured may end other observations of this hub.
        let removed = state.withLock { state in
            let removed = state.observers.removeValue(forKey: identifier)
            observerCount.store(state.observers.count, ordering: .relaxed)
            return removed
        }
        if removed != nil { countChanged?(-1) }
        withExtendedLifetime(removed) {}
    }
}

/// A running observation.
///
/// It ends when it is cancelled, or when the last reference to it goes.
public final class StoreObservation: Sendable {
    private let end: Mutex<(@Sendable () -> Void)?>

    /// An observation that is ended by `end`, at most once.
    ///
    /// - Parameter end: Stops the delivery of further events.
    public init(_ end: @escaping @Sendable () -> Void) { self.end = Mutex(end) }

    deinit { cancel() }

    /// Ends the observation.
    ///
    /// Harmless when it has ended. A call of the handler that has begun may still be running on
    /// another thread; none begins afterwards.
    public func cancel() {
        let end = end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }
}
