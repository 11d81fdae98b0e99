import Synchronization

/// An asynchronous sequence of a store's commits, for one reader; see ``KeyValueStore/changes(prefix:buffering:)``.
///
/// The sequence begins with the first commit made after the sequence was created, even if iteration starts later. Iterate over the sequence
/// only once.
public struct StoreChanges: AsyncSequence, Sendable {
    /// The type of the elements that the sequence produces.
    public typealias Element = StoreEvent

    let buffer: StoreChangeBuffer
    let observation: StoreObservation
    /// The transformation to apply to each key, or `nil` to deliver keys unchanged.
    var keyTransform: (@Sendable (String) -> String)?

    /// Returns a sequence of the same events in which `transform` has been applied to every key.
    package func mappingKeys(_ transform: @escaping @Sendable (String) -> String) -> StoreChanges {
        var mapped = self
        if let keyTransform {
            mapped.keyTransform = { transform(keyTransform($0)) }
        } else {
            mapped.keyTransform = transform
        }
        return mapped
    }

    /// An iterator over the events in a sequence of changes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let buffer: StoreChangeBuffer
        /// The observation that fills the buffer, retained for the lifetime of this iterator.
        let observation: StoreObservation
        let keyTransform: (@Sendable (String) -> String)?

        /// Returns the next event, or `nil` if the task was canceled or the store was closed.
        ///
        /// - Returns: The next event, or `nil` at the end of the sequence.
        public mutating func next() async -> StoreEvent? {
            await withTaskCancellationHandler {
                await buffer.next().map(mapped)
            } onCancel: { [observation] in
                observation.cancel()
            }
        }

        /// Returns the next event, or `nil` if the task was canceled or the store was closed.
        ///
        /// - Parameter actor: The caller's isolation.
        /// - Returns: The next event, or `nil` at the end of the sequence.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> StoreEvent? {
            await withTaskCancellationHandler {
                await buffer.next().map(mapped)
            } onCancel: { [observation] in
                observation.cancel()
            }
        }

        private func mapped(_ event: StoreEvent) -> StoreEvent { keyTransform.map(event.mappingKeys) ?? event }
    }

    /// Returns an iterator over the events.
    ///
    /// Create only one iterator for each sequence.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(buffer: buffer, observation: observation, keyTransform: keyTransform)
    }
}

extension StoreEvent {
    /// Returns a copy of this event in which `transform` has been applied to every key.
    package func mappingKeys(_ transform: (String) -> String) -> StoreEvent {
        guard case .change(let change) = self else { return self }
        return .change(
            StoreChange(
                entries: change.entries.map { .init(key: transform($0.key), old: $0.old, new: $0.new) },
                origin: change.origin
            )
        )
    }
}

extension StoreChanges {
    /// Creates a sequence of the events that an observation passes to its handler.
    ///
    /// - Parameters:
    ///   - buffering: The policy for commits that the reader has not read yet.
    ///   - observe: A closure that starts the observation with the given handler. The sequence ends when the store releases the handler,
    ///     for example when the store is closed.
    package init(
        buffering: StoreChangeBuffering,
        observe: (_ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation
    ) {
        let buffer = StoreChangeBuffer(buffering)
        let feed = StoreChangeFeed(buffer)
        let observation = observe { event in
            feed.buffer.append(event)
            feed.buffer.wake()
        }
        self.init(
            buffer: buffer,
            observation: StoreObservation {
                observation.cancel()
                buffer.finish()
            }
        )
    }
}

/// An object that ends a sequence of changes when it is deallocated.
///
/// Only the handler of an observation retains the object, so the sequence ends when the store releases the handler.
private final class StoreChangeFeed: Sendable {
    let buffer: StoreChangeBuffer

    init(_ buffer: StoreChangeBuffer) { self.buffer = buffer }

    deinit { buffer.finish() }
}

/// A buffer of the events that one reader has not read yet.
///
/// A store appends events while it holds its lock, and wakes the reader after it has released the lock, because the reader's executor may
/// run client code.
final class StoreChangeBuffer: Sendable {
    private typealias Reader = CheckedContinuation<StoreEvent?, Never>

    private struct State {
        /// The unread commits, used if the buffering policy is `.all`.
        var changes = Queue<StoreChange>()
        /// The unread commits merged into one, used if the buffering policy is `.latest`.
        var latest = MergedChange()
        var missed = 0
        var isFinished = false
        var waiting: Reader?
    }

    private let state = Mutex(State())
    private let buffering: StoreChangeBuffering

    init(_ buffering: StoreChangeBuffering) { self.buffering = buffering }

    /// Adds an event to the buffer without resuming the reader; see ``wake()``.
    func append(_ event: StoreEvent) {
        state.withLock { state in if !state.isFinished { add(event, to: &state) } }
    }

    /// Resumes a waiting reader if an event is available or the sequence has ended.
    func wake() {
        let woken = state.withLock { state -> (reader: Reader, event: StoreEvent?)? in
            guard let reader = state.waiting, let event = Self.take(&state) else { return nil }
            state.waiting = nil
            return (reader, event)
        }
        if let woken { woken.reader.resume(returning: woken.event) }
    }

    private func add(_ event: StoreEvent, to state: inout State) {
        switch (buffering, event) {
        case (_, .missed(let count)):
            // The unread events precede the missed commits, so the reader has to read the values again anyway.
            state.missed += count + state.changes.count + state.latest.count
            state.changes.removeAll()
            state.latest = MergedChange()
        case (.all(let limit), .change(let change)):
            state.changes.append(change)
            while state.changes.count > max(1, limit) {
                _ = state.changes.popFirst()
                state.missed += 1
            }
        case (.latest, .change(let change)): state.latest.add(change)
        }
    }

    func next() async -> StoreEvent? {
        await withCheckedContinuation { continuation in
            let (ready, former): (StoreEvent??, Reader?) = state.withLock { state in
                if let ready = Self.take(&state) { return (.some(ready), nil) }
                defer { state.waiting = continuation }
                return (nil, state.waiting)
            }
            // Concurrent readers are a usage error. The earlier reader receives `nil`, so that it does not wait forever.
            former?.resume(returning: nil)
            if let ready { continuation.resume(returning: ready) }
        }
    }

    func finish() {
        state.withLock { $0.isFinished = true }
        wake()
    }

    /// Removes and returns the next event.
    ///
    /// The result is `.some(nil)` at the end of the sequence, and `nil` if the reader has to wait.
    private static func take(_ state: inout State) -> StoreEvent?? {
        if state.missed > 0 {
            defer { state.missed = 0 }
            return .some(.missed(state.missed))
        }
        if let change = state.changes.popFirst() { return .some(.change(change)) }
        if let change = state.latest.take() { return .some(.change(change)) }
        return state.isFinished ? .some(nil) : nil
    }
}

/// Several commits merged into one, with the first old value and the last new value of each key.
private struct MergedChange {
    /// The number of merged commits.
    private(set) var count = 0
    private var entries: [StoreChange.Entry] = []
    private var positions: [StoreKey: Int] = [:]
    private var origin = StoreChange.Origin.thisProcess

    mutating func add(_ change: StoreChange) {
        count += 1
        origin = change.origin
        for entry in change.entries {
            if let position = positions[StoreKey(entry.key)] {
                entries[position] = StoreChange.Entry(key: entry.key, old: entries[position].old, new: entry.new)
            } else {
                positions[StoreKey(entry.key)] = entries.count
                entries.append(entry)
            }
        }
    }

    /// Removes and returns the merged commit, or returns `nil` if every key has its original value again.
    mutating func take() -> StoreChange? {
        defer { self = MergedChange() }
        let changed = entries.filter { $0.old != $0.new }
        return changed.isEmpty ? nil : StoreChange(entries: changed, origin: origin)
    }
}
