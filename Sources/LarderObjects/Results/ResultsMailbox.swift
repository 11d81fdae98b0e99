#if Objects
internal import Synchronization

/// The newest snapshot of a list, with the changes since the snapshot that an iterator returned last.
final class ResultsMailbox: Sendable {
    private struct State {
        /// The snapshot that the iterator returned last, or `nil` before the first one.
        var returned: ResultsSnapshot?
        var newest: ResultsSnapshot
        /// The number of merges since the returned snapshot.
        var count = 0
        /// The changes of the last merge.
        var last: ResultsChanges?
        /// The rows that were changed, moved or inserted, with the names of their changed properties, or `nil` if these are not known.
        var touched: [Int64: Set<String>?] = [:]

        mutating func add(_ changes: ResultsChanges) {
            count += 1
            last = changes
            for update in changes.updates { touch(update.id, update.properties) }
            for move in changes.moves { touch(move.id, move.properties) }
            let moved = Set(changes.moves.lazy.map(\.id))
            // An object that leaves the list and returns may have changed meanwhile.
            for insertion in changes.insertions where !moved.contains(insertion.id) { touch(insertion.id, nil) }
            // An object that has left the list is inserted if it returns, so only as many rows are kept as the list has.
            if touched.count > 2 * newest.count + 100 {
                touched = touched.filter { newest.index.key(of: $0.key) != nil }
            }
        }

        private mutating func touch(_ id: ObjectID, _ properties: Set<String>?) {
            let earlier = touched[id.rowID] ?? []
            touched[id.rowID] = .some(earlier.flatMap { earlier in properties.map { earlier.union($0) } })
        }
    }
    private let state: Mutex<State>
    private let continuation: AsyncStream<Void>.Continuation
    /// A stream that produces an element after a snapshot was put into the mailbox, and ends with the list.
    let signals: AsyncStream<Void>

    init(_ snapshot: ResultsSnapshot) {
        state = Mutex(State(newest: snapshot))
        (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func put(_ snapshot: ResultsSnapshot, _ changes: ResultsChanges) {
        state.withLock { state in
            state.newest = snapshot
            if state.returned != nil { state.add(changes) }
        }
        continuation.yield()
    }

    func finish() { continuation.finish() }

    /// Returns the newest snapshot with all changes since the last call, or `nil` if the list has not changed.
    func take() -> ResultsUpdate? {
        let state = self.state.withLock { state -> State? in
            guard state.returned == nil || state.count > 0 else { return nil }
            defer { state = State(returned: state.newest, newest: state.newest) }
            return state
        }
        guard let state else { return nil }
        guard let returned = state.returned else {
            return ResultsUpdate(snapshot: state.newest, changes: .none)
        }
        if state.count == 1, let changes = state.last { return ResultsUpdate(snapshot: state.newest, changes: changes) }
        // The changes are those between the two snapshots, because the paths in between were never returned.
        let changes = ResultsChanges(from: returned, to: state.newest, updated: state.touched)
        return ResultsUpdate(snapshot: state.newest, changes: changes)
    }
}
#endif
