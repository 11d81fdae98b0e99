/// A level of durability that a commit must reach before the committing call returns.
///
/// | Level | After a process crash | After a power loss |
/// |---|---|---|
/// | ``buffered`` | the commit survives if the store has ``StoreCapabilities/survivesProcess`` | depends on the store; a commit is never partial with ``StoreCapabilities/hasCrashAtomicTransactions`` |
/// | ``synced`` | the commit survives | the commit survives if the drive honors syncs |
/// | ``replicated`` | the commit survives in the cluster | the commit survives in the cluster |
public struct Durability: Sendable, Hashable {
    private enum Level: Hashable { case buffered, synced, replicated }
    private let level: Level

    /// The commit has been handed to the operating system, but not necessarily synced to disk.
    ///
    /// This is the default.
    public static let buffered = Durability(level: .buffered)
    /// The commit has been synced to disk.
    ///
    /// Expect 0.1 to 10 ms per sync. Concurrent callers share one sync (group commit).
    public static let synced = Durability(level: .synced)
    /// The cluster has confirmed the commit, and the commit has been applied to this store.
    ///
    /// Only a store with ``StoreCapabilities/replicates`` has a cluster. Every other store throws ``StoreError/Code/notReplicated``.
    public static let replicated = Durability(level: .replicated)

    /// Checks that a store that has no cluster can provide this durability.
    ///
    /// In a custom store that replicates nothing, call this method before each commit.
    ///
    /// - Throws: ``StoreError`` with code `notReplicated` if this is ``replicated``.
    public func requireLocal() throws {
        if self == .replicated { throw StoreError.notReplicated }
    }
}
