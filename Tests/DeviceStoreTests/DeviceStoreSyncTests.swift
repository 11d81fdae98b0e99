import DeviceStoreProofs
import Dispatch
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import LarderTestTraits
import Synchronization
import Testing

/// Tests of callers that wait for the disk concurrently.
@Suite(.expectsIssues(.degraded)) struct DeviceStoreSyncTests {
    enum Callers: CaseIterable {
        case threads, tasks, both

        func isTask(_ caller: Int) -> Bool { self == .tasks || self == .both && caller % 2 == 1 }
    }

    private let fixture = SimulatedFileSystem(directories: ["/data"])
    private let disk: HeldDisk
    private let store: DeviceStore
    private let executor = OwnThreads()

    init() throws {
        disk = HeldDisk(fixture, SimulatedStore.path)
        // Created in advance, so that the log is opened by its name.
        try SimulatedStore(on: disk, .systemCalls).open().setSynced(0, for: "before")
        let simulated = SimulatedStore(on: disk, .systemCalls)
        store = try silently { try simulated.open() }
    }

    /// Starts a synced put in each caller, and returns when all of the puts have been committed.
    private func begin(_ numbers: Range<Int>, _ callers: Callers, _ told: Told) throws {
        for number in numbers { begin([StoreKey("\(number)")], isTask: callers.isTask(number), told) }
        try blockUntil("commits") { try store.keys().count >= numbers.upperBound + 1 }
    }

    /// Starts a caller that makes consecutive puts and checks each one after it has returned.
    private func begin(
        _ keys: [StoreKey],
        _ value: StoredValue = 1,
        isTask: Bool,
        _ told: Told,
        then look: @escaping @Sendable (StoreKey) throws -> Void = { _ in }
    ) {
        let store = store
        if isTask {
            Task.detached(executorPreference: executor) {
                await told.answer {
                    for key in keys {
                        try await store.set(value, for: key, durability: .synced)
                        try look(key)
                    }
                }
            }
        } else {
            Thread.detachNewThread {
                told.answer {
                    for key in keys {
                        try store.setSynced(value, for: key)
                        try look(key)
                    }
                }
            }
        }
    }

    /// The results that callers received.
    ///
    /// They are counted with atomics, because ThreadSanitizer doesn't understand a contended `Mutex`.
    private final class Told: Sendable {
        private let answers = Atomic(0)
        private let errors = Atomic(0)

        var count: Int { answers.load(ordering: .acquiring) }
        var failures: Int { errors.load(ordering: .acquiring) }

        func answer(_ body: () throws -> Void) {
            do {
                try body()
            } catch {
                errors.add(1, ordering: .releasing)
            }
            answers.add(1, ordering: .releasing)
        }

        func answer(_ body: () async throws -> Void) async {
            do {
                try await body()
            } catch {
                errors.add(1, ordering: .releasing)
            }
            answers.add(1, ordering: .releasing)
        }
    }

    /// Returns the content that would be on the disk after a power loss at this moment.
    private func onDisk() throws -> Contents {
        try StoreFixture(fixture.afterPowerLoss(seed: 7)).open().contents()
    }

    @Test(arguments: Callers.allCases)
    func commitsDuringSyncShareNextSync(callers: Callers) throws {
        let (before, told) = (disk.syncs, Told())
        disk.hold()
        try begin(0..<1, callers, told)
        try blockUntil("first") { disk.isAsked }
        try begin(1..<9, callers, told)
        #expect(told.count == 0)
        disk.release()
        try blockUntil("all") { told.count == 9 }
        #expect(told.failures == 0)
        #expect(disk.syncs == before + 2)
        #expect(try onDisk().count == 10)
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Callers.allCases)
    func failedSyncThrowsInAllWaitingCommitsAndIsNotRetried(callers: Callers) throws {
        let (before, told) = (disk.syncs, Told())
        disk.hold()
        try begin(0..<1, callers, told)
        try blockUntil("first") { disk.isAsked }
        try begin(1..<9, callers, told)
        disk.release(failing: FileError(.inputOutput, .synchronize, SimulatedStore.path))
        try blockUntil("all") { told.count == 9 }
        #expect(told.failures == 9)
        #expect(throws: StoreError.self) { try store.flushNow() }
        #expect(disk.syncs == before + 1)
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Callers.allCases)
    func syncedCommitIsDurableOnReturn(callers: Callers) throws {
        let (told, disk) = (Told(), fixture)
        let lost = Mutex<[StoreKey]>([])
        for caller in 0..<6 {
            let keys = (0..<4).map { StoreKey("\(caller)/\($0)") }
            begin(keys, isTask: callers.isTask(caller), told) { key in
                let after = try StoreFixture(disk.afterPowerLoss(seed: 7)).open()
                if try after.get(key) == nil { lost.withLock { $0.append(key) } }
            }
        }
        try blockUntil("all") { told.count == 6 }
        #expect(told.failures == 0)
        #expect(lost.withLock(\.self) == [])
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Callers.allCases)
    func compactionKeepsSyncedCommits(callers: Callers) throws {
        let told = Told()
        disk.hold()
        try begin(0..<1, callers, told)
        try blockUntil("first") { disk.isAsked }
        try begin(1..<5, callers, told)
        try store.compact()
        disk.release()
        try blockUntil("all") { told.count == 5 }
        #expect(told.failures == 0)
        #expect(try onDisk().count == 6)
        #expect(try store.verify().isIntact)
    }

    @Test func singleThreadSyncsOncePerSyncedCommit() throws {
        let before = disk.syncs
        for number in 0..<10 { try store.setSynced(.int(Int64(number)), for: "alone") }
        #expect(disk.syncs == before + 10)
        #expect(try onDisk()["alone"] == .int(9))
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Callers.allCases)
    func syncedCommitIsNotSyncedAgain(callers: Callers) throws {
        let before = disk.syncs
        for _ in 0..<5 {
            let told = Told()
            // Nothing changes, so there is nothing to wait for.
            begin(["before"], 0, isTask: callers.isTask(1), told)
            try blockUntil("answer") { told.count == 1 }
            #expect(told.failures == 0)
        }
        #expect(disk.syncs == before)
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Callers.allCases)
    func concurrentSyncedCommitsNeverHang(callers: Callers) throws {
        let told = Told()
        for number in 0..<300 {
            begin([StoreKey("\(number)")], isTask: callers.isTask(number / 3), told)
            // There are never more than a few callers at a time, and sometimes none.
            if number % 7 == 0 { try blockUntil("all so far") { told.count == number + 1 } }
        }
        try blockUntil("all") { told.count == 300 }
        #expect(told.failures == 0)
        #expect(try onDisk().count == 301)
        #expect(try store.verify().isIntact)
    }
}

/// An executor with its own threads, for tasks that must run while blocking tests occupy the pool.
private final class OwnThreads: TaskExecutor {
    private let queue = DispatchQueue(label: "callers", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
