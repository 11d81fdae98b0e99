import LarderCore
import LarderDataSources
import Synchronization

/// A flag that contract checks clear to invalidate all cached values.
final class ContractValidity: Sendable {
    private let state = Mutex(true)
    var isValid: Bool { state.withLock { $0 } }
    func expire() { state.withLock { $0 = false } }
}

/// A run of one contract check on one repository.
struct RepositoryContractRun<T: Sendable & Equatable>: CheckRun {
    typealias Violation = RepositoryContractViolation

    let check: RepositoryCheck
    let repository: AnyRepository<T>
    let main: DataSourceSpy<T>
    let cache: DataSourceSpy<T>
    let mainMemory: InMemoryDataSource<T>
    let cacheMemory: InMemoryDataSource<T>
    let validity: ContractValidity
    let values: [T]

    private struct Broken: Error {}
    private var key: StringKeyQuery { StringKeyQuery("k") }

    func body() async throws {
        let (first, second) = (values[0], values[1])
        switch check {
        case .storedValueIsReturnedUntilDeleted: try await roundTrip()
        case .unknownKeyIsNotFound:
            try await requireFailure(CoreError.NotFound.self) { try await repository.get(key).value }
            try await requireFailure(CoreError.NotFound.self) { try await repository.getAll(key).value }
        case .nilIsRejected:
            _ = try await repository.put(first, in: key).value
            try await requireFailure(CoreError.IllegalArgument.self) { try await repository.put(nil, in: key).value }
            try require(try await repository.get(key).value == first, "rejecting nil must not change the value")
        case .failureOfMainSourceIsThrown:
            main.failNext(Broken(), Broken())
            try await requireFailure(Broken.self) { try await repository.get(key, operation: .main).value }
            try await requireFailure(Broken.self) { try await repository.delete(key, operation: .main).value }
        case .behavior68MainReadsOnlyMainSource:
            _ = try await cacheMemory.put(first, in: key).value
            try await requireFailure(CoreError.NotFound.self) {
                try await repository.get(key, operation: .main).value
            }
            try require(cache.calls.isEmpty, "the cache must not be called")
        case .behavior69MainReturnsValueOfMainSource:
            _ = try await mainMemory.put(first, in: key).value
            try require(
                try await repository.get(key, operation: .main).value == first,
                "get must return the main source's value"
            )
            try require(cache.calls.isEmpty, "the cache must not be called")
        case .behavior70CacheReadsOnlyCache:
            _ = try await mainMemory.put(first, in: key).value
            try await requireFailure(CoreError.NotFound.self) {
                try await repository.get(key, operation: .cache).value
            }
            try require(main.calls.isEmpty, "the main source must not be called")
        case .behavior71CacheReturnsValidValue:
            _ = try await cacheMemory.put(first, in: key).value
            try require(
                try await repository.get(key, operation: .cache).value == first,
                "get must return the cache's value"
            )
            try require(main.calls.isEmpty, "the main source must not be called")
        case .behavior72CacheMissFillsCache:
            _ = try await mainMemory.put(first, in: key).value
            try require(
                try await repository.get(key, operation: .cacheSync).value == first,
                "get must return the main source's value"
            )
            try require(main.calls.map(\.verb) == ["get"], "the main source must be called once")
            try require(try await cacheMemory.get(key).value == first, "the cache must hold the value")
        case .behavior73CacheHitDoesNotReadMainSource:
            _ = try await cacheMemory.put(first, in: key).value
            _ = try await mainMemory.put(second, in: key).value
            try require(
                try await repository.get(key, operation: .cacheSync).value == first,
                "get must return the cache's value"
            )
            try require(main.calls.isEmpty, "the main source must not be called")
        case .behavior74InvalidValueIsReplaced:
            try await holdInvalid(first)
            _ = try await mainMemory.put(second, in: key).value
            try require(
                try await repository.get(key, operation: .cacheSync).value == second,
                "get must return the main source's value"
            )
            try require(try await cacheMemory.get(key).value == second, "the cache must hold the value")
        case .behavior75ValueMissingInMainSourceIsNotFound:
            try await holdInvalid(first)
            try await requireFailure(CoreError.NotFound.self) {
                try await repository.get(key, operation: .cacheSync).value
            }
        case .behavior76MainSyncFillsCache:
            _ = try await mainMemory.put(first, in: key).value
            _ = try await mainMemory.putAll(values, in: StringKeyQuery("l")).value
            try require(
                try await repository.get(key, operation: .mainSync).value == first,
                "get must return the main source's value"
            )
            _ = try await repository.getAll(StringKeyQuery("l"), operation: .mainSync).value
            try require(try await cacheMemory.get(key).value == first, "the cache must hold the value")
            try require(try await cacheMemory.getAll("l").value == values, "the cache must hold the list")
        default: try await furtherChecks()
        }
    }

    private func furtherChecks() async throws {
        let (first, second) = (values[0], values[1])
        switch check {
        case .behavior77CacheRejectsInvalidValue:
            try await holdInvalid(first)
            try await requireFailure(CoreError.NotValid.self) {
                try await repository.get(key, operation: .cache).value
            }
            let value = try await repository.get(key, operation: .cache(ignoresValidation: true)).value
            try require(value == first, "get must return the invalid value")
        case .behavior79UndecodableValueIsCacheMiss:
            _ = try await mainMemory.put(first, in: key).value
            cache.failNext(CoreError.DataSerialization())
            try require(
                try await repository.get(key, operation: .cacheSync).value == first,
                "get must return the main source's value"
            )
            try require(try await cacheMemory.get(key).value == first, "the cache must hold the value")
        case .behavior80FallbackDecidesAboutInvalidValue:
            try await holdInvalid(first)
            main.failNext(Broken(), Broken())
            let value = try await repository.get(key, operation: .cacheSync { $0.mainError is Broken }).value
            try require(value == first, "get must return the cache's value")
            try await requireFailure(Broken.self) {
                try await repository.get(key, operation: .cacheSync { _ in false }).value
            }
        case .behavior81OtherFailureOfCacheIsThrown:
            cache.failNext(Broken())
            try await requireFailure(Broken.self) { try await repository.get(key, operation: .cacheSync).value }
            try require(main.calls.isEmpty, "the main source must not be called")
        case .behavior82UnknownOperationIsRejected:
            let other = RepositoryOperation.other("contract")
            try await requireFailure(CoreError.NotImplemented.self) {
                try await repository.get(key, operation: other).value
            }
            try await requireFailure(CoreError.NotImplemented.self) {
                try await repository.getAll(key, operation: other).value
            }
            try await requireFailure(CoreError.NotImplemented.self) {
                try await repository.put(first, in: key, operation: other).value
            }
            try await requireFailure(CoreError.NotImplemented.self) {
                try await repository.putAll(values, in: key, operation: other).value
            }
            try await requireFailure(CoreError.NotImplemented.self) {
                try await repository.delete(key, operation: other).value
            }
        case .behavior83MainAndCacheWriteOnlyOneSource:
            _ = try await repository.put(first, in: key, operation: .main).value
            try require(cache.calls.isEmpty, "the cache must not be called")
            let asked = main.calls.count
            _ = try await repository.put(second, in: key, operation: .cache).value
            try await repository.delete(key, operation: .cache).value
            try require(main.calls.count == asked, "the main source must not be called")
            try require(try await mainMemory.get(key).value == first, "the main source must hold the first value")
        case .behavior84MainSyncWritesBoth:
            for (operation, value) in [(RepositoryOperation.mainSync, first), (.standard, second)] {
                _ = try await repository.put(value, in: key, operation: operation).value
                try require(try await mainMemory.get(key).value == value, "the main source must hold the value")
                try require(try await cacheMemory.get(key).value == value, "the cache must hold the value")
            }
            try await repository.delete(key, operation: .mainSync).value
            try await requireFailure(CoreError.NotFound.self) { try await mainMemory.get(key).value }
            try await requireFailure(CoreError.NotFound.self) { try await cacheMemory.get(key).value }
        case .behavior85CacheSyncWritesCacheFirst:
            main.fail(with: Broken())
            try await requireFailure(Broken.self) { try await repository.delete(key, operation: .cacheSync).value }
            try require(cache.calls.contains { $0.verb == "delete" }, "the value must be deleted from the cache first")
        case .behavior87FailureOfMainSourceLeavesCacheUnchanged:
            _ = try await cacheMemory.put(first, in: key).value
            main.fail(["put"], with: Broken())
            try await requireFailure(Broken.self) {
                try await repository.put(second, in: key, operation: .mainSync).value
            }
            try require(try await cacheMemory.get(key).value == first, "the cache must be unchanged")
        case .failedSecondWriteIsUndone:
            _ = try await repository.put(first, in: key).value
            cache.fail(["put"], with: Broken())
            try await requireFailure(Broken.self) { try await repository.put(second, in: key).value }
            try require(try await mainMemory.get(key).value == first, "the main source must be unchanged")
        default: break
        }
    }

    private func roundTrip() async throws {
        let list = StringKeyQuery("l")
        try require(try await repository.put(values[0], in: key).value == values[0], "put must return the value")
        try require(try await repository.get(key).value == values[0], "get must return the value that was put")
        try require(try await repository.putAll(values, in: list).value == values, "putAll must return the list")
        try require(try await repository.getAll(list).value == values, "getAll must return the list in order")
        try await repository.delete(key).value
        try await repository.delete(list).value
        try await requireFailure(CoreError.NotFound.self) { try await repository.get(key).value }
        try await requireFailure(CoreError.NotFound.self) { try await repository.getAll(list).value }
    }

    private func holdInvalid(_ value: T) async throws {
        _ = try await cacheMemory.put(value, in: key).value
        validity.expire()
    }
}
