import LarderReplication

// How commands read the history of a cluster.

extension ReplicationPageLimit {
    /// How much a command reads at a time.
    static let ofCommands = ReplicationPageLimit(commits: 1_000, bytes: 8 << 20)
}

extension UInt64 {
    /// The number that commands use instead of that of a replica.
    ///
    /// A command reads the history once, so nothing has to be kept for it.
    static let ofCommands: UInt64 = 0
}
