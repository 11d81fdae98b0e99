#if Objects
internal import Synchronization

/// A counter of the queries that a storage manager executes, for use in tests.
public final class QueryCounter: Sendable {
    private struct State {
        var total = 0
        var recordings: [UInt64: [String]] = [:]
        var next: UInt64 = 0
    }
    private let state = Mutex(State())
    /// The durations of the queries, while an inspection observes the manager.
    let meter = InspectionMeter()

    init() {}

    /// The number of queries executed so far.
    public var total: Int { state.withLock(\.total) }

    /// Runs `body`, and returns the SQL of all queries that the manager executes on any thread while `body` runs.
    ///
    /// - Parameter body: A closure that executes the queries to record.
    /// - Returns: The SQL statements in execution order.
    /// - Throws: The error that `body` throws.
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
