#if Objects
/// A list that belongs to the view, and is updated after each merge.
protocol ViewList: AnyObject {
    /// Reads what a save may have changed, without calling client code.
    func prepare(_ changes: MergedChanges, _ statements: StatementCache)
    /// Records that nothing could be read for a save.
    func fail(_ error: any Error)
    /// Shows what was read, or the error.
    func publish()
    /// Notifies the delegate of the changes that were published.
    func deliver()
    /// Ends the sequences of updates, because the manager was closed.
    func finish()
}

/// The lists of a view, without ownership.
struct ViewLists {
    private struct Entry {
        weak var list: (any ViewList)?
    }
    private var entries: [Entry] = []

    mutating func add(_ list: any ViewList) {
        entries.removeAll { $0.list == nil }
        entries.append(Entry(list: list))
    }

    var all: [any ViewList] { entries.compactMap(\.list) }
}

extension ObjectContext {
    /// Adds a list to be updated after each merge, and ends the list's sequences if the manager was closed.
    func add(_ list: any ViewList) {
        let isOpen = exclusively {
            lists.add(list)
            return source != nil
        }
        if !isOpen { list.finish() }
    }

    /// Reads a list from one snapshot of the database.
    ///
    /// The closure must not call client code.
    func readList<Result>(_ body: (StatementCache) throws -> Result) throws -> Result {
        try exclusively { try reading([], body) }
    }

    /// Updates the lists of the view after the view has merged a save.
    ///
    /// Delegates are notified after all lists have been updated. The caller must be on the view's queue.
    func updateLists(_ changes: RowChanges) {
        let lists = exclusively { () -> [any ViewList] in
            let lists = self.lists.all
            guard let source, !lists.isEmpty else { return [] }
            let changes = MergedChanges(changes, model, queries: queries)
            do {
                try source.read { statements in
                    for list in lists { list.prepare(changes, statements) }
                }
            } catch {
                let error = health.noting(error, report: report)
                for list in lists { list.fail(error) }
            }
            return lists
        }
        for list in lists { list.publish() }
        for list in lists { list.deliver() }
    }

    /// Ends the sequences of updates.
    func finishLists() {
        for list in exclusively({ lists.all }) { list.finish() }
    }
}
#endif
