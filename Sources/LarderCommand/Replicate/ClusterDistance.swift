#if Command
import LarderReplication

/// The distance of a replica from its cluster.
struct ClusterDistance {
    private enum Distance: Sendable {
        /// The number of commits that the replica has not applied yet, and the position of the last one.
        case behind(UInt64, UInt64)
        /// The position of the replica is not in the history, so the replica will load a snapshot.
        case snapshotNeeded
    }

    private let distance: Distance

    /// Reads the history of a cluster after the position of a replica.
    init(from position: ReplicationPosition?, to address: ClusterAddress) throws {
        guard let position else {
            distance = .snapshotNeeded
            return
        }
        let engine = try ClusterConnection.connect(address, .isAnError)
        distance = try BlockedTask.run {
            // Says whether the history goes on after the position, and not only whether it reaches back that far.
            let page = try await engine.changes(
                after: position,
                limit: ReplicationPageLimit(commits: 1, bytes: 1),
                replica: .ofCommands
            )
            guard case .changes = page else { return .snapshotNeeded }
            let last = try await ClusterStatus(of: engine).position.revision
            return .behind(last > position.revision ? last - position.revision : 0, last)
        }
    }

    var facts: [Fact] {
        switch distance {
        case .behind(let count, let revision):
            [
                Fact("position of the cluster", "clusterPosition", revision),
                Fact("commits behind", "behind", count),
                Fact("needs a snapshot", "needsSnapshot", false),
            ]
        case .snapshotNeeded:
            [
                Fact("position of the cluster", "clusterPosition", UInt64?.none, or: "unknown"),
                Fact("commits behind", "behind", UInt64?.none, or: "unknown"),
                Fact("needs a snapshot", "needsSnapshot", true),
            ]
        }
    }
}
#endif
