public import LarderDataSources

/// What every repository must do, and what one with a main source and a cache must do besides, as checks to run against a
/// repository of any kind, also one of your own.
///
/// Each check has the number of the behaviour it covers in its name. They do not depend on a test framework: a check that fails
/// throws a ``RepositoryContractViolation``. With Swift Testing:
///
/// ```swift
/// let contract = RepositoryContract<Int>(values: [1, 2, 3]) { parts in
///     MyRepository(main: parts.main, cache: parts.cache, validator: parts.validator)
/// }
///
/// @Test(arguments: RepositoryCheck.allCases)
/// func keepsTheContract(check: RepositoryCheck) async throws {
///     try await contract.run(check)
/// }
/// ```
public struct RepositoryContract<T: Sendable & Equatable>: Sendable {
    /// What a repository is to be made of.
    public struct Parts: Sendable {
        /// The main source: the only one of a repository over one source.
        public let main: DataSourceSpy<T>
        /// The cache.
        public let cache: DataSourceSpy<T>
        /// Says which of the cache's values may still be used.
        public let validator: any ObjectValidation<T>
    }

    private let values: [T]
    private let make: @Sendable (Parts) throws -> AnyRepository<T>

    /// The contract for one kind of repository.
    ///
    /// - Parameters:
    ///   - values: At least three different ones to put.
    ///   - make: Makes a new repository of the parts it is given.
    public init<Repository: GetRepository<T> & PutRepository<T> & DeleteRepository>(
        values: [T],
        make: @escaping @Sendable (Parts) throws -> Repository
    ) {
        self.values = values
        self.make = { AnyRepository(try make($0)) }
    }

    /// Runs every check, each on a repository of its own.
    ///
    /// - Parameter checks: Which; all unless given.
    /// - Throws: ``RepositoryContractViolation`` for the first check that fails.
    public func run(_ checks: [RepositoryCheck] = RepositoryCheck.allCases) async throws {
        for check in checks { try await run(check) }
    }

    /// Runs one check on a repository of its own.
    ///
    /// - Parameter check: What to check.
    /// - Throws: ``RepositoryContractViolation`` when the repository breaks the contract.
    public func run(_ check: RepositoryCheck) async throws {
        guard values.count >= 3 else {
            throw RepositoryContractViolation(check: check, explanation: "The contract needs three values to put.")
        }
        let (main, cache) = (InMemoryDataSource<T>(), InMemoryDataSource<T>())
        let isValid = ContractValidity()
        let parts = Parts(
            main: DataSourceSpy(main),
            cache: DataSourceSpy(cache),
            validator: ClosureValidator { _ in isValid.isValid }
        )
        try await RepositoryContractViolation.run(check, "The repository failed") {
            let run = RepositoryContractRun(
                check: check,
                repository: try make(parts),
                main: parts.main,
                cache: parts.cache,
                mainMemory: main,
                cacheMemory: cache,
                validity: isValid,
                values: values
            )
            try await run.body()
        }
    }
}

/// One thing that ``RepositoryContract`` checks; the numbers are those of the documented behaviours.
public enum RepositoryCheck: String, Sendable, Hashable, CaseIterable {
    /// What was put, one value or a list, is got, and gone once it is deleted.
    case whatIsPutComesBackUntilDeleted
    /// What is unknown is `CoreError.NotFound`.
    case unknownIsNotFound
    /// Putting nil is refused and changes nothing.
    case nilIsRefused
    /// The failure of the main source is the failure of the call.
    case mainsFailureIsTheCalls
    /// 68: `main` with an empty main source: not found, the cache never asked.
    case behaviour68MainAsksMainOnly
    /// 69: `main` returns the main source's value, the cache never asked.
    case behaviour69MainReturnsItsValue
    /// 70: `cache` with an empty cache: not found, the main source never asked.
    case behaviour70CacheAsksTheCacheOnly
    /// 71: `cache` returns a valid value.
    case behaviour71CacheReturnsAValidValue
    /// 72: `cacheSync` with an empty cache takes the main source's value, and the cache holds it then.
    case behaviour72AMissFillsTheCache
    /// 73: `cacheSync` with a valid value never asks the main source.
    case behaviour73AHitDoesNotAskMain
    /// 74: `cacheSync` replaces a value that is not valid.
    case behaviour74AnInvalidValueIsReplaced
    /// 75: `cacheSync`, not valid, and nothing in the main source: not found.
    case behaviour75NothingInMainIsNotFound
    /// 76: `mainSync` stores the main source's answer in the cache.
    case behaviour76MainSyncFillsTheCache
    /// 77, 78: `cache` refuses a value that is not valid, unless told to ignore that.
    case behaviour77CacheRefusesWhatIsNotValid
    /// 79: what the cache can't decode is a miss.
    case behaviour79UndecodableIsAMiss
    /// 80: the fallback decides whether a value that is not valid is better than the main source's failure.
    case behaviour80TheFallbackDecides
    /// 81: another failure of the cache is the failure of the call.
    case behaviour81AnotherFailureOfTheCacheStays
    /// 82: an operation that is not known is refused by every verb.
    case behaviour82UnknownOperationsAreRefused
    /// 83: `main` writes to the main source only, `cache` to the cache only.
    case behaviour83OneSourceIsWrittenAlone
    /// 84, 86: `mainSync`, and what is usual, write to the main source, then to the cache.
    case behaviour84MainSyncWritesBoth
    /// 85: `cacheSync` writes to the cache first.
    case behaviour85CacheSyncWritesTheCacheFirst
    /// 87: when the main source fails, `mainSync` leaves the cache as it was.
    case behaviour87WhenMainFailsTheCacheStays
    /// A second write that fails leaves both sources as they were.
    case aSecondWriteThatFailsIsUndone

    /// The checks for a repository over one source, the main source of its parts.
    public static var ofOneSource: [RepositoryCheck] {
        [.whatIsPutComesBackUntilDeleted, .unknownIsNotFound, .nilIsRefused, .mainsFailureIsTheCalls]
    }
}

/// A promise that a repository did not keep.
public struct RepositoryContractViolation: Error, Sendable, CustomStringConvertible {
    /// What was checked.
    public let check: RepositoryCheck
    /// What was expected, and what happened.
    public let explanation: String

    /// The name of the check and the explanation.
    public var description: String { "\(check.rawValue): \(explanation)" }
}

extension RepositoryContractViolation: CheckViolation {}
