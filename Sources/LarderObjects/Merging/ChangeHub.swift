#if Objects
internal import Synchronization

/// Hands every change set to whoever listens.
final class ChangeHub: Sendable {
    private struct State {
        var readers: [UInt64: AsyncStream<ChangeSet>.Continuation] = [:]
        var next: UInt64 = 0
        var isFinished = false
    }
    private let state = Mutex(State())

    func send(_ changes: ChangeSet) {
        for reader in state.withLock({ Array($0.readers.values) }) { reader.yield(changes) }
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
        let token = state.withLock { state -> UInt64? in
            guard !state.isFinished else { return nil }
            state.next += 1
            state.readers[state.next] = continuation
            return state.next
        }
        guard let token else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.readers.removeValue(forKey: token) }
        }
        return stream
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
    func merge(_ changes: ChangeSet) {
        guard !changes.isEmpty else { return }
        viewObjects.merge(changes)
        hub.send(changes)
    }
}
#endif
