import Foundation
import LarderCore
import LarderDataSources
import LarderStores
import LarderTesting
import Testing

/// Runs the contract for data sources, which covers behaviors 1 to 17 and 24 to 33, on each of Larder's sources.
///
/// The names of the checks contain the numbers of the behaviors.
struct DataSourceContractTests {
    private let integers = [1, 2, 3]

    // Behavior 17.
    @Test(arguments: DataSourceCheck.withoutAllObjects)
    func sourceWithUnprefixedKeysMeetsContract(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: integers) { DeviceStorageDataSource<Int>(MemoryStore()) }.run(check)
    }

    // Behavior 17.
    @Test(arguments: DataSourceCheck.allCases)
    func sourceWithPrefixMeetsContract(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: integers) {
            DeviceStorageDataSource<Int>(MemoryStore(), prefix: "test-prefix")
        }.run(check)
    }

    // Behavior 17.
    @Test(arguments: DataSourceCheck.allCases)
    func sourceWithEscapedPrefixMeetsContract(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: integers) {
            DeviceStorageDataSource<Int>(MemoryStore(), storageType: .escapedPrefix("a.b"))
        }.run(check)
    }

    // Behavior 17.
    @Test(arguments: DataSourceCheck.allCases)
    func sourceWithRootKeyMeetsContract(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: integers) {
            DeviceStorageDataSource<Int>(MemoryStore(), storageType: .rootKey("test-root-key"))
        }.run(check)
    }

    // Behavior 3.
    @Test(arguments: DataSourceCheck.allCases)
    func sourceOfDictionariesMeetsContract(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: [["a": 1], [:], ["b": 2]]) {
            DeviceStorageDataSource<[String: Int]>(MemoryStore(), prefix: "p")
        }.run(check)
    }

    // Behavior 24.
    @Test(arguments: DataSourceCheck.allCases)
    func inMemorySourceMeetsContract(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: integers) { InMemoryDataSource<Int>() }.run(check)
    }

    // Behavior 46.
    @Test(arguments: DataSourceCheck.allCases)
    func mappedSourceMeetsContract(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: ["1", "2", "3"]) {
            DataSourceMapper(
                dataSource: InMemoryDataSource<Int>(),
                toInMapper: ClosureMapper { (text: String) in try #require(Int(text)) },
                toOutMapper: ClosureMapper { (number: Int) in "\(number)" }
            )
        }.run(check)
    }

    // Behavior 46.
    @Test(arguments: DataSourceCheck.allCases)
    func mappedTypeErasedSourceMeetsContract(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: ["1", "2", "3"]) {
            DataSourceMapper(
                dataSource: AnyDataSource(InMemoryDataSource<Int>()),
                toInMapper: ClosureMapper { (text: String) in try #require(Int(text)) },
                toOutMapper: ClosureMapper { (number: Int) in "\(number)" }
            )
        }.run(check)
    }

    // Behavior 51.
    /// Skips the checks that read a list as a value or the reverse.
    ///
    /// A list of models is stored as one value, so such a read fails with `DataSerialization`.
    @Test(arguments: DataSourceCheck.allCases.filter { !DataSourceCheck.ofOtherShapes.contains($0) })
    func sourceOfSerializedModelsMeetsContract(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: [["a": 1], ["b": 2], [:]]) {
            DeviceStorageDataSource<String>(MemoryStore(), prefix: "p").codable([String: Int].self)
        }.run(check)
    }

    // Behavior 51.
    @Test(arguments: DataSourceCheck.allCases.filter { !DataSourceCheck.ofOtherShapes.contains($0) })
    func objectAssemblerSourceMeetsContract(check: DataSourceCheck) async throws {
        try await (AssembledObjects() as any DeprecatedContract).run(check)
    }

    // Behavior 64.
    @Test(arguments: DataSourceCheck.allCases)
    func retryingSourceMeetsContract(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: integers) { RetryDataSource(InMemoryDataSource<Int>()) }.run(check)
    }

    // Behavior 60.
    @Test(arguments: DataSourceCheck.allCases)
    func validatedSourceMeetsContract(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: integers) {
            DataSourceValidator(InMemoryDataSource<Int>(), validator: ClosureValidator())
        }.run(check)
    }

    @Test(arguments: DataSourceCheck.allCases)
    func assembledSourceMeetsContract(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: integers) {
            let source = InMemoryDataSource<Int>()
            return DataSourceAssembler(get: source, put: source, delete: source)
        }.run(check)
    }

    @Test(arguments: DataSourceCheck.allCases)
    func debugDataSourceMeetsContract(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: integers) {
            DebugDataSource(InMemoryDataSource<Int>()) { _ in }
        }.run(check)
    }

    // Behavior 59.
    @Test(arguments: DataSourceCheck.allCases)
    func sourceWithMappedQueriesMeetsContract(check: DataSourceCheck) async throws {
        let same = IdentityMapper<any Query>()
        try await DataSourceContract(values: integers) {
            DataSourceQueryMapper(
                AnyDataSource(InMemoryDataSource<Int>()),
                getQueryMapper: same,
                getAllQueryMapper: same,
                putQueryMapper: same,
                putAllQueryMapper: same,
                deleteQueryMapper: same
            )
        }.run(check)
    }

    // Behavior 4.
    @Test func arraysCanBeStoredUnderRootKey() throws {
        let source = DeviceStorageDataSource<[Int]>(MemoryStore(), storageType: .rootKey("r"))
        source.put([3, 1], forId: "a")
        #expect(try source.get("a").get() == [3, 1])
    }

    // Behavior 8.
    @Test func allObjectsQueryRequiresPrefix() {
        let source = DeviceStorageDataSource<Int>(MemoryStore())
        #expect(throws: CoreError.QueryNotSupported.self) { try source.delete(AllObjectsQuery()).get() }
        #expect(throws: CoreError.QueryNotSupported.self) { try source.getAll(AllObjectsQuery()).get() }
        #expect(throws: CoreError.QueryNotSupported.self) { try source.entries().get() }
    }

    // Behavior 27.
    @Test func listCanBeStoredAsSingleValue() throws {
        let source = InMemoryDataSource<[Int]>()
        source.put([1, 2], forId: "l")
        #expect(try source.get("l").get() == [1, 2])
    }

    @Test func contractViolationNamesFailedSourceCheck() async throws {
        let contract = DataSourceContract(values: integers) { VoidDataSource<Int>() }
        let violation = await #expect(throws: DataSourceContractViolation.self) { try await contract.run() }
        #expect(violation?.check == .behavior01StoredValueIsReturned)
        let tooFew = DataSourceContract(values: [1]) { InMemoryDataSource<Int>() }
        await #expect(throws: DataSourceContractViolation.self) {
            try await tooFew.run(.behavior01StoredValueIsReturned)
        }
    }
}

/// A protocol through which tests can use a deprecated type without a warning.
private protocol DeprecatedContract {
    func run(_ check: DataSourceCheck) async throws
}

private struct AssembledObjects: DeprecatedContract {
    @available(*, deprecated, message: "It shows what is deprecated.")
    func run(_ check: DataSourceCheck) async throws {
        try await DataSourceContract(values: [["a": 1], ["b": 2], [:]]) {
            DeviceStorageObjectAssemblerDataSource(
                ModelToStringMapper<[String: Int]>(),
                StringToModelMapper([String: Int].self),
                ListModelToStringMapper<[String: Int]>(),
                StringToListModelMapper([[String: Int]].self),
                DeviceStorageDataSource<String>(MemoryStore(), prefix: "p")
            )
        }.run(check)
    }
}

extension DataSourceCheck {
    static let ofOtherShapes: [DataSourceCheck] = [
        .behavior16KeyHoldsValueOrList,
        .behavior05ValuesFollowOrderOfIdentifiers, .behavior07AllObjectsAreReadAndDeleted,
        .behavior28MissingIdentifierIsNotFound, .behavior29DifferentCountsAreRejected,
        .behavior32OnlyGivenIdentifiersAreDeleted,
    ]
}
