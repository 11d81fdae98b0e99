import Foundation
import LarderCore
import LarderDataSources
import LarderDeviceStore
import LarderStores
import LarderTestSupport
import LarderTesting
import Testing

/// Tests the origin that read values report, which is the main source, memory or the device.
struct StoredOriginTests {
    private let key = KeyQuery("k")
    private let time = ManualTimeSource()

    private func origin<Cache: GetDataSource<Int> & PutDataSource<Int> & DeleteDataSource>(
        _ cache: Cache
    ) throws -> StoredOrigin where Cache.PutQuery == any KeyQuery {
        try cache.put(1, in: key).get()
        let repository = CacheRepository(main: InMemoryDataSource<Int>(), cache: cache)
        return try repository.getStored(key, operation: .cache(ignoresValidation: true)).get().origin
    }

    // Behavior 107.
    @Test func originOfMemoryCacheIsMemory() throws {
        #expect(try origin(InMemoryDataSource<Int>()) == .memory)
        #expect(try origin(DeviceStorageDataSource<Int>(MemoryStore(), prefix: "p")) == .memory)
    }

    // Behavior 107.
    @Test func originOfDeviceCacheIsDevice() throws {
        let directory = try TemporaryDirectory()
        let store = try DeviceStore(path: directory.path("s.larder"))
        let device = DeviceStorageDataSource<Int>(store, prefix: "p")
        #expect(try origin(device) == .device)
        #expect(try origin(ExpiringDataSource(device, lifetime: CacheLifetime(fresh: nil))) == .device)
        #expect(try origin(RetryDataSource(DataSourceValidator(device, validator: ClosureValidator()))) == .device)
        #expect(
            try origin(DebugDataSource(DataSourceAssembler(get: device, put: device, delete: device)) { _ in })
                == .device
        )
        let numbers = DataSourceMapper(
            dataSource: FileSystemStorageDataSource(folder: directory.path("files")),
            toInMapper: ClosureMapper { (number: Int) in Data("\(number)".utf8) },
            toOutMapper: ClosureMapper { (data: Data) in try #require(Int(String(decoding: data, as: UTF8.self))) }
        )
        #expect(try origin(numbers) == .device)
        let texts = FileSystemStorageDataSource(folder: directory.path("texts")).codable(Int.self)
        #expect(try origin(texts) == .device)
        #expect(AnyDataSource(texts).storedOrigin == .device)
        try store.close()
    }

    @Test func originDefaultsToCacheIfSourceReportsNone() throws {
        let spy = DataSourceSpy<Int>()
        try spy.put(1, in: key).get()
        let repository = CacheRepository(main: InMemoryDataSource<Int>(), cache: spy)
        #expect(try repository.getStored(key, operation: .cache(ignoresValidation: true)).get().origin == .cache)
    }

    // Behavior 107.
    @Test func memoryCacheOverDeviceStorageReportsOriginOfEachValue() throws {
        let directory = try TemporaryDirectory()
        let store = try DeviceStore(path: directory.path("s.larder"))
        let device = ExpiringDataSource(
            DeviceStorageDataSource<Int>(store, prefix: "p"),
            lifetime: CacheLifetime(fresh: .seconds(60), missing: .seconds(3)),
            stamps: .stored(in: store, prefix: "stamps"),
            time: time
        )
        try device.put(1, in: key).get()
        try device.putAll([1, 2], forId: "l").get()
        let expiry = time.now + 60
        let layered = TimedCacheDataSource(device, bounds: .init(expiry: .seconds(30)), time: time)
        let repository = CacheRepository(main: InMemoryDataSource<Int>(), cache: layered, time: time)
        time.advance(by: .seconds(4))
        let first = try repository.getStored(key).get()
        #expect(first == Stored(1, origin: .device, age: .seconds(4), expiry: expiry))
        time.advance(by: .seconds(2))
        let second = try repository.getStored(key).get()
        #expect(second == Stored(1, origin: .memory, age: .seconds(6), expiry: expiry))
        #expect(try repository.getAllStored(KeyQuery("l")).get().origin == .device)
        #expect(
            try repository.getAllStored(KeyQuery("l")).get()
                == Stored([1, 2], origin: .memory, age: .seconds(6), expiry: expiry)
        )
        time.advance(by: .seconds(60))
        let expired = try layered.getStored(key).get()
        #expect(expired.isExpired && expired.origin == .device)
        #expect(throws: CoreError.NotValid.self) { try layered.get(key).get() }
        try store.close()
    }

    @Test func memoryCacheReportsAgeOfWrittenValues() throws {
        let layered = TimedCacheDataSource(DataSourceSpy<Int>(), time: time)
        try layered.put(1, in: key).get()
        time.advance(by: .seconds(5))
        #expect(try layered.getStored(key).get() == Stored(1, origin: .memory, age: .seconds(5)))
        layered.removeAll()
        #expect(try layered.getStored(key).get() == Stored(1, origin: .cache))
        #expect(try layered.getStored(key).get() == Stored(1, origin: .memory))
    }

    @Test func memoryCacheForwardsAbsenceRecords() throws {
        let device = ExpiringDataSource(
            InMemoryDataSource<Int>(),
            lifetime: CacheLifetime(fresh: .seconds(60), missing: .seconds(3)),
            time: time
        )
        let layered = TimedCacheDataSource(device, time: time)
        try layered.put(1, in: key).get()
        #expect(try !layered.isKnownMissing(key, asList: false).get())
        try layered.noteMissing(key, asList: false).get()
        #expect(try layered.isKnownMissing(key, asList: false).get())
        #expect(throws: CoreError.NotFound.self) { try layered.get(key).get() }
        let plain = TimedCacheDataSource(InMemoryDataSource<Int>(), time: time)
        try plain.put(1, in: key).get()
        try plain.noteMissing(key, asList: false).get()
        #expect(try !plain.isKnownMissing(key, asList: false).get())
        #expect(try plain.get(key).get() == 1)
    }
}
