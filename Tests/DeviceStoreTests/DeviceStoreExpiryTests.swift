import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport
import LarderTesting
import Testing

/// Tests that the space of expired values is reclaimed without further commits.
@Suite struct DeviceStoreExpiryTests {
    private let time = ManualTimeSource()
    private let fixture = StoreFixture(SimulatedFileSystem(directories: ["/data"], isRecording: false))
    private var start: Date { Date(timeIntervalSinceReferenceDate: 0) }
    /// A time by which every entry that ``fill(_:)`` sets has expired, even with the coarse times of the expiry calendar.
    private var later: Date { start + 120 }

    private func open() throws -> DeviceStore { try fixture.open { $0.environment.time = time } }

    /// Sets only new keys, which are never removed or replaced.
    private func fill(_ store: DeviceStore) throws {
        time.setWallClock(to: start)
        try store.set(.int(1), for: "kept")
        for number in 0..<1_500 {
            let value = StoredValue.string(String(repeating: "x", count: 400))
            try store.set(value, for: StoreKey("session.\(number)"), until: start + 1)
        }
    }

    /// Returns whether the size of the file is within the guaranteed limit.
    private func isSmall(_ store: DeviceStore) throws -> Bool {
        let size = try store.statistics().fileBytes
        try store.compact()
        return try Double(size) <= 2.3 * Double(store.statistics().fileBytes) + 192 * 1024
    }

    @Test func fileShrinksAfterValuesExpire() throws {
        let store = try open()
        try fill(store)
        time.setWallClock(to: later)
        store.maintain()
        #expect(try isSmall(store))
        #expect(try store.contents() == ["kept": 1])
        #expect(try store.verify().isIntact)
    }

    @Test func fileShrinksOnOpenAfterValuesExpire() throws {
        let store = try open()
        try fill(store)
        try store.closeNow()
        time.setWallClock(to: later)
        let again = try open()
        #expect(try isSmall(again))
        #expect(try again.contents() == ["kept": 1])
        #expect(try again.verify().isIntact)
    }

    @Test func fileShrinksAfterClockIsSetBack() throws {
        let store = try open()
        time.setWallClock(to: start + 1_000_000)
        try store.set(.int(0), for: "far", until: start + 2_000_000)
        store.maintain()
        try fill(store)
        store.maintain()
        time.setWallClock(to: later)
        store.maintain()
        #expect(try isSmall(store))
        #expect(try store.contents() == ["kept": 1, "far": 0])
        #expect(try store.verify().isIntact)
    }

    @Test func unexpiredValuesDoNotTriggerCompaction() throws {
        let store = try open()
        try fill(store)
        store.maintain()
        #expect(try store.statistics().generation == 1)
        #expect(try store.verify().isIntact)
    }

    @Test func replacedAndRemovedExpiringValuesDoNotTriggerCompaction() throws {
        let store = try open()
        try fill(store)
        for number in 0..<1_000 { try store.set(.int(1), for: StoreKey("session.\(number)")) }
        for number in 1_000..<1_500 { try store.remove(StoreKey("session.\(number)")) }
        try store.compact()
        let generation = try store.statistics().generation
        time.setWallClock(to: later)
        store.maintain()
        #expect(try store.statistics().generation == generation)
        #expect(try store.count() == 1_001)
        #expect(try store.verify().isIntact)
    }
}
