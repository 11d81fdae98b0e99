/// The guarantees that a store makes beyond the contract of ``KeyValueStore``.
///
/// `KeyValueStoreContract` tests each guarantee that is declared.
public struct StoreCapabilities: Sendable, Hashable {
    /// The size that determines the cost of one write: the size of an entry or of the entire store.
    public enum WriteCost: Sendable, Hashable {
        /// A write's cost is proportional to the size of the entry that is written.
        case entry
        /// A write's cost is proportional to the size of the store, because each write rewrites the entire file.
        case wholeStore
    }

    /// Whether a completed commit survives a crash or termination of the process.
    public var survivesProcess: Bool
    /// Whether commits are atomic even after a crash, so that a reader sees all writes of a commit or none.
    public var hasCrashAtomicTransactions: Bool
    /// Whether several processes may have the store open at the same time.
    ///
    /// Processes do not lose one another's updates, and every read sees all earlier commits of all processes.
    public var isSharedBetweenProcesses: Bool
    /// Whether ``KeyValueStore/changes(prefix:buffering:)`` reports commits of other processes, with the origin `anotherProcess`.
    public var reportsOtherProcesses: Bool
    /// Whether commits are replicated to other machines, so that ``Durability/replicated`` is possible.
    public var replicates: Bool
    /// The limits of a batch, or `nil` if the store has no limits besides those of every store.
    ///
    /// A batch beyond the limits is rejected with ``StoreError/Code/batchTooLarge`` or ``StoreError/Code/unsupportedKey``.
    public var limits: StoreLimits?
    /// The kinds of values that the store returns unchanged.
    ///
    /// Values of other kinds are stored in a converted form that ``limitations`` describes, or rejected with
    /// ``StoreError/Code/unsupportedValue``. Every store supports `bool`, `int`, `double` and `string` exactly.
    public var exactKinds: Set<StoredValue.Kind>
    /// The cost of one write, which depends on the size of the entry or of the entire store.
    public var writeCost: WriteCost
    /// The limitations to consider before choosing this store, each as one sentence.
    public var limitations: [String]

    /// Creates a description of a store's capabilities.
    ///
    /// Every capability is `false` or empty by default, unless noted below.
    ///
    /// - Parameters:
    ///   - survivesProcess: See ``survivesProcess``.
    ///   - hasCrashAtomicTransactions: See ``hasCrashAtomicTransactions``.
    ///   - isSharedBetweenProcesses: See ``isSharedBetweenProcesses``.
    ///   - reportsOtherProcesses: See ``reportsOtherProcesses``.
    ///   - replicates: See ``replicates``.
    ///   - limits: See ``limits``; no limits by default.
    ///   - exactKinds: See ``exactKinds``; all kinds by default.
    ///   - writeCost: See ``writeCost-swift.property``.
    ///   - limitations: See ``limitations``.
    public init(
        survivesProcess: Bool = false,
        hasCrashAtomicTransactions: Bool = false,
        isSharedBetweenProcesses: Bool = false,
        reportsOtherProcesses: Bool = false,
        replicates: Bool = false,
        limits: StoreLimits? = nil,
        exactKinds: Set<StoredValue.Kind> = Set(StoredValue.Kind.allCases),
        writeCost: WriteCost = .entry,
        limitations: [String] = []
    ) {
        self.survivesProcess = survivesProcess
        self.hasCrashAtomicTransactions = hasCrashAtomicTransactions
        self.isSharedBetweenProcesses = isSharedBetweenProcesses
        self.reportsOtherProcesses = reportsOtherProcesses
        self.replicates = replicates
        self.limits = limits
        self.exactKinds = exactKinds
        self.writeCost = writeCost
        self.limitations = limitations
    }
}
