#if Objects
internal import Synchronization

/// Hands every change set to whoever listens.
final class ChangeHub: Sendable {
    /// Somebody who listens.
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

    /// Makes the change set if anybody listens, and hands it over.
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

    /// One signal for any number of change sets that nobody has waited for.
    func signals(where concerns: @escaping @Sendable (ChangeSet) -> Bool) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        register(continuation) { if concerns($0) { continuation.yield() } }
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
            // Released outside the lock: it may hold values of the user's.
            _ = self?.state.withLock { $0.readers.removeValue(forKey: token) }
        }
    }
}

extension SQLiteStorageManager {
    /// What each save changed, from now on, after the view has it.
    ///
    /// It ends when the manager is closed.
    ///
    /// A change set that nobody has taken yet is kept until somebody does.
    public var changes: AsyncStream<ChangeSet> { hub.stream() }

    /// Brings a save into the view, then tells whoever listens.
    func merge(_ changes: RowChanges) {
        guard !changes.isEmpty else { return }
        viewObjects.merge(changes)
        hub.send { ChangeSet(changes, model) }
    }
}
#endif
