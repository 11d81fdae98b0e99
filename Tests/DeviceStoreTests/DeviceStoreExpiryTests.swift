import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport
import LarderTesting
import Testing

/// Values that expire, of which no commit tells: the room they take is given back all the same.
@Suite struct DeviceStoreExpiryTests {
    private let time = ManualTimeSource()
    private let lying = LyingStore(LyingFileSystem(directories: ["/data"], isRecording: false))
    private var start: Date { Date(timeIntervalSinceReferenceDate: 0) }
    /// Behind the end of everything that ``fill(_:)`` sets, and long enough for that to be noticed.
    private var later: Date { start + 120 }

    private func open() throws -> DeviceStore { try lying.open { $0.environment.time = time } }

    /// Always new keys, which are never removed or replaced.
    private func fill(_ store: DeviceStore) throws {
        time.setWallClock(to: start)
        try store.set(.int(1), for: "kept")
        for number in 0..<1_500 {
            let value = StoredValue.string(String(repeating: "x", count: 400))
            try store.set(value, for: StoreKey("session.\(number)"), until: start + 1)
        }
    }

    /// Whether the file is as small as it is promised to be.
    private func isSmall(_ store: DeviceStore) throws -> Bool {
        let size = try store.statistics().fileBytes
        try store.compact()
        return try Double(size) <= 2.3 * Double(store.statistics().fileBytes) + 192 * 1024
    }

    @Test func theFileShrinksOnceItsValuesHaveExpired() throws {
        let store = try open()
        try fill(store)
        time.setWallClock(to: later)
        store.maintain()
        #expect(try isSmall(store))
        #expect(try store.contents() == ["kept": 1])
        #expect(try store.verify().isIntact)
    }

    @Test func aStoreThatIsOpenedAfterwardsShrinks() throws {
        let store = try open()
        try fill(store)
        try store.closeNow()
        time.setWallClock(to: later)
        let again = try open()
        #expect(try isSmall(again))
        #expect(try again.contents() == ["kept": 1])
        #expect(try again.verify().isIntact)
    }

    @Test func aClockThatWasAheadForAWhileDoesNotKeepItFromShrinking() throws {
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

    @Test func whatHasNotExpiredIsNoReasonToCompact() throws {
        let store = try open()
        try fill(store)
        store.maintain()
        #expect(try store.statistics().generation == 1)
        #expect(try store.verify().isIntact)
    }

    @Test func whatWasReplacedOrRemovedBeforeItExpiredCountsNoMore() throws {
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
