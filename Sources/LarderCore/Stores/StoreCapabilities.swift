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
    /// The kinds of which the store holds every value exactly.
    ///
    /// Of any other kind it may hold some values, in a form that ``limitations`` names, and refuses the rest with
    /// ``StoreError/Code/unsupportedValue``. Every store holds `bool`, `int`, `double` and `string`.
    public var exactKinds: Set<StoredValue.Kind>
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
    ///   - exactKinds: See ``exactKinds``; all unless stated.
    ///   - writeCost: See ``writeCost-swift.property``.
    ///   - limitations: One sentence each.
    public init(
        survivesProcess: Bool = false,
        hasCrashAtomicTransactions: Bool = false,
        isSharedBetweenProcesses: Bool = false,
        reportsOtherProcesses: Bool = false,
        exactKinds: Set<StoredValue.Kind> = Set(StoredValue.Kind.allCases),
        writeCost: WriteCost = .entry,
        limitations: [String] = []
    ) {
        self.survivesProcess = survivesProcess
        self.hasCrashAtomicTransactions = hasCrashAtomicTransactions
        self.isSharedBetweenProcesses = isSharedBetweenProcesses
        self.reportsOtherProcesses = reportsOtherProcesses
        self.exactKinds = exactKinds
        self.writeCost = writeCost
        self.limitations = limitations
    }
}
