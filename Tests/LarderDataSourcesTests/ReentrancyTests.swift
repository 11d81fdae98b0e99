import Foundation
import LarderCore
import LarderDataSources
import LarderStores
import LarderTestSupport
import LarderTesting
import Synchronization
import Testing

/// Tests that code passed in by callers can use the data source that runs it, because the source holds no lock.
struct ReentrancyTests {
    private let key = KeyQuery("k")

    /// A mapper that reads from the data source that uses it.
    private struct LookingUp: Mapper {
        let source: InMemoryDataSource<Int>

        func map(_ value: Int) throws -> Int {
            source.put(value, forId: "mapped")
            return value + (try source.get("offset").get())
        }
    }

    @Test func mapperCanUseSourceDuringUpdate() throws {
        let source = InMemoryDataSource<Int>()
        source.put(10, forId: "offset")
        source.put(1, in: key)
        let mapper = LookingUp(source: source)
        let mapped = DataSourceMapper<Int, Int>(dataSource: source, toInMapper: mapper, toOutMapper: mapper)
        let updated = try mapped.update(key) { $0 = ($0 ?? 0) * 2 }.get()
        #expect(updated == 42)
        #expect(try source.get(key).get() == 32)
    }

    @Test func updateClosureCanUseInMemorySource() throws {
        let source = InMemoryDataSource<Int>()
        let updated = try source.update(key) { value in
            source.put(5, forId: "other")
            value = (try source.update(KeyQuery("other")) { $0 = ($0 ?? 0) + 1 }.get() ?? 0) + (value ?? 0)
        }.get()
        #expect(updated == 6)
    }

    @Test func updateFailsIfClosureWritesSameKey() throws {
        let source = InMemoryDataSource<Int>()
        let error = try #require(throws: CoreError.Failed.self) {
            try source.update(key) { value in
                source.put(1, in: key)
                value = 2
            }.get()
        }
        #expect(error.description.contains("\"k\""))
        #expect(try source.get(key).get() == 1)
    }

    @Test func updateClosureCanUseFileSource() throws {
        let directory = try TemporaryDirectory()
        let source = FileSystemStorageDataSource(folder: directory.path("values"))
        let updated = try source.update(key) { value in
            try source.put(Data("a".utf8), forId: "other").get()
            value = try source.get("other").get() + Data("b".utf8)
        }.get()
        #expect(updated == Data("ab".utf8))
        #expect(try source.get(key).get() == Data("ab".utf8))
    }

    @Test func concurrentFileUpdatesAreNotLost() async throws {
        let directory = try TemporaryDirectory()
        let source = FileSystemStorageDataSource(folder: directory.path("values"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10 { _ = try await source.update(key) { $0 = ($0 ?? Data()) + [1] }.value }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await source.get(key).value.count == 80)
    }

    @Test func concurrentInMemoryUpdatesAreNotLost() async throws {
        let source = InMemoryDataSource<Int>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    for _ in 0..<500 { _ = try await source.update(key) { $0 = ($0 ?? 0) + 1 }.value }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await source.get(key).value == 8_000)
    }

    @Test func customFileNamingCanUseSource() throws {
        let directory = try TemporaryDirectory()
        let box = Recorder<FileSystemStorageDataSource>()
        let source = FileSystemStorageDataSource(
            folder: directory.path("values"),
            naming: .custom { key in
                // This put would wait forever if the source held its locks.
                if key == "k" { for source in box.values { _ = source.put(Data(), forId: "asked").isSettled } }
                return "file-\(key)"
            }
        )
        box.add(source)
        try source.put(Data("a".utf8), in: key).get()
        try source.delete(AllObjectsQuery()).get()
        #expect(throws: CoreError.NotFound.self) { try source.get(key).get() }
    }

    /// A value whose `deinit` uses the data source that stored it.
    private final class Parting: Sendable {
        let source: InMemoryDataSource<Parting>

        init(_ source: InMemoryDataSource<Parting>) { self.source = source }

        deinit { _ = source.get(KeyQuery("k")).isSettled }
    }

    @Test func deinitOfReplacedValueCanUseSource() throws {
        let source = InMemoryDataSource<Parting>()
        source.put(Parting(source), in: key)
        source.put(Parting(source), in: key)
        source.delete(key)
        source.put(Parting(source), in: key)
        source.delete(AllObjectsQuery())
        #expect(throws: CoreError.NotFound.self) { try source.get(key).get() }
    }

    /// A value whose `deinit` reads from the cache that evicted it.
    private final class Forgotten: Sendable {
        static let gone = Atomic(0)
        let cache: Mutex<TimedCacheDataSource<InMemoryDataSource<Forgotten>>?>

        init(_ cache: TimedCacheDataSource<InMemoryDataSource<Forgotten>>) { self.cache = Mutex(cache) }

        deinit {
            _ = cache.withLock { $0 }?.count
            Self.gone.add(1, ordering: .relaxed)
        }
    }

    @Test func deinitOfEvictedValueCanUseCache() throws {
        let memory = InMemoryDataSource<Forgotten>()
        let time = ManualTimeSource()
        let cache = TimedCacheDataSource(
            memory,
            bounds: .init(expiry: .seconds(1), count: 1),
            time: time
        )
        for id in ["a", "b", "b"] {
            cache.put(Forgotten(cache), forId: id)
            memory.delete(AllObjectsQuery())
        }
        time.advance(by: .seconds(2))
        #expect(throws: CoreError.NotFound.self) { try cache.get("b").get() }
        cache.put(Forgotten(cache), forId: "c")
        memory.delete(AllObjectsQuery())
        cache.removeAll()
        #expect(Forgotten.gone.load(ordering: .relaxed) == 4)
    }

    /// An object whose `deinit` uses a future.
    private final class Holder: Sendable {
        let future: Future<Int>

        init(_ future: Future<Int>) { self.future = future }

        deinit { _ = future.isSettled }
    }

    @Test func deinitOfCapturedObjectCanUseFuture() async throws {
        let (future, resolver) = Future<Int>.pending()
        future.then { _ in }
        do {
            let holder = Holder(future)
            let derived = future.map { value in
                _ = holder
                return value
            }
            derived.cancel()
        }
        do {
            let holder = Holder(future)
            resolver.onCancel { _ = holder }
        }
        resolver.onCancel {}
        do {
            let holder = Holder(future)
            resolver.onCancel { _ = holder }
        }
        resolver.set(1)
        #expect(try await future.value == 1)
    }

    /// A query that reads from a data source while that source reads the query's keys.
    private struct AskingQuery: StoreQuery {
        let source: InMemoryDataSource<Int>

        var selection: StoreSelection {
            _ = source.get(KeyQuery("k")).isSettled
            return .all
        }
    }

    @Test func queryCanUseSourceDuringKeyLookup() async throws {
        let source = InMemoryDataSource<Int>()
        let query = AskingQuery(source: source)
        let changes = source.changes(for: query)
        source.put(1, in: key)
        source.delete(query)
        var iterator = changes.makeAsyncIterator()
        #expect(await iterator.next() == .value(1, key: "k"))
        #expect(await iterator.next() == .gone(key: "k"))
    }
}
