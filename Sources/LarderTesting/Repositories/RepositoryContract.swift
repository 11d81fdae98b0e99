public import LarderDataSources

/// A contract for repositories with one source, or with a main source and a cache.
///
/// The contract consists of checks that you can also run on your own repositories.
///
/// The checks work with any test framework. A failed check throws a ``RepositoryContractViolation``. With Swift Testing, write:
///
/// ```swift
/// let contract = RepositoryContract<Int>(values: [1, 2, 3]) { parts in
///     MyRepository(main: parts.main, cache: parts.cache, validator: parts.validator)
/// }
///
/// @Test(arguments: RepositoryCheck.allCases)
/// func repositoryMeetsContract(check: RepositoryCheck) async throws {
///     try await contract.run(check)
/// }
/// ```
public struct RepositoryContract<T: Sendable & Equatable>: Sendable {
    /// The data sources and the validator of the repository under test.
    public struct Parts: Sendable {
        /// The main source of the repository under test.
        ///
        /// A repository with one source uses only this source.
        public let main: DataSourceSpy<T>
        /// The cache of the repository under test.
        public let cache: DataSourceSpy<T>
        /// The validator that decides which cached values are valid.
        public let validator: any ObjectValidation<T>
    }

    private let values: [T]
    private let make: @Sendable (Parts) throws -> AnyRepository<T>

    /// Creates a contract for one type of repository.
    ///
    /// - Parameters:
    ///   - values: At least three different values for the checks.
    ///   - make: A closure that returns a new repository made from the given parts.
    public init<Repository: GetRepository<T> & PutRepository<T> & DeleteRepository>(
        values: [T],
        make: @escaping @Sendable (Parts) throws -> Repository
    ) {
        self.values = values
        self.make = { AnyRepository(try make($0)) }
    }

    /// Runs several checks, each on a new repository.
    ///
    /// - Parameter checks: The checks to run. The default is all checks.
    /// - Throws: ``RepositoryContractViolation`` for the first check that fails.
    public func run(_ checks: [RepositoryCheck] = RepositoryCheck.allCases) async throws {
        for check in checks { try await run(check) }
    }

    /// Runs one check on a new repository.
    ///
    /// - Parameter check: The check to run.
    /// - Throws: ``RepositoryContractViolation`` if the repository breaks the contract.
    public func run(_ check: RepositoryCheck) async throws {
        guard values.count >= 3 else {
            throw RepositoryContractViolation(check: check, explanation: "the contract needs at least 3 values")
        }
        let (main, cache) = (InMemoryDataSource<T>(), InMemoryDataSource<T>())
        let isValid = ContractValidity()
        let parts = Parts(
            main: DataSourceSpy(main),
            cache: DataSourceSpy(cache),
            validator: ClosureValidator { _ in isValid.isValid }
        )
        try await RepositoryContractViolation.run(check, "the repository failed with") {
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

/// A check that ``RepositoryContract`` performs.
///
/// Most checks are named after the number of the documented behavior that they verify.
public enum RepositoryCheck: String, Sendable, Hashable, CaseIterable {
    /// A value or a list can be read until it is deleted.
    case storedValueIsReturnedUntilDeleted
    /// Reading an unknown key fails with `CoreError.NotFound`.
    case unknownKeyIsNotFound
    /// Writing `nil` fails and changes nothing.
    case nilIsRejected
    /// If the main source fails, the repository fails with the same error.
    case failureOfMainSourceIsThrown
    /// Behavior 68: The `main` operation with an empty main source fails with `CoreError.NotFound`, without calling the cache.
    case behavior68MainReadsOnlyMainSource
    /// Behavior 69: The `main` operation returns the main source's value, without calling the cache.
    case behavior69MainReturnsValueOfMainSource
    /// Behavior 70: The `cache` operation with an empty cache fails with `CoreError.NotFound`, without calling the main source.
    case behavior70CacheReadsOnlyCache
    /// Behavior 71: The `cache` operation returns a valid value from the cache.
    case behavior71CacheReturnsValidValue
    /// Behavior 72: The `cacheSync` operation with an empty cache returns the main source's value and stores it in the cache.
    case behavior72CacheMissFillsCache
    /// Behavior 73: The `cacheSync` operation with a valid value in the cache does not call the main source.
    case behavior73CacheHitDoesNotReadMainSource
    /// Behavior 74: The `cacheSync` operation replaces an invalid value in the cache with the main source's value.
    case behavior74InvalidValueIsReplaced
    /// Behavior 75: The `cacheSync` operation with an invalid value in the cache and an empty main source fails with `CoreError.NotFound`.
    case behavior75ValueMissingInMainSourceIsNotFound
    /// Behavior 76: The `mainSync` operation stores the main source's value in the cache.
    case behavior76MainSyncFillsCache
    /// Behaviors 77 and 78: The `cache` operation fails for an invalid value, unless the operation ignores validation.
    case behavior77CacheRejectsInvalidValue
    /// Behavior 79: A value that the cache can't decode is treated as a cache miss.
    case behavior79UndecodableValueIsCacheMiss
    /// Behavior 80: If the main source fails, the fallback closure of `cacheSync` decides whether an invalid value in the cache is
    /// returned.
    case behavior80FallbackDecidesAboutInvalidValue
    /// Behavior 81: If the cache fails with an unexpected error, `cacheSync` fails with that error, without calling the main source.
    case behavior81OtherFailureOfCacheIsThrown
    /// Behavior 82: All methods fail for an unknown operation.
    case behavior82UnknownOperationIsRejected
    /// Behavior 83: The `main` operation writes only to the main source, and the `cache` operation only to the cache.
    case behavior83MainAndCacheWriteOnlyOneSource
    /// Behaviors 84 and 86: The `mainSync` and standard operations write to the main source, then to the cache.
    case behavior84MainSyncWritesBoth
    /// Behavior 85: The `cacheSync` operation writes to the cache, then to the main source.
    case behavior85CacheSyncWritesCacheFirst
    /// Behavior 87: If writing to the main source fails, the `mainSync` operation leaves the cache unchanged.
    case behavior87FailureOfMainSourceLeavesCacheUnchanged
    /// If the second write fails, both sources keep their previous values.
    case failedSecondWriteIsUndone

    /// The checks for a repository that uses only its main source.
    public static var ofOneSource: [RepositoryCheck] {
        [.storedValueIsReturnedUntilDeleted, .unknownKeyIsNotFound, .nilIsRejected, .failureOfMainSourceIsThrown]
    }
}

/// An error thrown when a repository fails a check.
public struct RepositoryContractViolation: Error, Sendable, CustomStringConvertible {
    /// The check that failed.
    public let check: RepositoryCheck
    /// A description of the expected and the actual behavior.
    public let explanation: String

    /// The name of the check, followed by the explanation.
    public var description: String { "\(check.rawValue): \(explanation)" }
}

extension RepositoryContractViolation: CheckViolation {}
