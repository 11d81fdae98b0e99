import LarderCore
import LarderDeviceStore
import LarderTestSupport
import Testing

/// Tests of stores from which most keys were removed, and of long keys that are added and removed.
///
/// `make bench` measures the memory and time that such stores need.
@Suite struct DeviceStoreShrinkingTests {
    private static let manyKeys = 20_000

    private let directory: TemporaryDirectory
    private let path: String
    private var options = DeviceStoreOptions()

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("s.larder")
        options.environment.isShared = false
        options.environment.isAutomatic = false
    }

    /// Returns a store from which all but every 200th of many keys were removed.
    private func storeOfFewKeys() throws -> DeviceStore {
        let store = try DeviceStore(path: path, options: options)
        var batch = StoreBatch()
        for number in 0..<Self.manyKeys { batch.set(.int(Int64(number)), for: StoreKey("key\(number)")) }
        _ = try store.commit(batch)
        batch = StoreBatch()
        for number in 0..<Self.manyKeys where number % 200 != 0 { batch.remove(StoreKey("key\(number)")) }
        _ = try store.commit(batch)
        return store
    }

    @Test func remainingKeysAreFoundAfterMostKeysAreRemoved() throws {
        let store = try storeOfFewKeys()
        let wrong = try (0..<Self.manyKeys).filter { number in
            let expected: StoredValue? = if number % 200 == 0 { .int(Int64(number)) } else { nil }
            return try store.get("key\(number)") != expected
        }
        #expect(wrong == [])
        #expect(try store.verify().isIntact)
    }

    @Test func reinsertedKeysAreFoundAfterMostKeysAreRemoved() throws {
        let store = try storeOfFewKeys()
        for number in 0..<4_000 { try store.set(.int(Int64(-number)), for: "key\(number)") }
        let wrong = try (0..<4_000).filter { try store.get("key\($0)") != .int(Int64(-$0)) }
        #expect(wrong == [])
        #expect(try store.verify().isIntact)
    }

    @Test func otherInstanceFindsLongKeysAfterCompactions() throws {
        let writer = try DeviceStore(path: path, options: options)
        let follower = try DeviceStore(path: path, options: options)
        for round in 0..<30 {
            var batch = StoreBatch()
            for number in round * 37..<(round + 1) * 37 { batch.remove(Self.longKey(number)) }
            for number in round * 37 + 500..<(round + 1) * 37 + 500 { batch.set(.int(1), for: Self.longKey(number)) }
            _ = try writer.commit(batch)
            try writer.compact()
            _ = try follower.count()
        }
        #expect(try follower.keys() == writer.keys())
        #expect(try writer.verify().isIntact)
    }

    /// Returns a key that is too long to be stored inline.
    ///
    /// The keys have many different lengths.
    private static func longKey(_ number: Int) -> StoreKey {
        StoreKey("session/\(number)/" + String(repeating: "k", count: 25 + number * 7919 % 96))
    }
}
