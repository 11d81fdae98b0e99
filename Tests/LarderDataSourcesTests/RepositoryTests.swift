import LarderCore
import LarderDataSources
import LarderTesting
import Testing

@Suite struct RepositoryTests {
    private struct Broken: Error {}
    private let key = KeyQuery("k")
    private let values = [1, 2, 3]

    // MARK: - The contract

    @Test(arguments: RepositoryCheck.allCases)
    func cacheRepositoryMeetsContract(check: RepositoryCheck) async throws {
        try await RepositoryContract(values: values) {
            CacheRepository(main: $0.main, cache: $0.cache, validator: $0.validator)
        }.run(check)
    }

    @Test(arguments: RepositoryCheck.ofOneSource)
    func repositoryWithSingleSourceMeetsContract(check: RepositoryCheck) async throws {
        try await RepositoryContract(values: values) { $0.main.asRepository() }.run(check)
    }

    @Test(arguments: RepositoryCheck.allCases)
    func mappedRepositoryMeetsContract(check: RepositoryCheck) async throws {
        try await RepositoryContract(values: values) { parts in
            // Maps each number to a string and back.
            let texts = RepositoryMapper(
                repository: CacheRepository(main: parts.main, cache: parts.cache, validator: parts.validator),
                toInMapper: ClosureMapper { (text: String) in try #require(Int(text)) },
                toOutMapper: ClosureMapper { (number: Int) in "\(number)" }
            )
            return RepositoryMapper(
                repository: texts,
                toInMapper: ClosureMapper { (number: Int) in "\(number)" },
                toOutMapper: ClosureMapper { (text: String) in try #require(Int(text)) }
            )
        }.run(check)
    }

    @Test(arguments: RepositoryCheck.allCases)
    func retryingRepositoryMeetsContract(check: RepositoryCheck) async throws {
        try await RepositoryContract(values: values) {
            RetryRepository(
                CacheRepository(main: $0.main, cache: $0.cache, validator: $0.validator),
                policy: RetryPolicy(attempts: 3) { _ in false }
            )
        }.run(check)
    }

    @Test(arguments: RepositoryCheck.allCases)
    func assembledRepositoryMeetsContract(check: RepositoryCheck) async throws {
        try await RepositoryContract(values: values) {
            let inner = CacheRepository(main: $0.main, cache: $0.cache, validator: $0.validator)
            return RepositoryAssembler(get: inner, put: inner, delete: inner)
        }.run(check)
    }

    @Test(arguments: RepositoryCheck.allCases)
    func typeErasedRepositoryMeetsContract(check: RepositoryCheck) async throws {
        try await RepositoryContract(values: values) {
            AnyRepository(CacheRepository(main: $0.main, cache: $0.cache, validator: $0.validator))
        }.run(check)
    }

    @Test func contractViolationNamesFailedRepositoryCheck() async throws {
        let contract = RepositoryContract(values: values) { _ in VoidRepository<Int>() }
        let violation = await #expect(throws: RepositoryContractViolation.self) { try await contract.run() }
        #expect(violation?.check == .storedValueIsReturnedUntilDeleted)
        let tooFew = RepositoryContract(values: [1]) { $0.main.asRepository() }
        await #expect(throws: RepositoryContractViolation.self) { try await tooFew.run(.unknownKeyIsNotFound) }
        // A repository with a single source ignores operations.
        let single = RepositoryContract(values: values) { $0.main.asRepository() }
        let broken = await #expect(throws: RepositoryContractViolation.self) {
            try await single.run(.behavior70CacheReadsOnlyCache)
        }
        #expect(broken?.description.hasPrefix("behavior70CacheReadsOnlyCache: ") == true)
    }

    // MARK: - Wrapping

    @Test func retriesPassSameOperationToRepository() throws {
        let spy = RepositorySpy<Int>()
        spy.failNext(Broken(), Broken(), Broken(), Broken(), Broken())
        let repository = RetryRepository(spy)
        #expect(throws: Broken.self) { try repository.get(key, operation: .cache).get() }
        #expect(spy.calls.map(\.description) == ["get k by cache", "get k by cache"])
        #expect(throws: Broken.self) { try repository.put(1, in: key, operation: .main).get() }
        #expect(try repository.put(1, in: key).get() == 1)
        #expect(try repository.putAll([1], in: key, operation: .mainSync).get() == [1])
        #expect(try repository.getAll(key).get() == [1])
        try repository.delete(key).get()
        #expect(spy.calls.last?.description == "delete k by standard")
        #expect(spy.calls.map(\.values).contains([1]))
    }

    @Test func repositoryIsNotCalledIfMapperThrows() throws {
        let spy = RepositorySpy<Int>()
        let repository = RepositoryMapper<RepositorySpy<Int>, String>(
            repository: spy,
            toInMapper: ClosureMapper { _ in throw Broken() },
            toOutMapper: ClosureMapper { "\($0)" }
        )
        #expect(throws: Broken.self) { try repository.put("x", in: key).get() }
        #expect(throws: Broken.self) { try repository.putAll(["x"], in: key).get() }
        #expect(spy.calls.isEmpty)
        try repository.delete(key, operation: .main).get()
        #expect(spy.calls.map(\.description) == ["delete k by main"])
    }

    // Behavior 89.
    @Test func voidRepositoryThrowsNotImplemented() {
        let void = VoidRepository<Int>()
        #expect(throws: CoreError.NotImplemented.self) { try void.get(key).get() }
        #expect(throws: CoreError.NotImplemented.self) { try void.getAll(key).get() }
        #expect(throws: CoreError.NotImplemented.self) { try void.put(1, in: key).get() }
        #expect(throws: CoreError.NotImplemented.self) { try void.putAll([1], in: key).get() }
        #expect(throws: CoreError.NotImplemented.self) { try void.delete(key).get() }
    }

    @Test func readOnlyAssembledRepositoryDoesNotImplementWrites() throws {
        let memory = InMemoryDataSource<Int>()
        memory.put(1, in: key)
        let reader = RepositoryAssembler(get: memory.asRepository())
        #expect(try reader.get(key).get() == 1)
        #expect(throws: CoreError.NotImplemented.self) { try reader.delete(key).get() }
    }

    @Test func typeErasedRepositoryRejectsUnsupportedQuery() {
        let erased = AnyRepository(InMemoryDataSource<Int>().asRepository())
        #expect(throws: CoreError.QueryNotSupported.self) { try erased.get(VoidQuery()).get() }
        #expect(throws: CoreError.QueryNotSupported.self) { try erased.put(1, in: VoidQuery()).get() }
        #expect(throws: CoreError.QueryNotSupported.self) { try erased.delete(VoidQuery()).get() }
    }

    @Test func interactorPassesOperationToRepository() throws {
        let spy = RepositorySpy<Int>()
        let (put, get) = (spy.toPutInteractor(.main), spy.toGetInteractor())
        let (putAll, getAll) = (spy.toPutAllInteractor(), spy.toGetAllInteractor(.cache))
        let delete = spy.toDeleteInteractor(.mainSync)
        #expect(try put(1, key).get() == 1)
        #expect(try get(key).get() == 1)
        #expect(try putAll([2], key).get() == [2])
        #expect(try getAll(key).get() == [2])
        try delete(key).get()
        #expect(
            spy.calls.map { "\($0.operation)" } == ["main", "standard", "standard", "cache", "mainSync"]
        )
    }
}
