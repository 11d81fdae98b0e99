import LarderCore

/// The description of a snapshot, whose entries ``ReplicationEngine/snapshot(receive:)`` hands over in parts.
public struct ReplicationSnapshot: Sendable {
    /// An entry of a cluster.
    public struct Entry: Sendable, Hashable {
        /// The key.
        public let key: [UInt8]
        /// The value.
        public let value: [UInt8]
        /// The instant at which the value expires, or `nil` if it never expires.
        public let expiry: ReplicationInstant?

        /// Creates an entry.
        ///
        /// - Parameters:
        ///   - key: See ``key``.
        ///   - value: See ``value``.
        ///   - expiry: See ``expiry``.
        public init(key: [UInt8], value: [UInt8], expiry: ReplicationInstant? = nil) {
            self.key = key
            self.value = value
            self.expiry = expiry
        }
    }

    /// The identity of the store in the cluster, which never changes and which no other store has.
    ///
    /// A replica of one store refuses the snapshot of another.
    public let identity: [UInt8]
    /// The position of the snapshot.
    public let position: ReplicationPosition
    /// The engine's time when the snapshot was taken.
    public let instant: ReplicationInstant
    /// Creates a snapshot.
    ///
    /// - Parameters:
    ///   - identity: See ``identity``.
    ///   - position: See ``position``.
    ///   - instant: See ``instant``.
    public init(identity: [UInt8], position: ReplicationPosition, instant: ReplicationInstant) {
        self.identity = identity
        self.position = position
        self.instant = instant
    }
}

/// A commit in the history of a cluster.
public struct ReplicationChange: Sendable, Hashable {
    /// The position of the commit.
    public let position: ReplicationPosition
    /// The identifiers of the commit.
    public let identifiers: [ReplicationCommit.Identifier]
    /// All writes of the commit, even those that changed no value.
    public let writes: [ReplicationCommit.Write]

    /// Creates a commit of a history.
    ///
    /// - Parameters:
    ///   - position: See ``position``.
    ///   - identifiers: See ``identifiers``.
    ///   - writes: See ``writes``.
    public init(
        position: ReplicationPosition,
        identifiers: [ReplicationCommit.Identifier],
        writes: [ReplicationCommit.Write]
    ) {
        self.position = position
        self.identifiers = identifiers
        self.writes = writes
    }

    /// The size that counts for ``ReplicationPageLimit/bytes``: the bytes of keys and values, and
    /// `StoreLimits.bytesOfEachOperation` for each write.
    public var byteCount: Int {
        writes.reduce(0) { $0 + $1.key.count + ($1.value?.count ?? 0) + StoreLimits.bytesOfEachOperation }
    }
}

/// The maximum size of a ``ReplicationPage``.
///
/// A page ends before the commit with which it would exceed either limit, but holds at least one commit if there are any, however large.
public struct ReplicationPageLimit: Sendable, Hashable {
    /// The maximum number of commits, at least 1.
    public var commits: Int
    /// The maximum number of bytes, as ``ReplicationChange/byteCount`` counts them.
    public var bytes: Int

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - commits: See ``commits``.
    ///   - bytes: See ``bytes``.
    public init(commits: Int, bytes: Int) {
        self.commits = commits
        self.bytes = bytes
    }
}

/// A part of a cluster's history.
public enum ReplicationPage: Sendable {
    /// The commits after the requested position, and the engine's time when they were read.
    case changes([ReplicationChange], at: ReplicationInstant)
    /// The requested position does not belong to the history that the engine has, so a snapshot is needed.
    case historyLost
}
