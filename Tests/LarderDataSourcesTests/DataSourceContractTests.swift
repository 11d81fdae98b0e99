import Foundation
import LarderCore
import LarderDataSources
import LarderStores
import LarderTesting
import Testing

/// Behaviours 1 to 17 and 24 to 33 on each source; the numbers are in the names of the checks.
struct DataSourceContractTests {
    private let integers = [1, 2, 3]

    @Test(arguments: DataSourceCheck.withoutAllObjects)
    func behaviour17regular(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: integers) { DeviceStorageDataSource<Int>(MemoryStore()) }.run(check)
    }

    @Test(arguments: DataSourceCheck.allCases)
    func behaviour17prefix(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: integers) {
            DeviceStorageDataSource<Int>(MemoryStore(), prefix: "test-prefix")
        }.run(check)
    }

    @Test(arguments: DataSourceCheck.allCases)
    func behaviour17escapedPrefix(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: integers) {
            DeviceStorageDataSource<Int>(MemoryStore(), storageType: .escapedPrefix("a.b"))
        }.run(check)
    }

    @Test(arguments: DataSourceCheck.allCases)
    func behaviour17rootKey(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: integers) {
            DeviceStorageDataSource<Int>(MemoryStore(), storageType: .rootKey("test-root-key"))
        }.run(check)
    }

    @Test(arguments: DataSourceCheck.allCases)
    func behaviour03dictionariesArePayloads(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: [["a": 1], [:], ["b": 2]]) {
            DeviceStorageDataSource<[String: Int]>(MemoryStore(), prefix: "p")
        }.run(check)
    }

    @Test(arguments: DataSourceCheck.allCases)
    func behaviour24inMemory(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: integers) { InMemoryDataSource<Int>() }.run(check)
    }

    @Test(arguments: DataSourceCheck.allCases)
    func behaviour46mapped(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: ["1", "2", "3"]) {
            DataSourceMapper(
                dataSource: InMemoryDataSource<Int>(),
                toInMapper: ClosureMapper { (text: String) in try #require(Int(text)) },
                toOutMapper: ClosureMapper { (number: Int) in "\(number)" }
            )
        }.run(check)
    }

    @Test(arguments: DataSourceCheck.allCases)
    func behaviour46mappedOverAnErasedSource(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: ["1", "2", "3"]) {
            DataSourceMapper(
                dataSource: AnyDataSource(InMemoryDataSource<Int>()),
                toInMapper: ClosureMapper { (text: String) in try #require(Int(text)) },
                toOutMapper: ClosureMapper { (number: Int) in "\(number)" }
            )
        }.run(check)
    }

    /// All but what asks for several keys at once, since a list of models is one value; read as the other of the two it is
    /// `DataSerialization`.
    @Test(arguments: DataSourceCheck.allCases.filter { !DataSourceCheck.ofOtherShapes.contains($0) })
    func behaviour51serialized(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: [["a": 1], ["b": 2], [:]]) {
            DeviceStorageDataSource<String>(MemoryStore(), prefix: "p").codable([String: Int].self)
        }.run(check)
    }

    @Test(arguments: DataSourceCheck.allCases.filter { !DataSourceCheck.ofOtherShapes.contains($0) })
    func behaviour51objectsAssembled(check: DataSourceCheck) async throws {
        try await (AssembledObjects() as any DeprecatedContract).run(check)
    }

    @Test(arguments: DataSourceCheck.allCases)
    func behaviour64retried(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: integers) { RetryDataSource(InMemoryDataSource<Int>()) }.run(check)
    }

    @Test(arguments: DataSourceCheck.allCases)
    func behaviour60validated(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: integers) {
            DataSourceValidator(InMemoryDataSource<Int>(), validator: ClosureValidator())
        }.run(check)
    }

    @Test(arguments: DataSourceCheck.allCases)
    func assembled(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: integers) {
            let source = InMemoryDataSource<Int>()
            return DataSourceAssembler(get: source, put: source, delete: source)
        }.run(check)
    }

    @Test(arguments: DataSourceCheck.allCases)
    func debugged(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: integers) {
            DebugDataSource(InMemoryDataSource<Int>()) { _ in }
        }.run(check)
    }

    @Test(arguments: DataSourceCheck.allCases)
    func behaviour59withMappedQueries(check: DataSourceCheck) async throws {
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

    @Test func behaviour04arraysArePayloads() throws {
        let source = DeviceStorageDataSource<[Int]>(MemoryStore(), storageType: .rootKey("r"))
        source.put([3, 1], forId: "a")
        #expect(try source.get("a").get() == [3, 1])
    }

    @Test func behaviour08withoutAPrefixEverythingIsNotSupported() {
        let source = DeviceStorageDataSource<Int>(MemoryStore())
        #expect(throws: CoreError.QueryNotSupported.self) { try source.delete(AllObjectsQuery()).get() }
        #expect(throws: CoreError.QueryNotSupported.self) { try source.getAll(AllObjectsQuery()).get() }
        #expect(throws: CoreError.QueryNotSupported.self) { try source.entries().get() }
    }

    @Test func behaviour27aListCanBeAValue() throws {
        let source = InMemoryDataSource<[Int]>()
        source.put([1, 2], forId: "l")
        #expect(try source.get("l").get() == [1, 2])
    }

    @Test func aSourceThatBreaksTheContractIsNamed() async throws {
        let contract = DataSourceContract(values: integers) { VoidDataSource<Int>() }
        let violation = await #expect(throws: DataSourceContractViolation.self) { try await contract.run() }
        #expect(violation?.check == .behaviour01ValueComesBack)
        let tooFew = DataSourceContract(values: [1]) { InMemoryDataSource<Int>() }
        await #expect(throws: DataSourceContractViolation.self) { try await tooFew.run(.behaviour01ValueComesBack) }
    }
}

/// What is deprecated is used without a warning by what is deprecated itself, behind a protocol that is not.
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
        .behaviour16OneShapeForEachKey,
        .behaviour05IdentifiersComeBackInOrder, .behaviour07EverythingIsReadAndDeleted,
        .behaviour28MissingIdentifierIsNotFound, .behaviour29CountsMustAgree, .behaviour32IdentifiersAreDeleted,
    ]
}
