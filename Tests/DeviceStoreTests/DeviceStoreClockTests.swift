import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport
import LarderTesting
import Testing

/// Tests in which the clock is set back during a compaction.
@Suite struct DeviceStoreClockTests {
    private let time = ManualTimeSource()
    private let fixture = StoreFixture()
    /// The time at which the values in these tests expire.
    private var expiry: Date { Date(timeIntervalSinceReferenceDate: 100) }

    private func open() throws -> DeviceStore { try fixture.open { $0.environment.time = time } }

    /// Returns a store with two expired values, one in memory and one stored only in the file.
    private func storeAfterTheEnd() throws -> DeviceStore {
        let store = try open()
        try store.set(Self.small, for: "small", until: expiry)
        try store.set(Self.large, for: "large", until: expiry)
        try store.set(.int(1), for: "kept")
        time.setWallClock(to: expiry + 1)
        return store
    }

    private static let small = StoredValue.string("small")
    private static let large = StoredValue.string(String(repeating: "x", count: 20_000))

    /// Compacts `store`.
    ///
    /// Sets the clock back after the compaction has scanned the entries, and then calls `body`.
    private func compactTurningBack(_ store: DeviceStore, _ body: @Sendable () throws -> Void = {}) throws {
        try store.compact { [time, expiry] progress in
            guard progress.fraction == 1 else { return }
            time.setWallClock(to: expiry - 1)
            do { try body() } catch { Issue.record(error) }
        }
    }

    @Test func expiredEntryStaysRemovedIfClockIsSetBackDuringCompaction() throws {
        let store = try storeAfterTheEnd()
        try compactTurningBack(store)
        #expect(try store.contents() == ["kept": 1])
        #expect(try store.verify().isIntact)
        try store.closeNow()
        let again = try open()
        #expect(try again.contents() == ["kept": 1])
        #expect(try again.verify().isIntact)
    }

    @Test(arguments: [Self.small, Self.large])
    func expiredEntryReplacedDuringCompactionIsKept(_ value: StoredValue) throws {
        let store = try storeAfterTheEnd()
        try compactTurningBack(store) { [expiry] in
            try store.set(.int(2), for: "small", until: expiry)
            try store.set(value, for: "large")
        }
        #expect(try store.contents() == ["kept": 1, "small": 2, "large": value])
        #expect(try store.verify().isIntact)
        try store.closeNow()
        #expect(try open().contents() == ["kept": 1, "small": 2, "large": value])
    }

    @Test func entryWithExpiryExtendedDuringCompactionIsKept() throws {
        let store = try storeAfterTheEnd()
        try compactTurningBack(store) { [expiry] in
            try store.set(Self.small, for: "small", until: expiry + 1)
            try store.set(Self.large, for: "large", until: expiry + 1)
        }
        #expect(try store.contents() == ["kept": 1, "small": Self.small, "large": Self.large])
        #expect(try store.verify().isIntact)
        try store.closeNow()
        #expect(try open().contents() == ["kept": 1, "small": Self.small, "large": Self.large])
    }

    @Test func expiredEntryRewrittenWithEqualValueDuringCompactionIsKept() throws {
        let store = try storeAfterTheEnd()
        try compactTurningBack(store) { [expiry] in
            try store.set(Self.small, for: "small", until: expiry)
            try store.set(Self.large, for: "large", until: expiry)
        }
        #expect(try store.contents() == ["kept": 1, "small": Self.small, "large": Self.large])
        #expect(try store.verify().isIntact)
        try store.closeNow()
        #expect(try open().contents() == ["kept": 1, "small": Self.small, "large": Self.large])
    }

    @Test func otherInstanceSeesSameEntriesIfClockIsSetBackDuringCompaction() throws {
        let store = try storeAfterTheEnd()
        let other = try open()
        try compactTurningBack(store)
        #expect(try other.contents() == ["kept": 1])
        #expect(try other.verify().isIntact && store.verify().isIntact)
    }
}
