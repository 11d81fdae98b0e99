public import LarderCore

/// A connection to the cluster that keeps the truth of a ``ReplicatedStore``.
///
/// An engine keeps a set of entries and a total order of the commits that changed them. Keys and values are bytes that the engine compares
/// but does not interpret, except that keys that begin with U+0000 and `larder` belong to no listing.
///
/// **Errors.** A call that throws has changed nothing in the cluster, and never will. A commit that may have been made, now or later,
/// returns ``ReplicationAnswer/unknown(_:)`` instead.
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

    /// Returns all entries at one position of the engine's order.
    ///
    /// - Returns: A snapshot, which contains expired entries that have not been removed.
    /// - Throws: An error if the snapshot can't be read.
    func snapshot() async throws -> ReplicationSnapshot

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
    ///   - limit: The maximum number of commits to return.
    /// - Returns: The next commits, which are empty if there are none, or ``ReplicationPage/historyLost`` if the position does not belong
    ///   to the history that the engine has.
    /// - Throws: An error if the history can't be read.
    func changes(after position: ReplicationPosition, limit: Int) async throws -> ReplicationPage

    /// Suspends until there may be commits after a position.
    ///
    /// The call may return although there are none. It must return, or throw, within a bounded time after a commit, even if notifications
    /// were lost.
    ///
    /// - Parameter position: The position of the last commit that the caller knows.
    /// - Throws: An error if the connection is lost.
    func waitForChanges(after position: ReplicationPosition) async throws
}
