import Foundation
import LarderCore
import LarderDataSources
import LarderStores
import LarderTestSupport
import LarderTesting
import Testing

/// Tests the documented behaviors that no other file tests by their number.
@Suite struct DocumentedBehaviorTests {
    private let store = MemoryStore()
    private let time = ManualTimeSource()
    private let key = KeyQuery("k")

    // MARK: - 1 to 33: storages

    // Behavior 10.
    @Test func readingMissingListFailsWithNotFound() {
        let source = DeviceStorageDataSource<Int>(store, prefix: "p")
        #expect(throws: CoreError.NotFound.self) { try source.getAll("none").get() }
    }

    private var erased: AnyDataSource<Int> { AnyDataSource(DeviceStorageDataSource<Int>(store, prefix: "p")) }

    // Behavior 12.
    @Test func readingListByVoidQueryIsNotSupported() {
        #expect(throws: CoreError.QueryNotSupported.self) { try erased.getAll(VoidQuery()).get() }
    }

    // Behavior 13.
    @Test func writingValueByVoidQueryIsNotSupported() {
        #expect(throws: CoreError.QueryNotSupported.self) { try erased.put(1, in: VoidQuery()).get() }
    }

    // Behavior 14.
    @Test func writingListByVoidQueryIsNotSupported() {
        #expect(throws: CoreError.QueryNotSupported.self) { try erased.putAll([1], in: VoidQuery()).get() }
    }

    // Behavior 15.
    @Test func deletingByVoidQueryIsNotSupported() {
        #expect(throws: CoreError.QueryNotSupported.self) { try erased.delete(VoidQuery()).get() }
    }

    // Behavior 19.
    @Test func valuesWithDifferentPrefixesAreIndependent() throws {
        let doubles = DeviceStorageDataSource<Double>(store, prefix: "Double")
        let integers = DeviceStorageDataSource<Int>(store, prefix: "Int")
        doubles.put(3.14159265359, forId: "pi")
        integers.put(3, forId: "pi")
        #expect(try doubles.get("pi").get() == 3.14159265359)
        #expect(try integers.get("pi").get() == 3)
        #expect(try store.keys() == ["Double.pi", "Int.pi"])
    }

    // Behavior 20.
    @Test func storedDoubleCanBeReadAsString() throws {
        DeviceStorageDataSource<Double>(store, prefix: "Double").put(3.14159265359, forId: "pi")
        #expect(try DeviceStorageDataSource<String>(store, prefix: "Double").get("pi").get() == "3.14159265359")
    }

    // Behavior 21.
    @Test func readingUnconvertibleValueFailsWithNotFound() {
        DeviceStorageDataSource<String>(store).put("three", forId: "pi")
        #expect(throws: DataNotFoundException.self) { try DeviceStorageDataSource<Double>(store).get("pi").get() }
    }

    // Behavior 22.
    @Test func thenOrFailRunsRegardlessOfRegistrationOrder() {
        let source = DeviceStorageDataSource<Int>(store)
        source.put(1, forId: "a")
        let said = Recorder<String>()
        source.get("a").then { said.add("then \($0)") }.fail { _ in said.add("fail") }
        source.get("a").fail { _ in said.add("fail") }.then { said.add("then \($0)") }
        source.get("none").then { said.add("then \($0)") }.fail { _ in said.add("fail") }
        source.get("none").fail { _ in said.add("fail") }.then { said.add("then \($0)") }
        #expect(said.values == ["then 1", "then 1", "fail", "fail"])
    }

    // Behavior 23.
    @Test func resultsOfPutAndDeleteCanBeIgnored() throws {
        let source = DeviceStorageDataSource<Int>(store)
        source.put(1, forId: "a")
        source.putAll([1], forId: "l")
        source.delete("a")
        #expect(try store.keys() == ["l"])
    }

    // Behavior 25.
    @Test func valueAndListUnderSameKeyReplaceEachOther() throws {
        let source = InMemoryDataSource<Int>()
        source.putAll([1, 2], in: key)
        source.put(3, in: key)
        #expect(throws: CoreError.NotFound.self) { try source.getAll(key).get() }
        source.putAll([4], in: key)
        #expect(throws: CoreError.NotFound.self) { try source.get(key).get() }
    }

    // Behavior 31.
    @Test func allObjectsQueryDeletesAllValues() throws {
        let source = InMemoryDataSource<Int>()
        source.put(1, forId: "a")
        source.putAll([2], forId: "b")
        source.delete(AllObjectsQuery())
        #expect(try source.getAll(AllObjectsQuery()).get().isEmpty)
    }

    // Behavior 33.
    @Test func allObjectsQueryReadsSingleValuesAndListElements() throws {
        let source = InMemoryDataSource<Int>()
        source.put(1, forId: "a")
        source.putAll([2, 3], forId: "b")
        #expect(try source.getAll(AllObjectsQuery()).get() == [1, 2, 3])
    }

    // MARK: - 36 to 39: replacements of sources that Larder does not have

    private func files() throws -> (FileSystemStorageDataSource, TemporaryDirectory) {
        let folder = try TemporaryDirectory()
        return (FileSystemStorageDataSource(folder: folder.path("cache")), folder)
    }

    // Behavior 36.
    @Test func fileValuesCanBeInsertedAndUpdated() throws {
        let (source, folder) = try files()
        try withExtendedLifetime(folder) {
            #expect(throws: CoreError.NotFound.self) { try source.get(key).get() }
            try source.put(Data([1]), in: key).get()
            try source.put(Data([2]), in: key).get()
            #expect(try source.get(key).get() == Data([2]))
            #expect(throws: CoreError.IllegalArgument.self) { try source.put(nil, in: key).get() }
            let erased = AnyDataSource(source)
            #expect(throws: CoreError.QueryNotSupported.self) { try erased.get(VoidQuery()).get() }
            #expect(throws: CoreError.QueryNotSupported.self) { try erased.getAll(VoidQuery()).get() }
            #expect(throws: CoreError.QueryNotSupported.self) { try erased.put(Data(), in: VoidQuery()).get() }
            #expect(throws: CoreError.QueryNotSupported.self) { try erased.putAll([], in: VoidQuery()).get() }
            #expect(throws: CoreError.QueryNotSupported.self) { try erased.delete(VoidQuery()).get() }
        }
    }

    // Behavior 37.
    @Test func writingListReplacesEntirePreviousList() throws {
        let (source, folder) = try files()
        try withExtendedLifetime(folder) {
            try source.putAll([Data([1]), Data([2]), Data([3])], in: key).get()
            try source.putAll([Data([4])], in: key).get()
            #expect(try source.getAll(key).get() == [Data([4])])
            try source.put(Data([5]), forId: "z").get()
            #expect(try source.getAll(AllObjectsQuery()).get() == [Data([4]), Data([5])])
        }
    }

    // Behavior 38.
    @Test func fileSourceKeysWithCommonPrefixAreIndependent() throws {
        let (source, folder) = try files()
        try withExtendedLifetime(folder) {
            try source.put(Data([1]), forId: "book-likes").get()
            try source.putAll([Data([2])], forId: "book_likes").get()
            try source.putAll([Data([3])], forId: "book").get()
            try source.delete("book").get()
            #expect(try source.get("book-likes").get() == Data([1]))
            #expect(try source.getAll("book_likes").get() == [Data([2])])
        }
    }

    // Behavior 39.
    @Test func valuesCanBeStoredAsBase64() throws {
        let texts = DeviceStorageDataSource<String>(store, prefix: "o")
        let obscured = DataSourceMapper<String, Data>(
            dataSource: texts,
            toInMapper: DataToBase64StringMapper(),
            toOutMapper: Base64StringToDataMapper()
        )
        let models = obscured.codable([String: Double].self)
        try models.put(["volume": 0.75], forId: "settings").get()
        #expect(try store.get("o.settings") == "eyJ2b2x1bWUiOjAuNzV9")
        #expect(try models.get("settings").get() == ["volume": 0.75])
        texts.put("clear text!", forId: "neighbour")
        #expect(throws: CoreError.DataSerialization.self) { try obscured.get("neighbour").get() }
    }

    // MARK: - 57, 91, 94, 95: replacements of other parts of Harmony

    // Behavior 57.
    @Test func modelsCanBeEncodedInCustomFormat() throws {
        let binary = CodableFormat(
            encode: { value in
                let encoder = PropertyListEncoder()
                encoder.outputFormat = .binary
                return try encoder.encode(value)
            },
            decode: { type, data in try PropertyListDecoder().decode(type, from: data) }
        )
        let bytes = try EncodableToDataMapper<[String: Int]>(binary).map(["a": 1])
        #expect(try DataToDecodableMapper([String: Int].self, binary).map(bytes) == ["a": 1])
        #expect(throws: CoreError.DataSerialization.self) {
            try DataToDecodableMapper([String: Int].self, binary).map(bytes.dropLast(9))
        }
    }

    // Behavior 91.
    @Test func isSettledIsTrueOnlyAfterFutureSettles() {
        let (future, resolver) = Future<Int>.pending()
        #expect(!future.isSettled)
        resolver.set(1)
        #expect(future.isSettled)
    }

    // Behavior 94.
    @Test func flatMapRunsSecondStepAfterFirst() async throws {
        let (first, resolver) = Future<Int>.pending()
        let said = Recorder<String>()
        let second = first.flatMap { value in
            said.add("second")
            return Future(value + 1)
        }
        said.add("first")
        resolver.set(1)
        #expect(try await second.value == 2)
        #expect(said.values == ["first", "second"])
    }

    // Behavior 95.
    @Test func delayedFutureSettlesAfterDelay() async throws {
        let future = Future<Int>(async: { [time] in
            try await time.sleep(for: .seconds(1))
            return 1
        })
        await time.waitForSleepers()
        #expect(!future.isSettled)
        time.advance(by: .seconds(1))
        #expect(try await future.value == 1)
    }

    // MARK: - 96 to 103: memory in front of files

    // Behavior 96.
    @Test func cachePutWritesToMemoryAndDisk() throws {
        let (files, folder) = try files()
        try withExtendedLifetime(folder) {
            let spy = DataSourceSpy(files)
            let layered = TimedCacheDataSource(spy)
            try layered.put(Data([1]), in: key).get()
            #expect(try files.get(key).get() == Data([1]))
            #expect(try layered.get(key).get() == Data([1]))
            #expect(spy.calls.map(\.verb) == ["put"])
        }
    }

    // Behavior 98.
    @Test func deletionRemovesValueFromMemoryAndDisk() throws {
        let (files, folder) = try files()
        try withExtendedLifetime(folder) {
            let layered = TimedCacheDataSource(files)
            try layered.put(Data([1]), in: key).get()
            try layered.put(Data([2]), forId: "other").get()
            try layered.delete(key).get()
            #expect(throws: CoreError.NotFound.self) { try layered.get(key).get() }
            #expect(throws: CoreError.NotFound.self) { try files.get(key).get() }
            try layered.delete(AllObjectsQuery()).get()
            #expect(throws: CoreError.NotFound.self) { try layered.get("other").get() }
            #expect(try FileManager.default.contentsOfDirectory(atPath: files.path) == [".larder-lock"])
        }
    }

    // Behavior 102.
    @Test func cancelledReaderReceivesNoChanges() async throws {
        let source = InMemoryDataSource<Int>()
        let changes = source.changes(for: key)
        let task = Task { await changes.first { _ in true } }
        task.cancel()
        _ = await task.value
        source.put(1, in: key)
        #expect(await changes.first { _ in true } == nil)
    }

    // Behavior 103.
    @Test func dataSourceMapperConvertsReadAndWrittenValues() throws {
        let numbers = InMemoryDataSource<Int>()
        let texts = DataSourceMapper<Int, String>(
            dataSource: numbers,
            toInMapper: ClosureMapper { Int($0) ?? 0 },
            toOutMapper: ClosureMapper { "\($0)" }
        )
        numbers.put(1, in: key)
        #expect(try texts.get(key).get() == "1")
        texts.put("2", in: key)
        #expect(try numbers.get(key).get() == 2)
    }

    // MARK: - 108 to 111: repositories

    // Behavior 108.
    /// Checks that the operation `cache` does not call the main source, whether the cached value is valid, expired, a list or missing.
    @Test(arguments: [true, false], [nil, 1, 2])
    func cacheOperationNeverCallsMainSource(isValid: Bool, cached: Int?) throws {
        let main = DataSourceSpy<Int>()
        let cache = InMemoryDataSource<Int>()
        let repository = CacheRepository(main: main, cache: cache, validator: ClosureValidator { _ in isValid })
        if let cached {
            cache.put(cached, in: key)
            cache.putAll([cached], forId: "l")
        }
        let value = Result { try repository.get(key, operation: .cache).get() }
        let list = Result { try repository.getAll(KeyQuery("l"), operation: .cache).get() }
        #expect((try? value.get()) == (isValid ? cached : nil))
        #expect((try? list.get()) == (isValid ? cached.map { [$0] } : nil))
        #expect(main.calls.isEmpty)
    }

    // Behavior 110.
    @Test func deletingKeyKeepsOtherKeys() throws {
        let cache = InMemoryDataSource<Int>()
        let repository = CacheRepository(main: InMemoryDataSource<Int>(), cache: cache)
        cache.put(1, forId: "a")
        cache.put(2, forId: "b")
        try repository.delete(KeyQuery("a"), operation: .cache).get()
        #expect(try cache.entries().get().map(\.key) == ["b"])
        try repository.delete(AllObjectsQuery(), operation: .cache).get()
        #expect(try cache.entries().get().isEmpty)
    }

    // Behavior 111.
    @Test func mainSourceIsNotCalledIfCacheWriteFails() throws {
        struct DiskFull: Error {}
        let (main, disk) = (DataSourceSpy<Int>(), DataSourceSpy<Int>())
        let memory = TimedCacheDataSource(disk)
        let repository = CacheRepository(main: main, cache: memory)
        try repository.put(1, in: key, operation: .cache).get()
        disk.fail(["put"], with: DiskFull())
        #expect(throws: DiskFull.self) { try repository.put(2, in: key, operation: .cacheSync).get() }
        #expect(main.calls.isEmpty)
        #expect(try repository.get(key, operation: .cache).get() == 1)
    }
}
