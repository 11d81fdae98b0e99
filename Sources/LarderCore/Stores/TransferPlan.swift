/// A plan for copying entries to another store, which lists the entries that the destination accepts or rejects.
struct TransferPlan {
    /// The entries that the destination accepts.
    var accepted: [StoreEntry] = []
    private(set) var refused: [StoreTransfer.Refusal] = []
    private let total: Int

    init(_ entries: [StoreEntry], into destination: any KeyValueStore, progress: (StoreProgress) -> Void = { _ in }) {
        total = 2 * entries.count
        for (number, entry) in entries.enumerated() {
            do {
                try destination.validate(entry.value, for: StoreKey(entry.key))
                accepted.append(entry)
            } catch {
                let reason = (error as? StoreError)?.message ?? ErrorCause.text(error)
                refused.append(.init(key: entry.key, kind: entry.value.kind, reason: reason))
            }
            progress(StoreProgress(completed: number + 1, total: total))
        }
    }

    /// Reads the entries back after the commit, and returns the result of the transfer.
    ///
    /// Entries that can't be read back are listed in the result. The commit is not undone.
    func outcome(in destination: any KeyValueStore, progress: (StoreProgress) -> Void = { _ in }) -> StoreTransfer {
        var altered: [String] = []
        var unreadable: [StoreTransfer.Unreadable] = []
        for (number, entry) in accepted.enumerated() {
            do {
                if try destination.get(StoreKey(entry.key)) != entry.value { altered.append(entry.key) }
            } catch {
                unreadable.append(.init(key: entry.key, reason: ErrorCause.text(error)))
            }
            progress(StoreProgress(completed: total / 2 + number + 1, total: total))
        }
        progress(StoreProgress(completed: total, total: total))
        return StoreTransfer(copied: accepted.map(\.key), altered: altered, unreadable: unreadable, refused: refused)
    }
}
