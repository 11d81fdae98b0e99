import LarderCore

extension Replicator {
    /// Rolls back pending commits that the engine has refused, and those that stood on them, in one local commit.
    ///
    /// - Parameters:
    ///   - refused: The commits, some of which another step may have removed.
    ///   - reason: Why they are rolled back.
    ///   - before: The number of leaps when they were sent, after which the refusal may no longer be true, or `nil` if it always is.
    /// - Returns: The result of the step, the number of commits that were rolled back, and the number of earlier rejected commits that were
    ///   removed from the list.
    /// - Throws: An error of the replica.
    func reject(
        _ refused: [PendingCommit],
        as reason: RejectedCommit.Reason,
        since before: Int? = nil
    ) async throws -> (step: ReplicationStep, rejected: Int, dropped: Int) {
        await beginChange()
        defer { endChange() }
        var isGone = false
        var (rejected, dropped) = (0, 0)
        let isMade = try await make {
            if let position = try replica.cursor()?.position { find(position) }
            isGone = before.map { $0 != leaps } ?? false
            guard !isGone else { return nil }
            var rebase = Rebase()
            rebase.removed = Set(refused.map(\.number).filter { queue[$0] != nil })
            isGone = rebase.removed.isEmpty
            guard !isGone else { return nil }
            var records = refused.filter { rebase.removed.contains($0.number) }.map { RejectedRecord(reason, $0) }
            for commit in queue.inOrder where !rebase.removed.contains(commit.number) {
                guard try stands(commit, on: rebase.removed) else { continue }
                rebase.removed.insert(commit.number)
                // If it isn't known whether the first one was made, later ones may have been sent and made too.
                records.append(RejectedRecord(reason == .unknown ? .unknown : .stoodOnRejected, commit))
            }
            var batch = try rebase.batch(queue, replica)
            dropped = try replica.note(records, keeping: maximumRejected, in: &batch)
            rejected = records.count
            return (rebase, batch)
        }
        if isGone { return (.advanced, 0, 0) }
        return isMade ? (.advanced, rejected, dropped) : (.conflicted, 0, 0)
    }

    /// Returns whether an expectation of a commit was about what removed commits wrote, and does not hold without them.
    private func stands(_ commit: PendingCommit, on removed: Set<Int64>) throws -> Bool {
        try commit.expectations.contains { expectation in
            switch expectation {
            case .value(let expected, let key):
                guard isWritten(key, by: removed, before: commit.number) else { return false }
                return try value(under: key, before: commit.number, without: removed) != expected
            case .entries(let expected, let prefix):
                let isAffected = queue.keys.contains {
                    $0.starts(with: prefix) && isWritten($0, by: removed, before: commit.number)
                }
                return try isAffected && listing(prefix, before: commit.number, without: removed) != expected
            }
        }
    }

    /// Returns whether one of `removed` was the last to write `key` before the commit with a number.
    private func isWritten(_ key: [UInt8], by removed: Set<Int64>, before number: Int64) -> Bool {
        queue.lastWriter(of: key, before: number).map { removed.contains($0.number) } ?? false
    }

    private func value(under key: [UInt8], before number: Int64, without removed: Set<Int64>) throws -> [UInt8]? {
        let last = queue.lastWriter(of: key, before: number, without: removed)
        let entry = try last.map { $0.entry(under: key) } ?? replica.confirmed(StoreKey(replicated: key))
        return entry.flatMap { $0.expiry.map { $0 > expiries.now } ?? true ? $0.value : nil }
    }

    private func listing(
        _ prefix: [UInt8],
        before number: Int64,
        without removed: Set<Int64>
    ) throws -> [ReplicationCommit.Pair] {
        let text = String(decoding: prefix, as: UTF8.self)
        let visible = try replica.base.entries(prefix: text).map { Array($0.key.utf8) }
        let keys = Set(visible).union(queue.keys.filter { $0.starts(with: prefix) })
        return try keys.sorted { $0.lexicographicallyPrecedes($1) }.compactMap { key in
            guard try !StoreKey(replicated: key).isReserved,
                let value = try value(under: key, before: number, without: removed)
            else { return nil }
            return ReplicationCommit.Pair(key: key, value: value)
        }
    }
}
