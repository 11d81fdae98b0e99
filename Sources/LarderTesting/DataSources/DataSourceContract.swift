public import LarderDataSources

/// A contract for data sources that store values.
///
/// The contract consists of checks that you can run on any data source, including your own.
///
/// The checks use only the protocols and work with any test framework. A failed check throws a ``DataSourceContractViolation``. With Swift
/// Testing, write:
///
/// ```swift
/// let contract = DataSourceContract<Int>(values: [1, 2, 3]) { MySource() }
///
/// @Test(arguments: DataSourceCheck.allCases)
/// func sourceMeetsContract(check: DataSourceCheck) async throws {
///     try await contract.run(check)
/// }
/// ```
public struct DataSourceContract<T: Sendable & Equatable>: Sendable {
    private let values: [T]
    private let make: @Sendable () throws -> AnyDataSource<T>

    /// Creates a contract for one type of data source.
    ///
    /// - Parameters:
    ///   - values: At least three different values for the checks.
    ///   - make: A closure that returns a new, empty data source, which must not share state with earlier sources.
    public init<Source: GetDataSource<T> & PutDataSource<T> & DeleteDataSource>(
        values: [T],
        make: @escaping @Sendable () throws -> Source
    ) {
        self.values = values
        self.make = { AnyDataSource(try make()) }
    }

    /// Runs several checks, each on its own source.
    ///
    /// - Parameter checks: The checks to run. The default is all checks.
    /// - Throws: ``DataSourceContractViolation`` for the first check that fails.
    public func run(_ checks: [DataSourceCheck] = DataSourceCheck.allCases) async throws {
        for check in checks { try await run(check) }
    }

    /// Runs one check on its own source.
    ///
    /// - Parameter check: The check to run.
    /// - Throws: ``DataSourceContractViolation`` if the source breaks the contract.
    public func run(_ check: DataSourceCheck) async throws {
        guard values.count >= 3 else {
            throw DataSourceContractViolation(check: check, explanation: "the contract needs at least 3 values")
        }
        let run = DataSourceContractRun(check: check, source: try make(), values: values)
        try await DataSourceContractViolation.run(check, "the source failed with") { try await run.body() }
    }
}

/// A check that ``DataSourceContract`` performs.
///
/// Most checks are named after the number of the documented behavior that they verify.
public enum DataSourceCheck: String, Sendable, Hashable, CaseIterable {
    /// Behavior 1: `get` returns the value that was put.
    case behavior01StoredValueIsReturned
    /// Behavior 2: `getAll` returns the elements of a list in the order in which they were written.
    case behavior02ListIsReturnedInOrder
    /// Behavior 5: `getAll` returns the values of several identifiers in the order of the identifiers.
    case behavior05ValuesFollowOrderOfIdentifiers
    /// Behavior 6: Reading a deleted value fails with `CoreError.NotFound`.
    case behavior06DeletedValueIsNotFound
    /// Behaviors 7, 31 and 33: `AllObjectsQuery` reads and deletes all values and lists.
    case behavior07AllObjectsAreReadAndDeleted
    /// Behaviors 9 and 10: Getting a missing key fails with `CoreError.NotFound`.
    case behavior09UnknownKeyIsNotFound
    /// Behaviors 11 to 15: An unsupported query fails with `CoreError.QueryNotSupported`.
    case behavior11UnsupportedQueryIsRejected
    /// Behaviors 16 and 25: A key holds either a value or a list, whichever was written last.
    case behavior16KeyHoldsValueOrList
    /// Behavior 26: Writing `nil` fails with `CoreError.IllegalArgument` and changes nothing.
    case behavior26NilIsRejected
    /// Behavior 28: Reading several identifiers fails if one of them is missing.
    case behavior28MissingIdentifierIsNotFound
    /// Behavior 29: Writing several values fails if the numbers of values and identifiers differ.
    case behavior29DifferentCountsAreRejected
    /// Behavior 30: Deleting a missing value succeeds.
    case behavior30DeletingMissingValueSucceeds
    /// Behavior 32: Deleting several identifiers does not delete the values of other identifiers.
    case behavior32OnlyGivenIdentifiersAreDeleted
    /// `AllObjectsQuery` is rejected for writing a list and for reading or writing a single value.
    case allObjectsQueryIsRejectedAsKey
    /// Empty lists are stored, and keys may contain any characters, such as spaces and control characters.
    case emptyListsAndUnusualKeysAreStored
    /// `update` is atomic, even with concurrent updates.
    ///
    /// If the closure of an update throws an error, nothing is changed.
    case updatesAreAtomic
    /// `entries` returns all single values with their keys, sorted by key.
    case entriesContainKeys
    /// Behavior 102: `changes` reports writes and deletions of the observed keys, in order.
    case behavior102ChangesAreReported

    /// The checks for sources that do not support `AllObjectsQuery`.
    public static var withoutAllObjects: [DataSourceCheck] {
        allCases.filter { $0 != .behavior07AllObjectsAreReadAndDeleted && $0 != .entriesContainKeys }
    }

    /// The checks for sources that do not support `update`, `entries` and `changes`.
    public static var verbsOnly: [DataSourceCheck] {
        let more: Set<DataSourceCheck> = [.updatesAreAtomic, .entriesContainKeys, .behavior102ChangesAreReported]
        return allCases.filter { !more.contains($0) }
    }
}

/// An error thrown when a data source fails a contract check.
public struct DataSourceContractViolation: Error, Sendable, CustomStringConvertible {
    /// The check that failed.
    public let check: DataSourceCheck
    /// A description of the expected and the actual behavior.
    public let explanation: String

    /// The name of the check, followed by the explanation.
    public var description: String { "\(check.rawValue): \(explanation)" }
}

extension DataSourceContractViolation: CheckViolation {}
