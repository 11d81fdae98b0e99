public import LarderCore

/// What every ``KeyValueStore`` must do, as checks to run against a store of any kind, also one of your own.
///
/// The checks ask for nothing but the protocol, and test each promise that the store's ``StoreCapabilities`` declare. They do
/// not depend on a test framework: a check that fails throws a ``ContractViolation``. With Swift Testing:
///
/// ```swift
/// let contract = KeyValueStoreContract(
///     place: { try TemporaryFolder() },
///     open: { folder in try MyStore(path: folder.path + "/store") })
///
/// @Test(arguments: KeyValueStoreContract.Check.allCases)
/// func keepsTheContract(check: KeyValueStoreContract.Check) async throws {
///     try await contract.run(check)
/// }
/// ```
public struct KeyValueStoreContract: Sendable {
    /// One thing that is checked.
    public enum Check: String, Sendable, Hashable, CaseIterable {
        /// Every kind of value and every edge value comes back as it was.
        case valuesComeBackExactly
        /// Random values under random keys come back as they were.
        case randomValuesComeBackExactly
        /// Whatever the bits of a NaN that is written, the canonical NaN is read: in each form of writing, at once, also inside containers.
        case everyNaNIsTheCanonicalOne
        /// Writing replaces, removing removes, and a missing key is no error.
        case overwritingAndRemoving
        /// Every text is a key of its own: empty, with NUL, composed and decomposed.
        case keysAreBytes
        /// Listings hold exactly the keys that begin with the prefix, sorted by bytes.
        case listingIsExactAndSorted
        /// Keys that are too long, or Larder's own, are refused.
        case keysOutsideTheRulesAreRefused
        /// `.null` and nesting beyond the limit are refused; nesting up to it is kept.
        case valuesOutsideTheRulesAreRefused
        /// A batch is carried out whole or not at all.
        case batchesAreAllOrNothing
        /// A batch whose expectation does not hold changes nothing.
        case expectationsAreChecked
        /// Compare-and-set writes when the value is the expected one, and only then.
        case comparingAndSetting
        /// A transaction reads its own writes, commits all of them, and none when its body throws.
        case transactions
        /// A transaction whose reads were overtaken runs again.
        case overtakenTransactionsRunAgain
        /// A transaction whose body writes its reads to the store ends with code `conflict`, and changes nothing.
        case overtakenTransactionsGiveUp
        /// Typed values are read as what was written; absent ones are `nil`, others that do not convert throw.
        case typedValues
        /// The revision changes when a value does.
        case revisionFollowsChanges
        /// Observers hear every commit in order with old and new values, within ten seconds, and nothing of commits that change nothing.
        case changesArriveInOrder
        /// Sequences of changes keep what they promise when their reader falls behind.
        case slowReadersAreToldWhatTheyMissed
        /// An observer may read, write and cancel itself.
        case observersMayWrite
        /// Flushing and synced commits work in their suspending and their blocking form.
        case flushing
        /// What was committed is there after opening the store again.
        case reopening
        /// Nothing is lost or torn when eight threads write at once.
        case threads
    }

    /// Makes a place for one store, and returns what opens the store there.
    let begin: @Sendable () throws -> @Sendable () throws -> any KeyValueStore
    private var operationsOfEachThread = 10_000

    /// The contract for one kind of store.
    ///
    /// - Parameters:
    ///   - place: Makes a new, empty place for a store, such as a temporary folder. It is kept until the check is over.
    ///   - open: Opens the store in a place; called again for the same place after the first store was let go.
    public init<Place: Sendable>(
        place: @escaping @Sendable () throws -> Place,
        open: @escaping @Sendable (Place) throws -> any KeyValueStore
    ) {
        begin = {
            let place = try place()
            return { try open(place) }
        }
    }

    /// The contract for stores that need no place.
    ///
    /// - Parameter make: Makes a new, empty store.
    public init(make: @escaping @Sendable () throws -> any KeyValueStore) {
        self.init(place: {}, open: { try make() })
    }

    /// The same contract with another number of operations of each of the eight threads of ``Check/threads``.
    ///
    /// - Parameter count: 10,000 where nothing is said; fewer, for builds that a sanitizer slows down, but never fewer than 100. At most
    ///   200 are done where each write costs as much as the whole store.
    /// - Returns: The contract.
    public func sized(operationsOfEachThread count: Int) -> KeyValueStoreContract {
        var contract = self
        contract.operationsOfEachThread = max(100, count)
        return contract
    }

    /// Runs every check, each on a store of its own.
    ///
    /// - Throws: ``ContractViolation`` for the first check that fails.
    public func run() async throws {
        for check in Check.allCases { try await run(check) }
    }

    /// Runs one check on a store of its own, then the store's own `verify`.
    ///
    /// - Parameter check: What to check.
    /// - Throws: ``ContractViolation`` when the store breaks the contract.
    public func run(_ check: Check) async throws {
        let open = try begin()
        let run = ContractRun(check: check, operationsOfEachThread: operationsOfEachThread, open: open)
        try await ContractViolation.run(check, "The store threw") {
            // No store of ours may be open while that check closes and opens its own.
            if check == .reopening { return try run.reopening() }
            let store = try open()
            try await run.body(store)
            try run.verify(store)
        }
    }
}

/// A promise that a store did not keep.
public struct ContractViolation: Error, Sendable, CustomStringConvertible {
    /// What was checked.
    public let check: KeyValueStoreContract.Check
    /// What was expected, and what happened.
    public let explanation: String

    /// The name of the check and the explanation.
    public var description: String { "\(check.rawValue): \(explanation)" }
}

extension ContractViolation: CheckViolation {}
