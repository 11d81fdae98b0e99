import LarderCore
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How far a replica follows its cluster.
public struct ReplicationFreshness: Sendable, Hashable {
    /// The wall clock of this machine when the engine last answered the process that replicates, or `nil` if it never did.
    ///
    /// In other processes than that one, the date may be up to ten seconds early.
    public let lastContact: Date?
    /// The position up to which commits of the cluster have been applied, or `nil` before the first contact.
    public let position: ReplicationPosition?
    /// The number of commits that wait for the cluster.
    public let pending: Int
    /// The number of commits in ``ReplicatedStore/rejected()``.
    public let rejected: Int
    /// Whether this instance is the one that replicates.
    public let isReplicating: Bool
    /// The sentence that describes why commits can't be sent or read, or `nil` if the last attempts of both succeeded.
    public let failure: String?
}

extension ReplicatedStore {
    /// How far this replica follows the cluster.
    ///
    /// If the replica can't be read, the values that are not known are `nil` or zero, and ``ReplicationFreshness/failure`` says why.
    public var freshness: ReplicationFreshness {
        let (isReplicating, failure) = state.withLock { ($0.isReplicating, $0.failure) }
        func report(
            _ wall: Int64?,
            _ position: ReplicationPosition?,
            _ counts: (pending: Int, rejected: Int),
            _ failure: String?
        ) -> ReplicationFreshness {
            ReplicationFreshness(
                lastContact: wall.map { Date(timeIntervalSince1970: Double($0) / 1000) },
                position: position,
                pending: counts.pending,
                rejected: counts.rejected,
                isReplicating: isReplicating,
                failure: failure
            )
        }
        do {
            // Read one after the other: exact only while nothing is written.
            let cursor = try replica.cursor()
            let rejected = try replica.rejectedList().numbers.count { try base.get(ReplicaKeys.rejected($0)) != nil }
            let counts = (try replica.pendingCount(), rejected)
            let wall = [cursor?.clock, isReplicating ? clock.lastContact : nil].compactMap(\.self).max()
            return report(wall, cursor?.position, counts, failure)
        } catch {
            return report(clock.lastContact, nil, (0, 0), "\(error)")
        }
    }
}

extension Replica {
    /// The number of commits in the queue.
    func pendingCount() throws -> Int {
        try pendingNumbers().count { try base.get(ReplicaKeys.pending($0)) != nil }
    }
}

/// What one instance of a replicated store knows about its connection.
struct ReplicationState: Sendable {
    var isReplicating = false
    /// The last failure of each activity that has not succeeded since.
    ///
    /// An interruption is reported when the first activity fails.
    var failures: [Activity: String] = [:]

    /// What an instance does in the background, each with its own retries.
    enum Activity: Sendable, CaseIterable {
        case sending, following, watching, locking
    }

    /// Whether the engine could not be reached when it was last called for some activity.
    var isInterrupted: Bool { failures[.sending] != nil || failures[.following] != nil }

    /// The failure to show: reading may succeed while commits fail.
    var failure: String? { Activity.allCases.lazy.compactMap { failures[$0] }.first }
}
