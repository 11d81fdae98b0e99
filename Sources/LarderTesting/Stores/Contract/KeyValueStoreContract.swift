public import LarderCore

/// A contract for stores, which consists of checks that you can run on any `KeyValueStore`, including your own.
///
/// The checks use only the protocol and test each of the store's `StoreCapabilities`. They work with any test framework. A failed check
/// throws a ``ContractViolation``. With Swift Testing, write:
///
/// ```swift
/// let contract = KeyValueStoreContract(
///     place: { try TemporaryFolder() },
///     open: { folder in try MyStore(path: folder.path + "/store") })
///
/// @Test(arguments: KeyValueStoreContract.Check.allCases)
/// func storeMeetsContract(check: KeyValueStoreContract.Check) async throws {
///     try await contract.run(check)
/// }
/// ```
public struct KeyValueStoreContract: Sendable {
    /// A check that ``KeyValueStoreContract`` performs.
    public enum Check: String, Sendable, Hashable, CaseIterable {
        /// Values of all types, including edge cases, are read back unchanged.
        case valuesAreReadBackExactly
        /// Random values under random keys are read back unchanged.
        case randomValuesAreReadBackExactly
        /// Every NaN is read as the canonical NaN, however it was written, even inside containers.
        case everyNaNIsCanonical
        /// Writing replaces the previous value, removing a key deletes its value, and reading or removing a missing key is not an error.
        case overwritingAndRemoving
        /// Keys are compared bytewise.
        ///
        /// The empty string, NUL, and composed and decomposed characters are different keys.
        case keysAreBytes
        /// Listings contain exactly the keys that begin with the prefix, sorted bytewise.
        case listingIsExactAndSorted
        /// Pages of entries continue after a key and together contain exactly the listed entries, in both orders and while others are
        /// removed.
        case pagesAreExactAndSorted
        /// Keys that are too long or reserved are rejected.
        case invalidKeysAreRejected
        /// `.null` and values nested beyond the limit are rejected.
        ///
        /// Values nested up to the limit are stored.
        case invalidValuesAreRejected
        /// A batch is committed atomically.
        case batchesAreAtomic
        /// A batch with an unmet expectation changes nothing.
        case expectationsAreChecked
        /// Compare-and-set writes only if the stored value equals the expected value.
        case comparingAndSetting
        /// A transaction reads its own writes and commits all of them, or none if its body throws.
        case transactions
        /// A transaction is retried if another write has changed a value that the transaction read.
        case conflictingTransactionsAreRetried
        /// A transaction that always conflicts fails with code `conflict` and changes nothing.
        case transactionsFailAfterTooManyConflicts
        /// Typed values are read back unchanged.
        ///
        /// Absent values are read as `nil`, and values that can't be converted throw an error.
        case typedValues
        /// The revision changes whenever a value changes.
        case revisionFollowsChanges
        /// Observers receive all commits that change values, in order, with old and new values, within ten seconds.
        case changesArriveInOrder
        /// A sequence of changes reports the number of missed changes if its reader falls behind.
        case slowReadersReceiveMissedCount
        /// An observer may read from the store, write to it and cancel its observation.
        case observersMayWrite
        /// Flushes and synced commits succeed, in blocking and asynchronous form.
        case flushing
        /// A replicated commit is refused by a store that replicates nothing, and changes nothing there.
        ///
        /// A store that replicates may fail to confirm the commit in time.
        case replicatedDurability
        /// A batch that exceeds the declared limits is rejected and changes nothing.
        case limitsAreEnforced
        /// Committed values are present after the store is reopened.
        case reopening
        /// Eight concurrent writers cause no lost or torn writes.
        case concurrentWriters
    }

    /// A closure that creates a location for a store and returns a closure that opens the store there.
    let begin: @Sendable () throws -> @Sendable () throws -> any KeyValueStore
    private var operationsOfEachThread = 10_000

    /// Creates a contract for one type of store.
    ///
    /// - Parameters:
    ///   - place: A closure that returns a new, empty location for a store, such as a temporary folder. The location is retained until the
    ///     check has ended.
    ///   - open: A closure that opens the store at a location. It may be called again for the same location after the first store was
    ///     released.
    public init<Place: Sendable>(
        place: @escaping @Sendable () throws -> Place,
        open: @escaping @Sendable (Place) throws -> any KeyValueStore
    ) {
        begin = {
            let place = try place()
            return { try open(place) }
        }
    }

    /// Creates a contract for stores that do not need a location, such as in-memory stores.
    ///
    /// - Parameter make: A closure that returns a new, empty store.
    public init(make: @escaping @Sendable () throws -> any KeyValueStore) {
        self.init(place: {}, open: { try make() })
    }

    /// Returns a copy of this contract with a different number of operations per thread for ``Check/concurrentWriters``.
    ///
    /// - Parameter count: The number of operations of each of the eight threads, at least 100. The default is 10,000; builds with a
    ///   sanitizer need fewer. If each write rewrites the whole store, at most 200 operations run.
    /// - Returns: A contract with this number of operations.
    public func sized(operationsOfEachThread count: Int) -> KeyValueStoreContract {
        var contract = self
        contract.operationsOfEachThread = max(100, count)
        return contract
    }

    /// Runs all checks, each on its own store.
    ///
    /// - Throws: ``ContractViolation`` for the first check that fails.
    public func run() async throws {
        for check in Check.allCases { try await run(check) }
    }

    /// Runs one check on its own store, then calls the store's `verify` method.
    ///
    /// - Parameter check: The check to run.
    /// - Throws: ``ContractViolation`` if the store breaks the contract.
    public func run(_ check: Check) async throws {
        let open = try begin()
        let run = ContractRun(check: check, operationsOfEachThread: operationsOfEachThread, open: open)
        try await ContractViolation.run(check, "the store threw") {
            // This check opens and closes its own stores, and no other store may be open during the check.
            if check == .reopening { return try run.reopening() }
            let store = try open()
            try await run.body(store)
            try run.verify(store)
        }
    }
}

/// An error thrown when a store fails a contract check.
public struct ContractViolation: Error, Sendable, CustomStringConvertible {
    /// The check that failed.
    public let check: KeyValueStoreContract.Check
    /// A description of the expected and the actual behavior.
    public let explanation: String

    /// The name of the check, followed by the explanation.
    public var description: String { "\(check.rawValue): \(explanation)" }
}

extension ContractViolation: CheckViolation {}
