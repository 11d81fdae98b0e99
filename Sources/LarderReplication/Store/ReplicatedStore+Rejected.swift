import LarderCore

extension ReplicatedStore {
    /// Returns the commits of this replica that were rolled back, oldest first.
    ///
    /// A commit is listed until ``discardRejected(through:)`` removes it, or until the list is longer than
    /// ``ReplicatedStoreOptions/maximumRejected``.
    ///
    /// - Returns: The rejected commits.
    /// - Throws: `StoreError` if the replica can't be read.
    public func rejected() throws -> [RejectedCommit] {
        try replica.consistently {
            try replica.rejectedList().numbers.compactMap { number in
                try replica.rejected(number)?.published(number)
            }
        }
    }

    /// Removes rejected commits from the list, after the program has handled them.
    ///
    /// - Parameter number: The ``RejectedCommit/number`` of the last commit to remove.
    /// - Throws: `StoreError` if the replica can't be written.
    public func discardRejected(through number: Int64) async throws {
        while true {
            let list = try replica.rejectedList()
            guard number >= list.first, !list.numbers.isEmpty else { return }
            var changed = list
            changed.first = min(number, list.next - 1) + 1
            changed.unhandled = max(list.unhandled, changed.first)
            var batch = StoreBatch()
            for number in list.first..<changed.first { batch.remove(ReplicaKeys.rejected(number)) }
            list.change(to: changed, in: &batch)
            if try await base.commit(batch, durability: .buffered) { return }
        }
    }

    /// Applies the rule to all rejected commits that it has not handled, and reports those that stay in the list.
    ///
    /// A process that was killed may have left such commits.
    func handleRejected() async throws {
        while true {
            let list = try replica.rejectedList()
            guard list.unhandled < list.next else { return }
            let number = list.unhandled
            guard let commit = try replica.rejected(number)?.published(number) else {
                try await noteHandled(through: number, list)
                continue
            }
            switch try await resolution(of: commit) {
            case .replaced: break
            case .listed(let reason):
                report(commit, reason)
                try await noteHandled(through: number, list)
            }
        }
    }

    private func noteHandled(through number: Int64, _ list: RejectedList) async throws {
        var changed = list
        changed.unhandled = number + 1
        var batch = StoreBatch()
        list.change(to: changed, in: &batch)
        // If another process has changed the list, the caller reads it again.
        _ = try await base.commit(batch, durability: .buffered)
    }

    // MARK: - The rule

    private enum Resolution {
        /// The rule has dropped the commit or queued another one instead.
        case replaced
        /// The commit stays in the list, for a reason that is not the rule's decision, or `nil`.
        case listed(String?)
    }

    /// The maximum number of times that the rule is asked again because its replacement does not hold here.
    private static var mostResolutions: Int { 5 }

    /// Calls the rule for a commit, and queues the replacement while removing the commit from the list, in one local commit.
    private func resolution(of commit: RejectedCommit) async throws -> Resolution {
        guard let resolve = options.rule.resolve else { return .listed(nil) }
        let replica = replica
        for _ in 0..<Self.mostResolutions {
            guard let batch = resolve(commit, confirmed) else { return .listed(nil) }
            var write: LocalWrite
            do {
                // The rollback has made room in the queue, so its limit does not apply.
                write = try LocalWrite(batch, in: self, isLimited: false) {
                    try replica.discard(commit.number, in: &$0)
                }
            } catch {
                return .listed("The replacement can't be queued. \(error)")
            }
            while let attempt = try write.next() {
                if try await replica.base.commit(attempt, durability: .buffered) {
                    wakeup.signal()
                    return .replaced
                }
                if try write.isRefused() { break }
            }
            // The program, or another process, may have handled the commit meanwhile.
            guard try replica.rejected(commit.number) != nil else { return .replaced }
        }
        return .listed(
            "Its replacement by the rule expects values that the store does not have. Return one that expects the confirmed values."
        )
    }

    private func report(_ commit: RejectedCommit, _ reason: String?) {
        let names = commit.writes.prefix(5).map { $0.key.debugDescription }.joined(separator: ", ")
        let keys = names.isEmpty ? "reserved keys" : names
        let suffix = reason.map { " \($0)" } ?? ""
        issues.report(
            LarderIssue(
                .rolledBack,
                "The cluster did not take a commit of this machine that writes \(keys), so it was rolled back (\(commit.reason)). Look at `rejected()`, and commit again what is still needed.\(suffix)",
                key: commit.writes.first?.key
            )
        )
    }
}
