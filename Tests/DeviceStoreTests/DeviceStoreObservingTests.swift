import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

/// Tests of special cases of the events for commits made by this process.
@Suite struct DeviceStoreObservingTests {
    enum Way: CaseIterable {
        case integer, text, removal, batch, batchWithOneKeyTwice

        func carryOut(on store: DeviceStore) throws {
            switch self {
            case .integer: try store.set(.int(2), for: "a")
            case .text: try store.set(.string("new"), for: StoreKey("a"))
            case .removal: try store.remove("a")
            case .batch: #expect(try store.commit(batchOf(("a", .int(2)), ("b", .int(2)))))
            case .batchWithOneKeyTwice: #expect(try store.commit(batchOf(("a", .int(3)), ("a", .int(2)))))
            }
        }
    }

    /// Adds an observer during a commit that began without one.
    ///
    /// The observer may have read the earlier value.
    @Test(arguments: DeviceStoreOptions.IO.allCases, Way.allCases)
    func commitInProgressIsDeliveredToNewObserver(io: DeviceStoreOptions.IO, way: Way) throws {
        let fixture = StoreFixture(io: io)
        let store = try fixture.open { $0.environment.lockLimit = .seconds(60) }
        try store.set(.int(1), for: "a")
        let lock = try ControlLock(of: fixture.disk.open(StoreFixture.path + ".ctl", .writing))
        #expect(lock.isTaken)
        let isDone = Atomic(false)
        Thread.detachNewThread {
            #expect(throws: Never.self) { try way.carryOut(on: store) }
            isDone.store(true, ordering: .releasing)
        }
        try blockUntil("a commit that waits") { lock.isWaitedFor }
        let seen = Seen()
        let observation = store.observe(prefix: "") { seen.add($0) }
        #expect(try store.get("a") == .int(1))
        try lock.release()
        try blockUntil("the commit") { isDone.load(ordering: .acquiring) }
        #expect(try store.get("a") != .int(1))
        #expect(!seen.all.isEmpty)
        observation.cancel()
        #expect(try store.verify().isIntact)
    }

    // MARK: Values that are damaged

    private static let large = StoredValue.data(Data(repeating: 0xAB, count: 100_000))

    /// Returns a store that contains a large value in which one byte is corrupt.
    private func damaged(_ io: DeviceStoreOptions.IO) throws -> DeviceStore {
        let fixture = StoreFixture(io: io)
        let store = try fixture.open()
        try store.set(.int(1), for: "a")
        try store.set(Self.large, for: "large")
        let log = try fixture.disk.open(StoreFixture.path, .writing)
        let place = try #require(try log.read(at: 0, count: 100_000).lastIndex(of: 0xAB))
        try log.write([0xAC], at: place)
        #expect(code { _ = try store.get("large") } == .damaged)
        return store
    }

    /// Overwrites a damaged value with another value and with the same value, which also repairs the damage.
    @Test(arguments: DeviceStoreOptions.IO.allCases, [0xAB, 0xCD] as [UInt8])
    func corruptLargeValueCanBeOverwritten(io: DeviceStoreOptions.IO, byte: UInt8) throws {
        let store = try damaged(io)
        let new = StoredValue.data(Data(repeating: byte, count: 100_000))
        try silently { try store.set(new, for: "large") }
        #expect(try store.get("large") == new)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func corruptValueCanBeOverwrittenByBatchWithDuplicateKey(io: DeviceStoreOptions.IO) throws {
        let store = try damaged(io)
        let batch = batchOf(("large", .int(1)), ("b", .int(2)), ("large", .int(3)))
        #expect(try silently { try store.commit(batch) })
        #expect(try store.get("large") == .int(3))
        #expect(try store.get("b") == .int(2))
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, [.int(7), nil] as [StoredValue?])
    func observersReceiveMissedEventWhenCorruptValueIsReplaced(
        io: DeviceStoreOptions.IO,
        new: StoredValue?
    ) throws {
        let store = try damaged(io)
        let seen = Seen()
        let observation = store.observe(prefix: "") { seen.add($0) }
        try silently {
            #expect(try store.commit(batchOf(("large", new), ("a", .int(2)))))
            try store.set(.int(3), for: "a")
        }
        #expect(try store.get("large") == new)
        let next = StoreChange(entries: [.init(key: "a", old: .int(2), new: .int(3))], origin: .thisProcess)
        #expect(seen.all == [.missed(1), .change(next)])
        observation.cancel()
    }

    /// Sets a value that must be equal to the stored one, so that nothing is written.
    @Test(arguments: DeviceStoreOptions.IO.allCases, [false, true])
    func settingEqualLargeValueWritesNothing(io: DeviceStoreOptions.IO, isObserved: Bool) throws {
        let fixture = StoreFixture(io: io)
        let store = try fixture.open()
        try store.set(Self.large, for: "large")
        let seen = Seen()
        let observation = isObserved ? store.observe(prefix: "") { seen.add($0) } : nil
        let size = try store.statistics().usedBytes
        try store.set(Self.large, for: "large")
        #expect(try store.statistics().usedBytes == size)
        #expect(seen.all.isEmpty)
        observation?.cancel()
        #expect(try store.verify().isIntact)
    }
}

private func batchOf(_ writes: (key: StoreKey, value: StoredValue?)...) -> StoreBatch {
    var batch = StoreBatch()
    for write in writes { batch.write(write.value, for: write.key) }
    return batch
}
