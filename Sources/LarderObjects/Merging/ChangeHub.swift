#if Objects
internal import Dispatch
internal import Synchronization

/// A broadcaster that sends the change set of each save to all observers.
final class ChangeHub: Sendable {
    private struct Reader: Sendable {
        let receive: @Sendable (ChangeSet) -> Void
        let finish: @Sendable () -> Void
    }
    private struct State {
        var readers: [UInt64: Reader] = [:]
        var next: UInt64 = 0
        var isFinished = false
    }
    private let state = Mutex(State())

    var isFinished: Bool { state.withLock(\.isFinished) }

    /// Sends a change set to all observers, if there are any.
    func send(_ changes: () -> ChangeSet) {
        let readers = state.withLock { Array($0.readers.values) }
        guard !readers.isEmpty else { return }
        let changes = changes()
        for reader in readers { reader.receive(changes) }
    }

    func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }

    func stream() -> AsyncStream<ChangeSet> {
        let (stream, continuation) = AsyncStream.makeStream(of: ChangeSet.self)
        register(continuation) { continuation.yield($0) }
        return stream
    }

    /// Returns a stream that sends a signal for each change set, and buffers at most one signal.
    func signals() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        register(continuation) { _ in continuation.yield() }
        return stream
    }

    private func register<Element>(
        _ continuation: AsyncStream<Element>.Continuation,
        _ receive: @escaping @Sendable (ChangeSet) -> Void
    ) {
        let token = state.withLock { state -> UInt64? in
            guard !state.isFinished else { return nil }
            state.next += 1
            state.readers[state.next] = Reader(receive: receive, finish: { continuation.finish() })
            return state.next
        }
        guard let token else { return continuation.finish() }
        continuation.onTermination = { [weak self] _ in
            // The observer is released outside the lock, because it may hold the caller's values.
            _ = self?.state.withLock { $0.readers.removeValue(forKey: token) }
        }
    }
}

extension SQLiteStorageManager {
    /// A stream of the changes made by future saves.
    ///
    /// The stream produces a change set after the view storage has merged the changes, and ends when the manager is closed. The stream's
    /// buffer is unbounded.
    public var changes: AsyncStream<ChangeSet> { hub.stream() }

    /// Merges the changes made by a save into the objects of the view storage, then notifies the lists and the observers.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - isOnViewQueue: Whether the caller is on the view's queue. If not, the lists are notified later.
    func merge(_ changes: RowChanges, isOnViewQueue: Bool = true) {
        guard !changes.isEmpty else { return }
        viewObjects.merge(changes)
        if isOnViewQueue {
            viewObjects.updateLists(changes)
        } else {
            viewQueue.async { self.viewObjects.updateLists(changes) }
        }
        hub.send { ChangeSet(changes, model) }
    }
}
#endif
