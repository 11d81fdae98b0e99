#if Objects
/// The saves that a manager's view has not merged, in the order of their commits.
///
/// The manager adds its own saves when it commits them, and those of other managers and processes when it reads them from `larder_save`. A
/// token identifies a save, so a save that is added twice is merged once.
struct MergeLog: Sendable {
    /// A save by this manager, another manager or another program.
    struct Save: Sendable {
        /// The id of the save's last row in `larder_save`.
        let token: Int64
        fileprivate(set) var changes: RowChanges
        let origin: ChangeSet.Origin
        let author: String?
    }

    /// The maximum size of the saves of others, which is the number of saves, and of the rows and links that they list.
    ///
    /// If they are larger, because the view's queue is blocked for a long time, any object counts as changed.
    private static let limit = 1_000_000

    /// The token of the last save that the view has merged.
    private(set) var merged: Int64
    /// The token up to which the log contains every save that is not merged.
    private(set) var known: Int64
    /// The saves in ascending order of their tokens.
    private var saves: [Save] = []
    /// The save that this manager is committing, and the ids of its rows in `larder_save`.
    private var committing: (save: Save, rows: ClosedRange<Int64>)?
    /// The size of the saves of others.
    private var otherSize = 0

    /// Creates a log without saves.
    ///
    /// - Parameter token: The token of the newest save, which the view already contains.
    init(after token: Int64) { (merged, known) = (token, token) }

    // MARK: Own saves

    /// Notes that this manager is about to commit a save.
    ///
    /// From the commit on, another thread may read the save from the file, in which `rows` are the ids of its rows. It is not merged before
    /// ``didCommit()`` is called.
    mutating func willCommit(_ changes: RowChanges, author: String?, rows: ClosedRange<Int64>) {
        let save = Save(token: rows.upperBound, changes: changes, origin: .thisManager, author: author)
        committing = (save, rows)
    }

    /// Adds the save that was being committed, if any.
    mutating func didCommit() {
        guard let (save, rows) = committing else { return }
        committing = nil
        if rows.lowerBound <= known, !saves.contains(where: { $0.token == save.token }) {
            // Another program has deleted the newest saves, so that their tokens are used again.
            restart(after: rows.lowerBound - 1, entities: save.changes.entities.count)
        }
        put(save)
        if known + 1 == rows.lowerBound { known = rows.upperBound }
    }

    /// Notes that the save was rolled back.
    mutating func didNotCommit() { committing = nil }

    // MARK: Other saves

    /// Adds saves that were read from the file, except those that the log already contains.
    ///
    /// - Parameters:
    ///   - others: The saves after a token, which was ``known`` or lower.
    ///   - newest: The token of the newest save in the file at the time of reading.
    mutating func add(_ others: [Save], upTo newest: Int64) {
        for save in others where save.token > known { put(save) }
        known = max(known, newest)
        if otherSize > Self.limit { forgetOthers() }
    }

    /// Starts again with an earlier token, because saves that were known are no longer in the file.
    mutating func restart(after token: Int64, entities count: Int) {
        (saves, otherSize) = ([], 0)
        (merged, known) = (token - 1, token)
        put(.unknown(upTo: token, entities: count))
    }

    private mutating func put(_ save: Save) {
        // A new save is nearly always the newest.
        let place = saves.lastIndex { $0.token <= save.token }
        guard let place, saves[place].token == save.token else {
            saves.insert(save, at: place.map { $0 + 1 } ?? 0)
            otherSize += save.otherSize
            return
        }
        let existing = saves[place]
        otherSize -= existing.otherSize
        if save.origin == .thisManager { saves[place] = save }
        if save.changes.isComplete || existing.changes.isComplete { saves[place].changes.isComplete = true }
        otherSize += saves[place].otherSize
    }

    private mutating func forgetOthers() {
        guard let last = saves.last(where: { $0.origin != .thisManager }) else { return }
        saves.removeAll { $0.origin != .thisManager }
        otherSize = 0
        put(.unknown(upTo: last.token, entities: last.changes.entities.count))
    }

    // MARK: Merging

    /// Removes and returns the saves that can be merged, oldest first.
    mutating func take() -> [Save] {
        // A save that is being committed can't be merged, and neither can those after it.
        let end = min(known, committing.map { $0.rows.lowerBound - 1 } ?? known)
        guard end > merged else { return [] }
        merged = end
        let taken = Array(saves.prefix { $0.token <= end })
        saves.removeFirst(taken.count)
        for save in taken { otherSize -= save.otherSize }
        return taken
    }
}

extension MergeLog.Save {
    /// Creates an entry for saves that can't be read, so that any object may have changed.
    static func unknown(upTo token: Int64, entities count: Int) -> MergeLog.Save {
        var changes = RowChanges(entities: count)
        changes.isComplete = true
        return MergeLog.Save(token: token, changes: changes, origin: .otherManager, author: nil)
    }

    /// The size of the save if it is another manager's, and otherwise 0.
    fileprivate var otherSize: Int { origin == .thisManager ? 0 : 1 + changes.count }
}
#endif
