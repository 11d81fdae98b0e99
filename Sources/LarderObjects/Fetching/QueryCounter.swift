#if Objects
internal import Synchronization

/// Counts the queries of one manager, so that a test can say how many some work may take.
public final class QueryCounter: Sendable {
    private struct State {
        var total = 0
        var recordings: [UInt64: [String]] = [:]
        var next: UInt64 = 0
    }
    private let state = Mutex(State())

    init() {}

    /// How many queries there have been.
    public var total: Int { state.withLock(\.total) }

    /// The SQL of every query while `body` runs, from whatever thread.
    ///
    /// - Parameter body: What to watch.
    /// - Returns: The SQL of each, in order.
    /// - Throws: What `body` threw.
    public func recording(_ body: () throws -> Void) rethrows -> [String] {
        let token = state.withLock { state in
            state.next += 1
            state.recordings[state.next] = []
            return state.next
        }
        var isRecording = true
        defer { if isRecording { state.withLock { _ = $0.recordings.removeValue(forKey: token) } } }
        try body()
        isRecording = false
        return state.withLock { $0.recordings.removeValue(forKey: token) } ?? []
    }

    func count(_ sql: String) {
        state.withLock { state in
            state.total += 1
            for token in Array(state.recordings.keys) { state.recordings[token]?.append(sql) }
        }
    }
}
#endif
