import Synchronization

/// The commits of a store as an asynchronous sequence for one reader; see ``KeyValueStore/changes(prefix:buffering:)``.
///
/// It begins with the first commit after it was made, not after iteration began. Iterate it once.
public struct StoreChanges: AsyncSequence, Sendable {
    /// One event after another.
    public typealias Element = StoreEvent

    let buffer: StoreChangeBuffer
    let observation: StoreObservation
    /// What becomes of each key before the reader sees it; for views of a store.
    var keyTransform: (@Sendable (String) -> String)?

    /// The same events with every key as `transform` makes it.
    package func mappingKeys(_ transform: @escaping @Sendable (String) -> String) -> StoreChanges {
        var mapped = self
        if let keyTransform {
            mapped.keyTransform = { transform(keyTransform($0)) }
        } else {
            mapped.keyTransform = transform
        }
        return mapped
    }

    /// Reads the events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let buffer: StoreChangeBuffer
        /// Kept so that the subscription lives as long as its reader.
        let observation: StoreObservation
        let keyTransform: (@Sendable (String) -> String)?

        /// The next event, or `nil` when the task was cancelled or the store was closed.
        ///
        /// - Returns: The next event.
        public mutating func next() async -> StoreEvent? {
            await withTaskCancellationHandler {
                await buffer.next().map(mapped)
            } onCancel: { [observation] in
                observation.cancel()
            }
        }

        /// The next event, or `nil` when the task was cancelled or the store was closed.
        ///
        /// - Parameter actor: The caller's isolation; no hop is made.
        /// - Returns: The next event.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> StoreEvent? {
            await withTaskCancellationHandler {
                await buffer.next().map(mapped)
            } onCancel: { [observation] in
                observation.cancel()
            }
        }

        private func mapped(_ event: StoreEvent) -> StoreEvent { keyTransform.map(event.mappingKeys) ?? event }
    }

    /// The one iterator of this sequence.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(buffer: buffer, observation: observation, keyTransform: keyTransform)
    }
}

extension StoreEvent {
    /// The same event with every key as `transform` makes it.
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
    /// What a handler is told, as a sequence: for stores that make something else of the events of another store.
    ///
    /// - Parameters:
    ///   - buffering: What to do when the reader falls behind.
    ///   - observe: Begins the observation. The sequence ends when whoever was given the handler lets go of it, as a store does that
    ///     is closed.
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

/// Ends the sequence of a buffer when the handler that holds this goes.
private final class StoreChangeFeed: Sendable {
    let buffer: StoreChangeBuffer

    init(_ buffer: StoreChangeBuffer) { self.buffer = buffer }

    deinit { buffer.finish() }
}

/// Unread events of one reader.
///
/// A store appends under its lock and wakes the reader once it holds none: a task's executor may be the user's own code.
final class StoreChangeBuffer: Sendable {
    private typealias Reader = CheckedContinuation<StoreEvent?, Never>

    private struct State {
        /// In `.all`, unread commits.
        var changes = Queue<StoreChange>()
        /// In `.latest`, unread commits merged into one.
        var latest = MergedChange()
        var missed = 0
        var isFinished = false
        var waiting: Reader?
    }

    private let state = Mutex(State())
    private let buffering: StoreChangeBuffering

    init(_ buffering: StoreChangeBuffering) { self.buffering = buffering }

    /// Keeps an event; a reader that waits gets it from ``wake()``.
    func append(_ event: StoreEvent) {
        state.withLock { state in if !state.isFinished { add(event, to: &state) } }
    }

    /// Resumes the reader if it waits and there is something for it.
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
            // Everything unread is older than the gap and will be read again anyway.
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
            // A second reader would be a mistake; the first one ends rather than waits for ever.
            former?.resume(returning: nil)
            if let ready { continuation.resume(returning: ready) }
        }
    }

    func finish() {
        state.withLock { $0.isFinished = true }
        wake()
    }

    /// What the reader gets next: an event, `nil` in it at the end; `nil` when there is nothing yet.
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

/// Commits merged into one: for each key the first old value and the last new one.
private struct MergedChange {
    /// How many commits are in it.
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

    /// The merged commit, or `nil` when every key came back to the value it had.
    ///
    /// Nothing is left behind.
    mutating func take() -> StoreChange? {
        defer { self = MergedChange() }
        let changed = entries.filter { $0.old != $0.new }
        return changed.isEmpty ? nil : StoreChange(entries: changed, origin: origin)
    }
}
