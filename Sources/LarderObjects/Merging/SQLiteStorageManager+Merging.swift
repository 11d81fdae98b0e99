#if Objects
internal import Dispatch
internal import LarderCore

extension SQLiteStorageManager {
    /// A stream of the changes made by future saves, in the order of their commits.
    ///
    /// The stream includes the saves of other managers, processes and programs. It produces a change set after the view storage has merged
    /// the changes, and ends when the manager is closed. The stream's buffer is unbounded.
    public var changes: AsyncStream<ChangeSet> { hub.stream() }

    /// Merges all saves that are known into the objects of the view storage, then notifies the observers and the lists.
    ///
    /// - Parameters:
    ///   - token: The token of a save of this manager that must be included. If it has already been merged, it is not merged again.
    ///   - isOnViewQueue: Whether the caller is on the view's queue. If not, the lists are notified later.
    func merge(upTo token: Int64?, isOnViewQueue: Bool = true) {
        if let token, !inbox.knows(token) { readOthers(upTo: token) }
        // Two threads may merge, so the saves are taken while no other thread merges later ones.
        viewObjects.exclusively {
            let saves = inbox.take()
            guard var changes = saves.first?.changes else { return }
            for save in saves.dropFirst() { changes.add(save.changes) }
            viewObjects.merge(changes)
            for save in saves { hub.queue { ChangeSet(save, model, timeline: inbox.timeline) } }
        }
        // Observers run the caller's code.
        hub.send()
        // Another thread may have merged the save, without having updated the lists.
        if isOnViewQueue {
            viewObjects.updateListsAfterMerge()
        } else {
            viewQueue.async { self.viewObjects.updateListsAfterMerge() }
        }
    }

    /// Reads the saves of others that precede a save of this manager.
    private func readOthers(upTo token: Int64) {
        do {
            try inbox.readOthers(readCommitted)
        } catch {
            reportUnread(error)
            inbox.miss(upTo: token)
        }
    }

    /// Reads the saves of other managers, processes and programs, and queues their merge.
    ///
    /// This method is called on a background thread after a write to the log.
    func followOthers() {
        // Nothing is read from a file that replaced the database. The next save throws an error.
        guard isInPlace else { return }
        do {
            try inbox.readOthers(readCommitted)
        } catch {
            reportUnread(error)
        }
        guard inbox.queueMerge() else { return }
        viewQueue.async { [weak self] in self?.merge(upTo: nil) }
    }

    /// Whether the database's files have been neither moved nor replaced.
    private var isInPlace: Bool { (try? place.check()) != nil }

    /// Reads one snapshot of the database, unless the manager was closed.
    private func readCommitted(_ body: (StatementCache) throws -> Void) throws {
        // The view's lock is held, because close() must not close the connections at the same time.
        try viewObjects.exclusively {
            // A failure of a relationship is kept for the next read of the caller.
            guard let source = viewObjects.source else { throw ObjectContext.expired }
            try source.read(body)
        }
    }

    private func reportUnread(_ error: any Error) {
        // The manager may be closed at any time.
        guard !isClosed, inbox.noteFailure() else { return }
        issues.report(
            LarderIssue(
                .readFailed,
                "The saves of other processes could not be read, so the view's objects may keep old values. "
                    + "Resolve the underlying error, then open the database again.",
                // A file that replaced the database may look corrupt.
                underlying: isInPlace ? health.noting(error) : error
            )
        )
    }
}
#endif
