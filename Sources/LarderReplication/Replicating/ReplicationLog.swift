import Logging

/// The log of one instance of a replicated store: what changes about its replication without being an issue.
struct ReplicationLog: Sendable {
    /// The name of the replica.
    let replica: String
    /// The name of the engine.
    let engine: String

    // Created for each line, because a program may configure logging after it has opened the store.
    private var logger: Logger { Logger(label: "larder.replication") }

    func noteTurn() { logger.info("This process replicates \(replica) with the cluster at \(engine) from now on.") }

    func noteReconnection(pending: Int?) {
        let waiting = pending.map { " Pending commits: \($0)." } ?? ""
        logger.notice("The cluster at \(engine) answers \(replica) again.\(waiting)")
    }

    /// - Parameters:
    ///   - position: The position of the snapshot.
    ///   - isFirst: Whether the replica was new, so that nothing was replaced.
    func noteSnapshot(at position: ReplicationPosition, isFirst: Bool) {
        if isFirst {
            logger.info(
                "The new replica \(replica) has loaded the state of the cluster at \(engine), position \(position)."
            )
        } else {
            logger.notice(
                "The replica \(replica) has loaded a snapshot of the cluster at \(engine), at position \(position), because its own position is not in the history."
            )
        }
    }
}
