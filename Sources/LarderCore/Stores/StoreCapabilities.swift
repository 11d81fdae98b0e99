/// What one store promises beyond what every ``KeyValueStore`` does.
///
/// `KeyValueStoreContract` tests each promise that is declared, and nothing that is not.
public struct StoreCapabilities: Sendable, Hashable {
    /// What one write costs.
    public enum WriteCost: Sendable, Hashable {
        /// In proportion to the entry that is written.
        case entry
        /// In proportion to everything in the store: each write makes the whole file anew.
        case wholeStore
    }

    /// A commit that returned is there after this process was killed and the store opened again.
    public var survivesProcess: Bool
    /// After a crash at any moment a reader sees all writes of a commit, or none.
    public var hasCrashAtomicTransactions: Bool
    /// Several processes may have the store open at once: none loses another's commits, each sees them at its next read.
    public var isSharedBetweenProcesses: Bool
    /// Changes made by other processes arrive in ``KeyValueStore/changes(prefix:buffering:)``, with their origin.
    public var reportsOtherProcesses: Bool
    /// What one write costs.
    public var writeCost: WriteCost
    /// Weaknesses a user should know before choosing this store: one sentence each.
    public var limitations: [String]

    /// Capabilities, each `false` or empty unless stated.
    ///
    /// - Parameters:
    ///   - survivesProcess: See ``survivesProcess``.
    ///   - hasCrashAtomicTransactions: See ``hasCrashAtomicTransactions``.
    ///   - isSharedBetweenProcesses: See ``isSharedBetweenProcesses``.
    ///   - reportsOtherProcesses: See ``reportsOtherProcesses``.
    ///   - writeCost: See ``writeCost-swift.property``.
    ///   - limitations: One sentence each.
    public init(
        survivesProcess: Bool = false,
        hasCrashAtomicTransactions: Bool = false,
        isSharedBetweenProcesses: Bool = false,
        reportsOtherProcesses: Bool = false,
        writeCost: WriteCost = .entry,
        limitations: [String] = []
    ) {
        self.survivesProcess = survivesProcess
        self.hasCrashAtomicTransactions = hasCrashAtomicTransactions
        self.isSharedBetweenProcesses = isSharedBetweenProcesses
        self.reportsOtherProcesses = reportsOtherProcesses
        self.writeCost = writeCost
        self.limitations = limitations
    }
}
