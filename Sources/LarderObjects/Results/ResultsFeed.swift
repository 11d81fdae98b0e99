#if Objects
internal import Synchronization

/// A broadcaster that sends the snapshots of a list to all iterators.
final class ResultsFeed: Sendable {
    private struct Reader {
        weak var mailbox: ResultsMailbox?
    }
    private struct State {
        var newest: ResultsSnapshot
        var readers: [Reader] = []
        var isFinished = false
    }
    private let state: Mutex<State>

    /// Creates a feed with the current snapshot.
    init(_ snapshot: ResultsSnapshot) { state = Mutex(State(newest: snapshot)) }

    func send(_ snapshot: ResultsSnapshot, _ changes: ResultsChanges) {
        let mailboxes = state.withLock { state in
            state.newest = snapshot
            state.readers.removeAll { $0.mailbox == nil }
            return state.readers.compactMap(\.mailbox)
        }
        // An iterator may run the caller's code at once, which may use the list.
        for mailbox in mailboxes { mailbox.put(snapshot, changes) }
    }

    /// Ends all iterators after their last snapshot.
    func finish() {
        let mailboxes = state.withLock { state in
            defer { state.readers = [] }
            state.isFinished = true
            return state.readers.compactMap(\.mailbox)
        }
        for mailbox in mailboxes { mailbox.finish() }
    }

    /// Returns a mailbox that contains the current snapshot and receives all later ones.
    func subscribe() -> ResultsMailbox {
        state.withLock { state in
            let mailbox = ResultsMailbox(state.newest)
            if state.isFinished { mailbox.finish() } else { state.readers.append(Reader(mailbox: mailbox)) }
            return mailbox
        }
    }
}
#endif
