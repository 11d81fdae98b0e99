import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import LarderTestTraits
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Tests of several instances in one process when the store fails.
@Suite(.expectsIssues(.degraded)) struct DeviceStoreInstancesTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("s.larder") }

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ name: String = "s.larder", waiting limit: Duration = .seconds(60)) throws -> DeviceStore {
        var options = DeviceStoreOptions()
        options.environment.isAutomatic = false
        options.environment.lockLimit = limit
        return try DeviceStore(path: directory.path(name), options: options)
    }

    enum Failure: CaseIterable {
        case cut, removed

        func strike(_ path: String) {
            switch self {
            case .cut: #expect(truncate(path + ".ctl", 0) == 0)
            case .removed: #expect(unlink(path) == 0)
            }
        }
    }

    /// Closes the failed store through one instance, while another instance may not know that the store failed.
    @Test(arguments: Failure.allCases, [false, true])
    func failedStoreIsUsableAfterReopening(failure: Failure, isNoticed: Bool) throws {
        let first = try open(waiting: .seconds(1))
        let other = try open(waiting: .seconds(1))
        try first.set(1, for: "a")
        failure.strike(path)
        if isNoticed {
            first.maintain()
            _ = code { try first.set(2, for: "a") }
        }
        _ = code { try silently { try first.closeNow() } }
        let again = try silently { try open(waiting: .seconds(1)) }
        #expect(try again.get("a") == (failure == .removed ? nil : 1))
        try again.set(3, for: "a")
        #expect(code { try other.set(4, for: "a") } == .closed)
        let third = try open(waiting: .seconds(1))
        #expect(try third.get("a") == 3)
        _ = code { try other.closeNow() }
        try again.set(5, for: "a")
        #expect(try third.get("a") == 5)
        try again.closeNow()
        try third.set(6, for: "a")
        #expect(try third.verify().isIntact)
    }

    @Test func waitingOpenDoesNotBlockOtherStores() throws {
        try open().closeNow()
        let lock = try ControlLock(of: LocalFileSystem().open(path + ".ctl", .writing))
        #expect(lock.isTaken)
        let outcome = Mutex<Result<DeviceStore, any Error>?>(nil)
        Thread.detachNewThread {
            let opened = Result { try open(waiting: .seconds(15)) }
            outcome.withLock { $0 = opened }
        }
        try blockUntil("an opening that waits") { lock.isWaitedFor }
        let other = try open("other.larder")
        try other.set(1, for: "a")
        #expect(try other.verify().isIntact)
        try other.closeNow()
        let isStillOpening = outcome.withLock { $0 == nil }
        #expect(isStillOpening)
        try lock.release()
        try blockUntil("the opening") { outcome.withLock { $0 != nil } }
        let opened = outcome.withLock(\.self)
        let store = try #require(try opened?.get())
        #expect(try store.verify().isIntact)
    }

    /// Checks that a thread waits if another thread is already opening the same store.
    @Test func threadsOpeningSameStoreShareEngine() throws {
        let stores = Mutex<[Result<DeviceStore, any Error>]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let opened = Result { try open() }
            stores.withLock { $0.append(opened) }
        }
        let all = try stores.withLock(\.self).map { try $0.get() }
        let seen = Seen()
        let observations = all.map { $0.observe(prefix: "") { seen.add($0) } }
        try all[0].set(1, for: "a")
        #expect(seen.origins == [.thisProcess])
        for observation in observations { observation.cancel() }
        #expect(try all[0].verify().isIntact)
    }

    /// A time source that, once started, advances only when it is read.
    private final class CountedTime: TimeSource {
        private let reads = Atomic(0)
        let isRunning = Atomic(false)
        /// The number of times that a limit of ten seconds has passed.
        var limits: Int { reads.load(ordering: .relaxed) / 10 }
        var now: Date { Date(timeIntervalSince1970: 0) }

        var monotonic: Duration {
            guard isRunning.load(ordering: .acquiring) else { return .zero }
            return .seconds(reads.wrappingAdd(1, ordering: .relaxed).newValue)
        }

        func sleep(for duration: Duration) async throws {}
    }

    /// Checks that the timeouts of many threads don't add up.
    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func concurrentLockTimeoutsDoNotAddUp(io: DeviceStoreOptions.IO) throws {
        let fixture = StoreFixture(io: io)
        let time = CountedTime()
        let store = try fixture.open {
            $0.environment.time = time
            $0.environment.lockLimit = .seconds(10)
        }
        try store.set(1, for: "a")
        let lock = try ControlLock(of: fixture.disk.open(StoreFixture.path + ".ctl", .writing))
        #expect(lock.isTaken)
        let count = 8
        let begun = Atomic(0)
        let codes = Mutex<[StoreError.Code?]>([])
        for number in 0..<count {
            Thread.detachNewThread {
                begun.wrappingAdd(1, ordering: .releasing)
                let code = code { try store.set(.int(Int64(number)), for: "b") }
                codes.withLock { $0.append(code) }
            }
        }
        try blockUntil("all of them") { begun.load(ordering: .acquiring) == count && lock.isWaitedFor }
        time.isRunning.store(true, ordering: .releasing)
        try blockUntil("the end of all") { codes.withLock { $0.count } == count }
        let all = codes.withLock(\.self)
        #expect(all.allSatisfy { $0 == .busy })
        // A thread that had not begun to wait by then has a limit of its own.
        #expect(time.limits < count)
        #expect(try store.get("a") == 1)
        try lock.release()
        try store.set(2, for: "a")
        #expect(try store.verify().isIntact)
    }
}
