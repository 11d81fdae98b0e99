import Foundation
import LarderCore
import LarderDataSources
import LarderStores
import LarderTesting
import Testing

@Suite struct InspectionTests {
    private struct Offline: Error {}

    private let time = ManualTimeSource()

    private static func numbers(_ inspected: some Inspectable) throws -> [String: Double] {
        try Dictionary(uniqueKeysWithValues: inspected.inspectionStatistics().map { ($0.name, $0.number) })
    }

    @Test func timedCacheCountsHitsAndMisses() async throws {
        let source = InMemoryDataSource<Int>()
        source.put(1, forId: "k")
        let cache = TimedCacheDataSource(source, time: time)
        let inspected = InspectedDataSource(cache, name: "numbers")
        #expect(inspected.inspectionRole == .dataSource && inspected.inspectionName == "numbers")
        #expect(try await cache.get("k").value == 1)
        time.advance(by: .seconds(5))
        #expect(try await cache.get("k").value == 1)
        #expect(try await cache.get("k").value == 1)
        let numbers = try Self.numbers(inspected)
        #expect(numbers["hits"] == 2 && numbers["misses"] == 1 && numbers["held values"] == 1)
        #expect(inspected.inspectionFacts().contains(InspectionFact("hits", "2")))
    }

    @Test func repositoryCountsHitsAndMisses() async throws {
        let main = InMemoryDataSource<Int>()
        main.put(1, forId: "k")
        let repository = CacheRepository(main: main, cache: InMemoryDataSource<Int>())
        let inspected = InspectedDataSource(repository, name: "numbers")
        for _ in 0..<3 { #expect(try await repository.get(KeyQuery("k")).value == 1) }
        _ = try await repository.get(KeyQuery("k"), operation: .mainSync).value
        let numbers = try Self.numbers(inspected)
        #expect(numbers["hits"] == 2 && numbers["misses"] == 1 && numbers["fetches under way"] == 0)
    }

    @Test func outboxShowsAttemptsAndErrorOfItsFirstWrite() async throws {
        let store = MemoryStore()
        let main = DataSourceSpy(InMemoryDataSource<Int>())
        let outbox = OutboxDataSource(
            main: main,
            store: store,
            name: "numbers",
            time: time,
            isUnreachable: { $0 is Offline }
        )
        let inspected = InspectedOutbox(outbox)
        #expect(inspected.inspectionRole == .outbox && inspected.inspectionName == "numbers in memory")
        main.fail(with: Offline())
        _ = try await outbox.put(1, in: KeyQuery("k")).value
        _ = try await outbox.put(2, in: KeyQuery("l")).value
        let page = try inspected.inspectionPage(InspectionQuery(table: "pending"))
        #expect(page.records.map(\.key) == ["0", "1"])
        #expect(page.records.map { $0.values[1] } == ["put", "put"])
        #expect(page.records.map { $0.values[2] } == [["k"], ["l"]])
        #expect(page.records[0].values[5] == 2 && page.records[1].values[5] == .null)
        #expect(page.records[0].values[6] == "Offline()")
        #expect(try inspected.inspectionFacts().contains(InspectionFact("pending", "2")))
        main.fail(with: nil)
        try await outbox.replay().value
        #expect(try Self.numbers(inspected) == ["pending": 0, "rejected": 0, "attempts": 4, "failures": 2])
        #expect(try inspected.inspectionTables().map(\.count) == [0, 0])
        #expect(try inspected.inspectionRecord("0", in: "pending") == nil)
        #expect(store.verify().isIntact)
    }

    @Test func valuesOfOutboxAreUnderTheirKeys() async throws {
        let main = DataSourceSpy(InMemoryDataSource<Int>())
        let outbox = OutboxDataSource(
            main: main,
            store: MemoryStore(),
            name: "numbers",
            time: time,
            isUnreachable: { $0 is Offline }
        )
        main.fail(with: Offline())
        _ = try await outbox.put(1, in: KeyQuery("apiKey")).value
        _ = try await outbox.putAll([2, 3], in: IdsQuery(["a", "b"])).value
        _ = try await outbox.putAll([4, 5], in: KeyQuery("list")).value
        _ = try await outbox.delete(KeyQuery("gone")).value
        let inspected = InspectedOutbox(outbox)
        #expect(inspected.inspectionTable(named: "pending")?.columns[3].name == "values")
        let values = try inspected.inspectionPage(InspectionQuery(table: "pending")).records.map { $0.values[3] }
        let names = values.map { value -> [String]? in
            guard case .dictionary(let entries) = value else { return nil }
            return entries.map(\.key)
        }
        #expect(names == [["apiKey"], ["a", "b"], ["list"], nil])
        guard case .dictionary(let list) = values[2], case .array(let elements)? = list["list"] else {
            Issue.record("a list under one key should be an array under the key")
            return
        }
        #expect(elements.count == 2)
        var query = InspectionQuery(table: "pending", limit: 2)
        query.after = try inspected.inspectionPage(query).next
        #expect(try inspected.inspectionPage(query).records.map(\.key) == ["2", "3"])
    }

    @Test func onlyMissesOfCacheAreCountedAsMisses() async throws {
        let main = InMemoryDataSource<Int>()
        main.put(1, forId: "k")
        let cache = DataSourceSpy(InMemoryDataSource<Int>())
        let repository = CacheRepository(main: main, cache: cache)
        let inspected = InspectedDataSource(repository, name: "numbers")
        cache.fail(with: Offline())
        for operation in [.cacheSync, .cache, .staleWhileRevalidate] as [RepositoryOperation] {
            await #expect(throws: Offline.self) { try await repository.get(KeyQuery("k"), operation: operation).value }
        }
        #expect(try Self.numbers(inspected)["misses"] == 0)
        cache.fail(with: nil)
        for operation in [.cache, .cacheSync, .staleWhileRevalidate, .cache] as [RepositoryOperation] {
            _ = try? await repository.get(KeyQuery("k"), operation: operation).value
        }
        let numbers = try Self.numbers(inspected)
        #expect(numbers["misses"] == 2 && numbers["hits"] == 2)
    }
}
