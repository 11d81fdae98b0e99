import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Testing

@Suite struct DeviceStoreBasicsTests {
    let directory: TemporaryDirectory
    var path: String { directory.path("settings.larder") }

    init() throws { directory = try TemporaryDirectory() }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func valueIsPresentAfterReopening(io: DeviceStoreOptions.IO) throws {
        let store = try DeviceStore(path: path, options: .with(io))
        try store.set(.int(42), for: "answer")
        try store.set(.string("Ada"), for: StoreKey("name", prefix: "user."))
        try store.closeNow()
        let again = try DeviceStore(path: path, options: .with(io))
        #expect(try again.get("answer") == .int(42))
        #expect(try again.get("user.name") == .string("Ada"))
        #expect(try again.keys() == ["answer", "user.name"])
        #expect(try again.verify() == StoreVerification(checkedEntries: 2))
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func removedKeyIsAbsentAfterReopening(io: DeviceStoreOptions.IO) throws {
        let store = try DeviceStore(path: path, options: .with(io))
        try store.set(.int(1), for: "a")
        try store.remove("a")
        try store.closeNow()
        let again = try DeviceStore(path: path, options: .with(io))
        #expect(try again.get("a") == nil)
        #expect(try again.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func settingEqualValueWritesNothing(io: DeviceStoreOptions.IO) throws {
        let store = try DeviceStore(path: path, options: .with(io))
        try store.set(.int(1), for: "a")
        let before = try store.revision
        try store.set(.int(1), for: "a")
        #expect(try store.revision == before)
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func largeValuesSurviveCompactionAndReopening(io: DeviceStoreOptions.IO) throws {
        let store = try DeviceStore(path: path, options: .with(io))
        let value = StoredValue.data(Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) }))
        try store.set(value, for: "large")
        #expect(try store.get("large") == value)
        try store.compact()
        #expect(try store.get("large") == value)
        try store.closeNow()
        let again = try DeviceStore(path: path, options: .with(io))
        #expect(try again.get("large") == value)
        #expect(try again.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func compactionKeepsAllCurrentValues(io: DeviceStoreOptions.IO) throws {
        let store = try DeviceStore(path: path, options: .with(io))
        for round in 0..<20 {
            for key in 0..<100 { try store.set(.int(Int64(round * 1000 + key)), for: "key\(key)") }
        }
        for key in 0..<50 { try store.remove("key\(key)") }
        try store.compact()
        #expect(try store.keys().count == 50)
        #expect(try store.get("key77") == .int(19077))
        #expect(try store.verify().isIntact)
        try store.closeNow()
        let again = try DeviceStore(path: path, options: .with(io))
        #expect(try again.get("key77") == .int(19077))
        #expect(try again.keys().count == 50)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func storesForSameFileShareContent(io: DeviceStoreOptions.IO) throws {
        let first = try DeviceStore(path: path, options: .with(io))
        let second = try DeviceStore(path: path, options: .with(io))
        try first.set(.int(1), for: "a")
        #expect(try second.get("a") == .int(1))
        try first.closeNow()
        #expect(try second.get("a") == .int(1))
        #expect(throws: StoreError.self) { try first.get("a") }
        #expect(try second.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func storeIsIntactAfterSyncedCommitAndFlush(io: DeviceStoreOptions.IO) async throws {
        let store = try DeviceStore(path: path, options: .with(io))
        try await store.set(.int(1), for: "a", durability: .synced)
        try await store.flush()
        #expect(try store.verify().isIntact)
        try await store.close()
    }
}
