public import LarderReplication

/// A contract for replication engines, which consists of checks that you can run on any `ReplicationEngine`.
///
/// The checks work with any test framework. A failed check throws a ``ReplicationContractViolation``. With Swift Testing, write:
///
/// ```swift
/// let contract = ReplicationEngineContract {
///     let name = try newStoreName()
///     return { try MyEngine(store: name) }
/// }
///
/// @Test(arguments: ReplicationEngineContract.Check.allCases)
/// func engineMeetsContract(check: ReplicationEngineContract.Check) async throws {
///     try await contract.run(check)
/// }
/// ```
///
/// Some checks need a cluster that the test can disturb. Describe how in a ``Store``, and create the contract with ``onStores(_:)``. A check
/// whose hook is missing succeeds without checking anything.
public struct ReplicationEngineContract: Sendable {
    /// A check that ``ReplicationEngineContract`` performs.
    public enum Check: String, Sendable, Hashable, CaseIterable {
        /// Commits get increasing positions, and all writes of a commit are in one change.
        case commitsAreOrdered
        /// A commit with an unmet expectation is refused and changes nothing.
        case expectationsAreJudged
        /// An expected listing contains exactly the keys with the prefix, and no reserved keys.
        case listingsAreJudged
        /// Keys and values are compared as bytes, and are returned unchanged.
        case keysAndValuesAreBytes
        /// A commit with the identifier of an earlier one gets the same answer and changes nothing.
        case firstVerdictStands
        /// The outcome of a commit is its verdict.
        case outcomeIsTheVerdict
        /// After the outcome of an unknown identifier was asked, a commit with this identifier is refused.
        case outcomeRefusesUnknownIdentifiers
        /// All identifiers of a commit get its verdict, and identifiers with different verdicts are divided.
        case commitsMayHaveSeveralIdentifiers
        /// A commit whose identifiers have different verdicts is divided, which is no verdict about any of them.
        case differentVerdictsAreDivided
        /// An outcome that is asked while the commit is under way agrees with the answer to the commit.
        case outcomeDuringACommitIsDecisive
        /// A canceled commit ends, and what it says about the commit is true.
        case canceledCommitsAreDecided
        /// A canceled call ends although the server does not answer. Needs ``Store/setSuspended``.
        case suspendedCallsCanBeCanceled
        /// Identifiers whose verdicts were forgotten are never used again. Needs ``Store/forgetVerdicts``.
        case forgottenIdentifiersAreRecognized
        /// The history is returned in parts, without gaps and repetitions.
        case changesAreComplete
        /// A page ends before the commit that would exceed a limit, and holds at least one commit.
        case pagesEndAtTheirLimits
        /// The changes after a snapshot continue the snapshot.
        case snapshotsAgreeWithChanges
        /// A position that the history does not contain is reported as lost.
        case foreignPositionsAreLost
        /// A history that was trimmed is reported as lost, and a snapshot replaces it. Needs ``Store/trimHistory``.
        case trimmedHistoryIsLost
        /// Waiting for changes ends after a commit on another connection.
        case waitingEndsAfterACommit
        /// Concurrent commits on two connections are each judged and counted once.
        case concurrentCommitsAreSerial
        /// A commit beyond the declared limits is refused.
        case limitsAreEnforced
        /// An expired entry is absent for expectations, and remains in snapshots until it is removed.
        case expiredEntriesAreAbsent
        /// All connections to a store report the same identity.
        case identityIsStable
    }

    /// A store in a cluster, on which one check runs, and what a test can do to the cluster.
    public struct Store: Sendable {
        /// Opens one more connection to the store.
        public var connect: @Sendable () async throws -> any ReplicationEngine
        /// Makes the engine forget all verdicts that it has given so far, as if they were too old.
        public var forgetVerdicts: (@Sendable () async throws -> Void)?
        /// Removes all commits so far from the history, but not their entries.
        public var trimHistory: (@Sendable () async throws -> Void)?
        /// Stops the server so that calls get no answer (`true`), as SIGSTOP does, or lets it go on (`false`).
        public var setSuspended: (@Sendable (Bool) async throws -> Void)?

        /// Creates the description of a store without hooks.
        ///
        /// - Parameter connect: See ``connect``.
        public init(connect: @escaping @Sendable () async throws -> any ReplicationEngine) { self.connect = connect }
    }

    /// A closure that creates a store in a cluster.
    private let begin: @Sendable () async throws -> Store

    /// Creates a contract for one type of engine.
    ///
    /// - Parameter begin: A closure that creates a new, empty store in a cluster and returns a closure that opens one more connection to
    ///   that store.
    public init(_ begin: @escaping @Sendable () async throws -> @Sendable () async throws -> any ReplicationEngine) {
        self.begin = { Store(connect: try await begin()) }
    }

    private init(stores begin: @escaping @Sendable () async throws -> Store) { self.begin = begin }

    /// Returns a contract for one type of engine, on stores with hooks.
    ///
    /// - Parameter begin: A closure that creates a new, empty store in a cluster.
    /// - Returns: The contract.
    public static func onStores(
        _ begin: @escaping @Sendable () async throws -> Store
    ) -> ReplicationEngineContract {
        ReplicationEngineContract(stores: begin)
    }

    /// Runs all checks, each on its own store.
    ///
    /// - Throws: ``ReplicationContractViolation`` for the first check that fails.
    public func run() async throws {
        for check in Check.allCases { try await run(check) }
    }

    /// Runs one check on its own store.
    ///
    /// - Parameter check: The check to run.
    /// - Throws: ``ReplicationContractViolation`` if the engine breaks the contract.
    public func run(_ check: Check) async throws {
        let store = try await begin()
        let run = ReplicationContractRun(check: check, engine: try await store.connect(), store: store)
        try await ReplicationContractViolation.run(check, "the engine threw") { try await run.body() }
    }
}

/// An error thrown when an engine fails a contract check.
public struct ReplicationContractViolation: Error, Sendable, CustomStringConvertible {
    /// The check that failed.
    public let check: ReplicationEngineContract.Check
    /// A description of the expected and the actual behavior.
    public let explanation: String

    /// The name of the check, followed by the explanation.
    public var description: String { "\(check.rawValue): \(explanation)" }
}

extension ReplicationContractViolation: CheckViolation {}
