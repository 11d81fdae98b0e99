public import LarderDataSources

/// What every storage must do, as checks to run against a source of any kind, also one of your own.
///
/// Each check has the numbers of the behaviours it covers in its name. They ask for nothing but the protocols and do not depend
/// on a test framework: a check that fails throws a ``DataSourceContractViolation``. With Swift Testing:
///
/// ```swift
/// let contract = DataSourceContract<Int>(values: [1, 2, 3]) { MySource() }
///
/// @Test(arguments: DataSourceCheck.allCases)
/// func keepsTheContract(check: DataSourceCheck) async throws {
///     try await contract.run(check)
/// }
/// ```
public struct DataSourceContract<T: Sendable & Equatable>: Sendable {
    private let values: [T]
    private let make: @Sendable () throws -> AnyDataSource<T>

    /// The contract for one kind of source.
    ///
    /// - Parameters:
    ///   - values: At least three different ones to put.
    ///   - make: Makes a new, empty source that shares nothing with the ones made before.
    public init<Source: GetDataSource<T> & PutDataSource<T> & DeleteDataSource>(
        values: [T],
        make: @escaping @Sendable () throws -> Source
    ) {
        self.values = values
        self.make = { AnyDataSource(try make()) }
    }

    /// Runs every check, each on a source of its own.
    ///
    /// - Parameter checks: Which; all unless given.
    /// - Throws: ``DataSourceContractViolation`` for the first check that fails.
    public func run(_ checks: [DataSourceCheck] = DataSourceCheck.allCases) async throws {
        for check in checks { try await run(check) }
    }

    /// Runs one check on a source of its own.
    ///
    /// - Parameter check: What to check.
    /// - Throws: ``DataSourceContractViolation`` when the source breaks the contract.
    public func run(_ check: DataSourceCheck) async throws {
        guard values.count >= 3 else {
            throw DataSourceContractViolation(check: check, explanation: "The contract needs three values to put.")
        }
        let run = DataSourceContractRun(check: check, source: try make(), values: values)
        try await DataSourceContractViolation.run(check, "The source failed") { try await run.body() }
    }
}

/// One thing that ``DataSourceContract`` checks; the numbers are those of the documented behaviours.
public enum DataSourceCheck: String, Sendable, Hashable, CaseIterable {
    /// 1: what was put is got.
    case behaviour01ValueComesBack
    /// 2: a list comes back in its order.
    case behaviour02ListComesBackInOrder
    /// 5: values under several identifiers come back in the order of the identifiers.
    case behaviour05IdentifiersComeBackInOrder
    /// 6: a deleted value is not found.
    case behaviour06DeletedIsNotFound
    /// 7, 31, 33: everything can be read and deleted, values and lists.
    case behaviour07EverythingIsReadAndDeleted
    /// 9, 10: an unknown key is not found.
    case behaviour09UnknownIsNotFound
    /// 11 to 15: a query that is not taken is `CoreError.QueryNotSupported`.
    case behaviour11UnknownQueriesAreNotSupported
    /// 16, 25: a key holds a value or a list, the one put last.
    case behaviour16OneShapeForEachKey
    /// 26: putting nil is an illegal argument and changes nothing.
    case behaviour26NilIsRefused
    /// 28: one missing identifier fails the whole list, naming it.
    case behaviour28MissingIdentifierIsNotFound
    /// 29: as many values as identifiers.
    case behaviour29CountsMustAgree
    /// 30: deleting what is not there succeeds.
    case behaviour30DeletingNothingSucceeds
    /// 32: several identifiers are deleted, others stay.
    case behaviour32IdentifiersAreDeleted
    /// A list under all objects is refused, a single value too.
    case everythingIsNoKey
    /// Empty lists and unusual keys are kept.
    case emptyListsAndUnusualKeysAreKept
    /// `update` changes a value in one step, also when many do at once; one that throws changes nothing.
    case updatesAreOneStep
    /// `entries` has every single value with its key, sorted.
    case entriesHaveTheirKeys
    /// 102: `changes` tells of what is put and deleted under the keys of the query, in order.
    case behaviour102ChangesAreTold

    /// The checks for sources that can't tell their keys from those of others.
    public static var withoutAllObjects: [DataSourceCheck] {
        allCases.filter { $0 != .behaviour07EverythingIsReadAndDeleted && $0 != .entriesHaveTheirKeys }
    }

    /// The checks for sources that read, write and delete, and do no more.
    public static var verbsOnly: [DataSourceCheck] {
        let more: Set<DataSourceCheck> = [.updatesAreOneStep, .entriesHaveTheirKeys, .behaviour102ChangesAreTold]
        return allCases.filter { !more.contains($0) }
    }
}

/// A promise that a data source did not keep.
public struct DataSourceContractViolation: Error, Sendable, CustomStringConvertible {
    /// What was checked.
    public let check: DataSourceCheck
    /// What was expected, and what happened.
    public let explanation: String

    /// The name of the check and the explanation.
    public var description: String { "\(check.rawValue): \(explanation)" }
}

extension DataSourceContractViolation: CheckViolation {}
