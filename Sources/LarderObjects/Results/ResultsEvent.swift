#if Objects
/// A change of a list, of which its delegate is to be notified.
struct ResultsEvent {
    let old: ResultsSnapshot
    let new: ResultsSnapshot
    let changes: ResultsChanges

    /// Calls the delegate's methods in the order that ``ResultsControllerDelegate`` documents.
    func notify(_ delegate: (any ResultsControllerDelegate)?) {
        guard let delegate else { return }
        delegate.resultsWillChange(changes)
        for section in changes.deletedSections { delegate.resultsDidChangeSection(.delete(section)) }
        for section in changes.insertedSections {
            delegate.resultsDidChangeSection(.insert(section.index, title: section.title))
        }
        let oldPaths = Set(changes.moves.lazy.map(\.from))
        let newPaths = Set(changes.moves.lazy.map(\.to))
        for path in changes.deletions where !oldPaths.contains(path) {
            delegate.resultsDidChangeObject(old[path], .delete(path))
        }
        for insertion in changes.insertions where !newPaths.contains(insertion.path) {
            delegate.resultsDidChangeObject(insertion.id, .insert(insertion.path))
        }
        for move in changes.moves {
            delegate.resultsDidChangeObject(move.id, .move(from: move.from, to: move.to, properties: move.properties))
        }
        for update in changes.updates {
            delegate.resultsDidChangeObject(update.id, .update(update.path, properties: update.properties))
        }
        delegate.resultsDidChange(new, changes)
    }
}
#endif
