import Synchronization

/// The commits of a store as an asynchronous sequence for one reader; see ``KeyValueStore/changes(prefix:buffering:)``.
///
/// It begins with the first commit after it was made, not after iteration began. Iterate it once.
public struct StoreChanges: AsyncSequence, Sendable {
    /// One event after another.
    public typealias Element = StoreEvent

    let buffer: StoreChangeBuffer
    let observation: StoreObservation

    /// Reads the events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let buffer: StoreChangeBuffer
        /// Kept so that the subscription lives as long as its reader.
        let observation: StoreObservation

        /// The next event, or `nil` when the task was cancelled or the store was closed.
        ///
        /// - Returns: The next event.
        public mutating func next() async -> StoreEvent? {
            await withTaskCancellationHandler {
                await buffer.next()
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
                await buffer.next()
            } onCancel: { [observation] in
                observation.cancel()
            }
        }
    }

    /// The one iterator of this sequence.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(buffer: buffer, observation: observation) }
}

/// Unread events of one reader.
final class StoreChangeBuffer: Sendable {
    private struct State {
        var events: [StoreEvent] = []
        var missed = 0
        var isFinished = false
        var waiting: CheckedContinuation<StoreEvent?, Never>?
    }

    private let state = Mutex(State())
    private let buffering: StoreChangeBuffering

    init(_ buffering: StoreChangeBuffering) { self.buffering = buffering }

    func append(_ event: StoreEvent) {
        let waiting = state.withLock { state -> CheckedContinuation<StoreEvent?, Never>? in
            guard !state.isFinished else { return nil }
            if let waiting = state.waiting {
                state.waiting = nil
                return waiting
            }
            add(event, to: &state)
            return nil
        }
        waiting?.resume(returning: event)
    }

    private func add(_ event: StoreEvent, to state: inout State) {
        switch (buffering, event) {
        case (_, .missed(let count)):
            // Everything unread is older than the gap and will be read again anyway.
            state.missed += count + state.events.count
            state.events = []
        case (.all(let limit), .change):
            state.events.append(event)
            while state.events.count > max(1, limit) {
                state.events.removeFirst()
                state.missed += 1
            }
        case (.latest, .change(let change)):
            if case .change(let earlier)? = state.events.last {
                state.events = [.change(earlier.merged(with: change))]
            } else {
                state.events = [event]
            }
        }
    }

    func next() async -> StoreEvent? {
        await withCheckedContinuation { continuation in
            let ready: StoreEvent?? = state.withLock { state in
                if state.missed > 0 {
                    defer { state.missed = 0 }
                    return .some(.missed(state.missed))
                }
                if !state.events.isEmpty { return .some(state.events.removeFirst()) }
                if state.isFinished { return .some(nil) }
                // A second reader would be a mistake; the first one is let go rather than left waiting for ever.
                state.waiting?.resume(returning: nil)
                state.waiting = continuation
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }

    func finish() {
        let waiting = state.withLock { state in
            state.isFinished = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: nil)
    }
}

extension StoreChange {
    /// This change followed by `later`, as one.
    fileprivate func merged(with later: StoreChange) -> StoreChange {
        var merged = entries
        for entry in later.entries {
            if let index = merged.firstIndex(where: { $0.key.hasSameBytes(as: entry.key) }) {
                merged[index] = Entry(key: entry.key, old: merged[index].old, new: entry.new)
            } else {
                merged.append(entry)
            }
        }
        return StoreChange(entries: merged, origin: later.origin)
    }
}
