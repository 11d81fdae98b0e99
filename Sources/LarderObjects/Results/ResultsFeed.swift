#if Objects
internal import Synchronization

/// A broadcaster that sends the snapshots of a list to all iterators.
final class ResultsFeed<Snapshot: Sendable & Hashable>: Sendable {
    private struct Reader {
        weak var mailbox: ResultsMailbox<Snapshot>?
    }
    private struct State {
        var newest: Snapshot
        var readers: [Reader] = []
        var isFinished = false
    }
    private let state: Mutex<State>
    private let list: @Sendable (Snapshot) -> ResultsSnapshot

    /// Creates a feed.
    ///
    /// - Parameters:
    ///   - snapshot: The current snapshot.
    ///   - list: Returns the ids of a snapshot.
    init(_ snapshot: Snapshot, list: @escaping @Sendable (Snapshot) -> ResultsSnapshot) {
        state = Mutex(State(newest: snapshot))
        self.list = list
    }

    func send(_ snapshot: Snapshot, _ changes: ResultsChanges) {
        state.withLock { state in
            state.newest = snapshot
            state.readers.removeAll { $0.mailbox == nil }
            for reader in state.readers { reader.mailbox?.put(snapshot, changes) }
        }
    }

    /// Ends all iterators after their last snapshot.
    func finish() {
        state.withLock { state in
            state.isFinished = true
            for reader in state.readers { reader.mailbox?.finish() }
            state.readers = []
        }
    }

    /// Returns a mailbox that contains the current snapshot and receives all later ones.
    func subscribe() -> ResultsMailbox<Snapshot> {
        state.withLock { state in
            let mailbox = ResultsMailbox(state.newest, list: list)
            if state.isFinished { mailbox.finish() } else { state.readers.append(Reader(mailbox: mailbox)) }
            return mailbox
        }
    }
}

extension ResultsFeed<ResultsSnapshot> {
    convenience init(_ snapshot: ResultsSnapshot) { self.init(snapshot) { $0 } }
}
#endif
