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
        /// The change sets that have not been sent, oldest first.
        var queued: [ChangeSet] = []
        var isSending = false
    }
    private let state = Mutex(State())

    var isFinished: Bool { state.withLock(\.isFinished) }

    /// Queues a change set, if there are observers.
    ///
    /// Call ``send()`` without holding a lock afterward.
    func queue(_ changes: () -> ChangeSet) {
        guard state.withLock({ !$0.readers.isEmpty }) else { return }
        let changes = changes()
        state.withLock { $0.queued.append(changes) }
    }

    /// Sends the queued change sets to all observers in order, unless another thread is sending them.
    func send() {
        let isFirst = state.withLock { state in
            defer { state.isSending = true }
            return !state.isSending
        }
        guard isFirst else { return }
        while let (changes, readers) = next() {
            for reader in readers { reader.receive(changes) }
        }
    }

    private func next() -> (ChangeSet, [Reader])? {
        state.withLock { state in
            state.isSending = !state.queued.isEmpty
            return state.isSending ? (state.queued.removeFirst(), Array(state.readers.values)) : nil
        }
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

    /// Calls a closure with each change set, on the thread that merges, until the returned closure is called.
    ///
    /// - Parameter receive: A closure that must return quickly.
    /// - Returns: A closure that ends the calls.
    func observe(_ receive: @escaping @Sendable (ChangeSet) -> Void) -> @Sendable () -> Void {
        let token = state.withLock { state -> UInt64? in
            guard !state.isFinished else { return nil }
            state.next += 1
            state.readers[state.next] = Reader(receive: receive, finish: {})
            return state.next
        }
        guard let token else { return {} }
        return { [weak self] in
            // The closure is released outside the lock, because it may hold the caller's values.
            _ = self?.state.withLock { $0.readers.removeValue(forKey: token) }
        }
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
