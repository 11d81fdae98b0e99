/// What a copy is going to write, and what it can't.
struct TransferPlan {
    /// What the destination takes.
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

    /// What became of it, once it was committed.
    ///
    /// The commit stands: an entry that can't be read back is named as that.
    func outcome(in destination: any KeyValueStore, progress: (StoreProgress) -> Void = { _ in }) -> StoreTransfer {
        var altered: [String] = []
        var unread: [StoreTransfer.Unread] = []
        for (number, entry) in accepted.enumerated() {
            do {
                if try destination.get(StoreKey(entry.key)) != entry.value { altered.append(entry.key) }
            } catch {
                unread.append(.init(key: entry.key, reason: ErrorCause.text(error)))
            }
            progress(StoreProgress(completed: total / 2 + number + 1, total: total))
        }
        progress(StoreProgress(completed: total, total: total))
        return StoreTransfer(carried: accepted.map(\.key), altered: altered, unread: unread, refused: refused)
    }
}
