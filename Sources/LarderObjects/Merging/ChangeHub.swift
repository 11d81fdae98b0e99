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
#endif
