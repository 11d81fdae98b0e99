import LarderCore

extension ReplicatedStore {
    /// Returns the commits of this replica that were rolled back, oldest first.
    ///
    /// A commit is listed until ``discardRejected(through:)`` removes it.
    ///
    /// - Returns: The rejected commits.
    /// - Throws: `StoreError` if the replica can't be read.
    public func rejected() throws -> [RejectedCommit] {
        try replica.consistently {
            try replica.rejectedRange().compactMap { number in try replica.rejected(number)?.published(number) }
        }
    }

    /// Removes rejected commits from the list, after the program has handled them.
    ///
    /// - Parameter number: The ``RejectedCommit/number`` of the last commit to remove.
    /// - Throws: `StoreError` if the replica can't be written.
    public func discardRejected(through number: Int64) async throws {
        while true {
            let range = try replica.rejectedRange()
            guard number >= range.lowerBound, !range.isEmpty else { return }
            let end = min(number, range.upperBound - 1) + 1
            var batch = StoreBatch()
            batch.expect(.range(range), at: ReplicaKeys.rejected)
            for number in range.lowerBound..<end { batch.remove(ReplicaKeys.rejected(number)) }
            batch.set(.range(end..<range.upperBound), for: ReplicaKeys.rejected)
            if try await base.commit(batch, durability: .buffered) { return }
        }
    }
}

extension Replica {
    /// Adds the removal of one rejected commit from the list.
    func discard(_ number: Int64, in batch: inout StoreBatch) throws { batch.remove(ReplicaKeys.rejected(number)) }

    /// Adds rejected commits to the list.
    func note(_ rejected: [RejectedRecord], in batch: inout StoreBatch) throws -> Range<Int64> {
        let range = try rejectedRange()
        let stored = try base.get(ReplicaKeys.rejected)
        batch.expect(stored, at: ReplicaKeys.rejected)
        let end = range.upperBound + Int64(rejected.count)
        for (number, record) in zip(range.upperBound..<end, rejected) {
            batch.set(record: record.encoded, for: ReplicaKeys.rejected(number))
        }
        batch.set(.range(range.lowerBound..<end), for: ReplicaKeys.rejected)
        return range.upperBound..<end
    }
}

extension StoredValue {
    static func range(_ range: Range<Int64>) -> StoredValue {
        .array([.int(range.lowerBound), .int(range.upperBound)])
    }
}
