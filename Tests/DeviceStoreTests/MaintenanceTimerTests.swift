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

    init() throws {
        directory = try TemporaryDirectory()
        // So that the log is opened by its name, and a store is opened as soon as another was closed.
        for number in 0..<6 { try DeviceStore(path: directory.path("\(number)")).closeNow() }
    }

    private func open(_ number: Int, every tick: Duration = .milliseconds(100)) throws -> DeviceStore {
        var options = DeviceStoreOptions()
        options.environment.fileSystem = disk
        options.environment.tick = tick
        return try DeviceStore(path: directory.path("\(number)"), options: options)
    }

    /// Waits until the file was synced after a commit that nobody waits for.
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

    @Test func aStoreIsSyncedThatWasOpenedAsSoonAsAnotherWasClosed() throws {
        for number in 0..<5 {
            let store = try open(number)
            try expectSync(store)
            try expectIntact(store)
        }
    }

    @Test func aStoreIsSyncedThatWasOpenedLongAfterAnotherWasClosed() throws {
        let first = try open(0, every: .milliseconds(30))
        try expectSync(first)
        try expectIntact(first)
        // By then a timer of that length has found that it has nothing to do.
        let clock = try open(1, every: .milliseconds(130))
        try expectSync(clock)
        let next = try open(2, every: .milliseconds(30))
        try expectSync(next)
        try expectIntact(clock, next)
    }

    @Test func storesThatAreOpenAtOnceAreEachSynced() throws {
        let (first, second) = (try open(0), try open(1))
        try expectSync(first)
        try expectSync(second)
        try expectIntact(first)
        let third = try open(2)
        try expectSync(second, 2)
        try expectSync(third)
        try expectIntact(second, third)
    }

    @Test func aStoreIsSyncedWhileOneThatIsBeingClosedWaitsForItsDisk() throws {
        let slow = try open(0)
        disk.hold(slow.path)
        try slow.set(1, for: "a")
        try blockUntil("sync") { disk.hasHeldUp }
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

    @Test func aStoreKeepsItsOwnPace() throws {
        let slow = try open(0, every: .seconds(3_600))
        let fast = try open(1, every: .milliseconds(20))
        try slow.set(1, for: "a")
        let before = disk.syncs(of: slow.path)
        for value in 0..<5 as Range<Int64> { try expectSync(fast, .int(value)) }
        #expect(disk.syncs(of: slow.path) == before)
        try expectIntact(slow, fast)
    }
}

/// The disk of this machine, which counts the syncs of each file, and holds up those of one.
private final class CountingDisk: ForwardingFileSystem {
    private struct State {
        var syncs: [String: Int] = [:]
        var held: String?
        var hasHeldUp = false
    }

    let base: any FileSystem = .local
    private let state = Mutex(State())

    func syncs(of path: String) -> Int { state.withLock { $0.syncs[path, default: 0] } }

    /// Whether a sync was held up.
    var hasHeldUp: Bool { state.withLock(\.hasHeldUp) }

    func hold(_ path: String) { state.withLock { $0.held = path } }
    func release() { state.withLock { $0.held = nil } }

    func calling<Result>(
        _ operation: FileError.Operation,
        _ path: String,
        _ body: () throws -> Result
    ) throws -> Result {
        guard operation == .synchronize else { return try body() }
        state.withLock { $0.hasHeldUp = $0.hasHeldUp || $0.held == path }
        // Longer than anybody waits for what is held up by it.
        try blockUntil(within: .seconds(600), "release") { state.withLock { $0.held != path } }
        let result = try body()
        state.withLock { $0.syncs[path, default: 0] += 1 }
        return result
    }
}
