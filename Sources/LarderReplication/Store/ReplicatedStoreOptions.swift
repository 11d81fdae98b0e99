public import LarderCore

/// Options for a ``ReplicatedStore``.
public struct ReplicatedStoreOptions: Sendable {
    /// The maximum number of commits that wait for the cluster.
    ///
    /// When the limit is reached, writes throw `queueFull`. The default is 100,000.
    public var maximumPending = 100_000
    /// The maximum number of bytes in commits that wait for the cluster.
    ///
    /// When the limit is reached, writes throw `queueFull`. The last commit may exceed the limit. The default is 256 MiB.
    public var maximumPendingBytes = 256 << 20
    /// The maximum number of commits in ``ReplicatedStore/rejected()``.
    ///
    /// When the cluster refuses more commits, the oldest ones are removed from the list and an issue with the code `rejectedDropped` is
    /// reported. The default is 10,000.
    public var maximumRejected = 10_000
    /// The time within which a `.replicated` commit succeeds or fails, unless the call states another one.
    ///
    /// The default is 10 seconds.
    public var deadline = Duration.seconds(10)
    /// What happens with a commit that the cluster refuses.
    ///
    /// The default is ``ReplicationRule/clusterWins``.
    public var rule = ReplicationRule.clusterWins

    package var environment = ReplicationEnvironment()

    /// Creates the default options.
    public init() {}
}

/// The dependencies of a ``ReplicatedStore``, which tests can replace.
package struct ReplicationEnvironment: Sendable {
    package var time: any TimeSource = .system
    /// The random part of the identifiers of commits.
    package var session: @Sendable () -> UInt64 = { .random(in: 0 ... .max) }
    /// The number of a new replica, or 0 for one that does not last, for which the engine keeps nothing.
    package var replica: @Sendable () -> UInt64 = { .random(in: 1 ... .max) }
    /// Whether a call to the engine ends at the deadline.
    ///
    /// If `false`, all steps run in one task, so that a simulation can repeat them.
    package var interruptsCalls = true
    /// How much to read from the engine at a time, which is applied in one local commit.
    package var pageLimit = ReplicationPageLimit(commits: 1_000, bytes: 8 << 20)
    /// A fraction from 0 to 1, by which delays are shortened at random.
    package var jitter: @Sendable () -> Double = { .random(in: 0...1) }
    /// The longest time between two attempts to become the process that replicates.
    package var takeoverInterval = Duration.milliseconds(250)

    package init() {}
}

/// A rule for commits that the cluster refuses.
public struct ReplicationRule: Sendable {
    let resolve: (@Sendable (RejectedCommit, ConfirmedValues) -> StoreBatch?)?

    /// The values of the cluster replace those of the refused commit.
    ///
    /// The commit is listed in ``ReplicatedStore/rejected()``.
    public static let clusterWins = ReplicationRule(resolve: nil)

    /// Returns a rule that may replace a refused commit by another one.
    ///
    /// - Parameter resolve: A closure that receives the refused commit and the values of the cluster, and returns a batch to queue instead,
    ///   an empty batch to drop the commit, or `nil` to list it in ``ReplicatedStore/rejected()``. The closure runs after the commit was
    ///   rolled back and the values that refused it were applied, while no lock is held. If the replacement is refused in turn, the closure
    ///   is called again for the replacement. If the replacement can't be queued, the commit stays in the list and an issue is reported. After
    ///   a crash, the closure may be called again for the same commit.
    /// - Returns: A rule for ``ReplicatedStoreOptions/rule``.
    public static func resolving(
        _ resolve: @escaping @Sendable (_ commit: RejectedCommit, _ confirmed: ConfirmedValues) -> StoreBatch?
    ) -> ReplicationRule {
        ReplicationRule(resolve: resolve)
    }
}
