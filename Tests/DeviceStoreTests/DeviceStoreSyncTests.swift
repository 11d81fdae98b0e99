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

/// Callers that wait for the disk, several at a time.
@Suite(.expectsIssues(.degraded)) struct DeviceStoreSyncTests {
    enum Callers: CaseIterable {
        case threads, tasks, both

        func isTask(_ caller: Int) -> Bool { self == .tasks || self == .both && caller % 2 == 1 }
    }

    private let lying = LyingFileSystem(directories: ["/data"])
    private let disk: HeldDisk
    private let store: DeviceStore
    private let executor = OwnThreads()

    init() throws {
        disk = HeldDisk(lying, SimulatedStore.path)
        // Made before, so that the log is opened by its name.
        try SimulatedStore(on: disk, .systemCalls).open().setSynced(0, for: "before")
        let simulated = SimulatedStore(on: disk, .systemCalls)
        store = try silently { try simulated.open() }
    }

    /// Begins a synced put by each caller, and returns when all have been committed.
    private func begin(_ numbers: Range<Int>, _ callers: Callers, _ told: Told) throws {
        for number in numbers { begin([StoreKey("\(number)")], isTask: callers.isTask(number), told) }
        try blockUntil("commits") { try store.keys().count >= numbers.upperBound + 1 }
    }

    /// Begins a caller that puts one after the other, and looks at each put when it has returned.
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

    /// What callers were told.
    ///
    /// Counted without a lock: all are told at once, and ThreadSanitizer does not see how a contended `Mutex` is had.
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

    /// What is there after power loss now.
    private func onDisk() throws -> Contents {
        try LyingStore(lying.afterPowerLoss(seed: 7)).open().contents()
    }

    @Test(arguments: Callers.allCases)
    func allWhoComeWhileASyncRunsShareTheNext(callers: Callers) throws {
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
    func everybodyIsToldOfASyncThatFailedAndNobodyAsksAgain(callers: Callers) throws {
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
    func whoeverReturnsFindsItOnTheDisk(callers: Callers) throws {
        let (told, disk) = (Told(), lying)
        let lost = Mutex<[StoreKey]>([])
        for caller in 0..<6 {
            let keys = (0..<4).map { StoreKey("\(caller)/\($0)") }
            begin(keys, isTask: callers.isTask(caller), told) { key in
                let after = try LyingStore(disk.afterPowerLoss(seed: 7)).open()
                if try after.get(key) == nil { lost.withLock { $0.append(key) } }
            }
        }
        try blockUntil("all") { told.count == 6 }
        #expect(told.failures == 0)
        #expect(lost.withLock(\.self) == [])
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Callers.allCases)
    func aCompactionMeanwhileLosesNothingThatIsConfirmed(callers: Callers) throws {
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

    @Test func whoeverIsAloneAsksTheDiskOnceForEachCommit() throws {
        let before = disk.syncs
        for number in 0..<10 { try store.setSynced(.int(Int64(number)), for: "alone") }
        #expect(disk.syncs == before + 10)
        #expect(try onDisk()["alone"] == .int(9))
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Callers.allCases)
    func whatIsOnTheDiskAlreadyIsNotSyncedAgain(callers: Callers) throws {
        let before = disk.syncs
        for _ in 0..<5 {
            let told = Told()
            // Nothing changes: there is nothing to wait for.
            begin(["before"], 0, isTask: callers.isTask(1), told)
            try blockUntil("answer") { told.count == 1 }
            #expect(told.failures == 0)
        }
        #expect(disk.syncs == before)
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Callers.allCases)
    func manyWhoComeAndGoAllReturn(callers: Callers) throws {
        let told = Told()
        for number in 0..<300 {
            begin([StoreKey("\(number)")], isTask: callers.isTask(number / 3), told)
            // Never more than a handful at a time, and now and then nobody.
            if number % 7 == 0 { try blockUntil("all so far") { told.count == number + 1 } }
        }
        try blockUntil("all") { told.count == 300 }
        #expect(told.failures == 0)
        #expect(try onDisk().count == 301)
        #expect(try store.verify().isIntact)
    }
}

/// Threads for tasks that must run while tests that block have all of the pool.
private final class OwnThreads: TaskExecutor {
    private let queue = DispatchQueue(label: "callers", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
