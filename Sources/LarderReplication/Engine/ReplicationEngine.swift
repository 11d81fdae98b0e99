public import LarderCore

/// A connection to the cluster that keeps the truth of a ``ReplicatedStore``.
///
/// An engine keeps a set of entries and a total order of the commits that changed them. Keys and values are bytes that the engine compares
/// but does not interpret, except that keys that begin with U+0000 and `larder` belong to no listing.
///
/// **Errors.** A call that throws has changed nothing in the cluster, and never will. A commit that may have been made, now or later,
/// returns ``ReplicationAnswer/unknown(_:)`` instead.
///
/// **Time.** The engine's time never goes back from one commit to the next, and a snapshot or a page never tells an earlier time than that of
/// its last commit. An engine whose servers' clocks differ keeps the latest time with its data.
///
/// **Connections.** An engine that connects again must reach the same store, or throw.
///
/// **Concurrency.** All methods may be called concurrently. A canceled call ends soon.
///
/// To check an engine, run `ReplicationEngineContract` (product `LarderTesting`).
public protocol ReplicationEngine: Sendable {
    /// The name of the engine and its address for messages, without passwords.
    var name: String { get }

    /// The limits of one commit.
    ///
    /// ``ReplicationCommit/operationCount`` and ``ReplicationCommit/byteCount`` are compared with the limits.
    var limits: StoreLimits { get }

    /// Reads all entries at one position of the engine's order, and hands them over in parts.
    ///
    /// The engine calls `receive` with each part while it reads, one call at a time and never after this method has returned. So neither the
    /// engine nor the caller has to keep all entries in memory. Expired entries that have not been removed are part of a snapshot.
    ///
    /// - Parameter receive: A closure that receives the next entries, in any order, and each key once. It may be called on any thread. If it
    ///   throws, the engine stops reading and throws the same error.
    /// - Returns: The identity of the store, the position and the time of the snapshot.
    /// - Throws: An error if the snapshot can't be read; some entries may have been handed over. The error of `receive`.
    func snapshot(
        receive: @escaping @Sendable (_ entries: [ReplicationSnapshot.Entry]) throws -> Void
    ) async throws -> ReplicationSnapshot

    /// Makes all writes of a commit if its expectations hold at the position that the engine gives it, or none.
    ///
    /// **The first verdict stands.** If the engine remembers a verdict about the identifiers of the commit, it returns that verdict and
    /// changes nothing. Both commits and refusals are remembered.
    ///
    /// - Parameter commit: The commit, which must be within the ``limits``.
    /// - Returns: The verdict, or the statement that it isn't known.
    /// - Throws: An error if the commit was not made and never will be.
    func commit(_ commit: ReplicationCommit) async throws -> ReplicationAnswer

    /// Returns the verdict about an identifier, after refusing the identifier if there is none.
    ///
    /// After this call has returned, a commit with this identifier that is still under way can't take effect.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of a commit.
    ///   - drawn: The engine's time at which the identifier was drawn, or `nil` if it is unknown.
    /// - Returns: The verdict, which is never ``ReplicationAnswer/unknown(_:)``.
    /// - Throws: An error if the engine can't be asked. The identifier may have been refused.
    func outcome(
        of identifier: ReplicationCommit.Identifier,
        drawn: ReplicationInstant?
    ) async throws -> ReplicationAnswer

    /// Returns the commits after a position, in the engine's order and without gaps.
    ///
    /// The call returns immediately.
    ///
    /// - Parameters:
    ///   - position: The position of the last commit that the caller knows.
    ///   - limit: The maximum size of the page.
    ///   - replica: The random number of the replica that asks. An engine that trims its history can keep, within limits of its own, what
    ///     its slowest replica has not read yet. A copy of a replica has the same number. The number 0 stands for a reader that is no
    ///     replica, such as a tool, for which nothing is kept.
    /// - Returns: The next commits, which are empty if there are none, or ``ReplicationPage/historyLost`` if the position does not belong
    ///   to the history that the engine has.
    /// - Throws: An error if the history can't be read.
    func changes(
        after position: ReplicationPosition,
        limit: ReplicationPageLimit,
        replica: UInt64
    ) async throws -> ReplicationPage

    /// Suspends until there may be commits after a position.
    ///
    /// The call may return although there are none. It must return, or throw, within a bounded time after a commit, even if notifications
    /// were lost.
    ///
    /// - Parameter position: The position of the last commit that the caller knows.
    /// - Throws: An error if the connection is lost.
    func waitForChanges(after position: ReplicationPosition) async throws
}
