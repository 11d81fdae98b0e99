import DeviceStoreProofs
import Foundation
import LarderCore
import LarderFiles
import LarderStores
import LarderTestSupport
import Synchronization
import Testing

/// What stores do by themselves from time to time, as other stores of the process come and go.
@Suite struct MaintenanceTimerTests {
    private let directory: TemporaryDirectory
    private let disk = CountingDisk()

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ name: String, every tick: Duration = .milliseconds(20)) throws -> DeviceStore {
        // Made before, so that the log is opened by its name.
        try DeviceStore(path: directory.path(name)).closeNow()
        var options = DeviceStoreOptions()
        options.environment.fileSystem = disk
        options.environment.tick = tick
        return try DeviceStore(path: directory.path(name), options: options)
    }

    /// Waits until the file was synced after a commit that nobody waits for.
    private func expectSync(_ store: DeviceStore, _ value: StoredValue) throws {
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

    @Test func aStoreIsSyncedThatWasOpenedAfterAnotherWasClosed() throws {
        for number in 0..<5 as Range<Int64> {
            let store = try open("\(number).larder")
            try expectSync(store, .int(number))
            try expectIntact(store)
        }
    }

    @Test func aStoreIsSyncedThatWasOpenedLongAfterAnotherWasClosed() throws {
        let first = try open("first.larder", every: .milliseconds(30))
        try expectSync(first, 1)
        try expectIntact(first)
        // By then a timer of that length has found that it has nothing to do.
        let clock = try open("clock.larder", every: .milliseconds(130))
        try expectSync(clock, 1)
        let next = try open("next.larder", every: .milliseconds(30))
        try expectSync(next, 1)
        try expectIntact(clock, next)
    }

    @Test func storesThatAreOpenAtOnceAreEachSynced() throws {
        let (first, second) = (try open("1.larder"), try open("2.larder"))
        try expectSync(first, 1)
        try expectSync(second, 1)
        try first.closeNow()
        let third = try open("3.larder")
        try expectSync(second, 2)
        try expectSync(third, 1)
        try expectIntact(second, third)
    }

    @Test func aStoreKeepsItsOwnPace() throws {
        let slow = try open("slow.larder", every: .seconds(3_600))
        let fast = try open("fast.larder")
        try slow.set(1, for: "a")
        let before = disk.syncs(of: slow.path)
        for value in 0..<5 as Range<Int64> { try expectSync(fast, .int(value)) }
        #expect(disk.syncs(of: slow.path) == before)
        try expectIntact(slow, fast)
    }
}

/// The disk of this machine, which counts the syncs of each file.
private final class CountingDisk: ForwardingFileSystem {
    let base: any FileSystem = LocalFileSystem()
    private let counts = Mutex<[String: Int]>([:])

    func syncs(of path: String) -> Int { counts.withLock { $0[path, default: 0] } }

    func calling<Result>(
        _ operation: FileError.Operation,
        _ path: String,
        _ body: () throws -> Result
    ) throws -> Result {
        let result = try body()
        if operation == .synchronize { counts.withLock { $0[path, default: 0] += 1 } }
        return result
    }
}
