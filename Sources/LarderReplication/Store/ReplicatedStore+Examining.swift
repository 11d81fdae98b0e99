// What the tests of the store compare with the history of the cluster.
extension ReplicatedStore {
    /// The commits in the queue, in order.
    package func queued() throws -> [ReplicationCommit] {
        let (first, next) = (try replica.first(), try replica.counters().next)
        return try (first..<max(first, next)).compactMap { try replica.pending($0)?.commit }
    }

    /// The identifiers of the rejected commits, with the reasons.
    package func rejectedIdentifiers() throws -> [(ReplicationCommit.Identifier, RejectedCommit.Reason)] {
        try replica.rejectedRange().compactMap { number in
            try replica.rejected(number).map { ($0.commit.identifier, $0.reason) }
        }
    }
}
