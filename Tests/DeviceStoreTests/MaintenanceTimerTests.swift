import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

/// Tests of a store's periodic maintenance while other stores in the process are opened and closed.
@Suite struct MaintenanceTimerTests {
    private let directory: TemporaryDirectory
    private let disk: HeldDisk

    init() throws {
        directory = try TemporaryDirectory()
        disk = HeldDisk(.local, directory.path("0"))
        // Created in advance, so that the log is opened by its name and a store can be opened right after another one was closed.
        for number in 0..<6 { try DeviceStore(path: directory.path("\(number)")).closeNow() }
    }

    private func open(_ number: Int, every tick: Duration = .milliseconds(100)) throws -> DeviceStore {
        var options = DeviceStoreOptions()
        options.environment.fileSystem = disk
        options.environment.tick = tick
        return try DeviceStore(path: directory.path("\(number)"), options: options)
    }

    /// Makes a buffered commit, and waits until the file is synced.
    private func expectSync(_ store: DeviceStore, _ value: StoredValue = 1) throws {
        let before = disk.syncs(of: store.path)
        try store.set(value, for: "a")
        try blockUntil("sync") { disk.syncs(of: store.path) > before }
    }

    private func expectIntact(_ stores: DeviceStore...) throws {
        for store in stores {
            #expect(try store.verify().isIntact)
            try store.closeNow()
        }
    }

    @Test func maintenanceSyncsStoreOpenedRightAfterAnotherCloses() throws {
        for number in 0..<5 {
            let store = try open(number)
            try expectSync(store)
            try expectIntact(store)
        }
    }

    @Test func maintenanceSyncsStoreOpenedLongAfterAnotherCloses() throws {
        let first = try open(0, every: .milliseconds(30))
        try expectSync(first)
        try expectIntact(first)
        // By then, a timer with that interval has found that it has nothing to do.
        let clock = try open(1, every: .milliseconds(130))
        try expectSync(clock)
        let next = try open(2, every: .milliseconds(30))
        try expectSync(next)
        try expectIntact(clock, next)
    }

    @Test func maintenanceSyncsAllOpenStores() throws {
        let (first, second) = (try open(0), try open(1))
        try expectSync(first)
        try expectSync(second)
        try expectIntact(first)
        let third = try open(2)
        try expectSync(second, 2)
        try expectSync(third)
        try expectIntact(second, third)
    }

    @Test func slowCloseDoesNotDelaySyncOfAnotherStore() throws {
        let slow = try open(0)
        disk.hold()
        try slow.set(1, for: "a")
        try blockUntil("sync") { disk.isAsked }
        let isClosed = Atomic(false)
        Thread.detachNewThread {
            try? slow.closeNow()
            isClosed.store(true, ordering: .releasing)
        }
        try blockUntil("close") { (try? slow.get("a")) == nil }
        let next = try open(1)
        try expectSync(next)
        disk.release()
        try blockUntil("closed") { isClosed.load(ordering: .acquiring) }
        try expectIntact(next, try open(0))
    }

    @Test func eachStoreHasOwnMaintenanceInterval() throws {
        // A store with another interval doesn't use the second store's remaining time.
        let first = try open(3, every: .milliseconds(20))
        try open(2, every: .milliseconds(20)).closeNow()
        let slow = try open(0, every: .seconds(3_600))
        let fast = try open(1, every: .milliseconds(20))
        try slow.set(1, for: "a")
        let before = disk.syncs(of: slow.path)
        for value in 0..<5 as Range<Int64> { try expectSync(fast, .int(value)) }
        #expect(disk.syncs(of: slow.path) == before)
        try expectIntact(first, slow, fast)
    }
}
