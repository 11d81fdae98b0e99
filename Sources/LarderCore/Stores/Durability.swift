/// How far a commit has come when the call that made it returns.
///
/// | Level | this process dies | the machine loses power |
/// |---|---|---|
/// | ``buffered`` | kept, if the store is ``StoreCapabilities/survivesProcess`` | what the store says; a commit is never half there where ``StoreCapabilities/hasCrashAtomicTransactions`` |
/// | ``synced`` | kept | kept, if the drive tells the truth |
public struct Durability: Sendable, Hashable {
    private enum Level: Hashable { case buffered, synced }
    private let level: Level

    /// Handed to the operating system: the default.
    ///
    /// It costs no wait for the disk.
    public static let buffered = Durability(level: .buffered)
    /// Confirmed by the disk.
    ///
    /// Expect 0.1 to 10 ms, shared among the callers that wait at the same time.
    public static let synced = Durability(level: .synced)
}
