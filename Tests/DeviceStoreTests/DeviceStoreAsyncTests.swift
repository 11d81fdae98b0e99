import DeviceStoreProofs
import Dispatch
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

/// Tests of suspending calls that wait for a lock that another process holds.
@Suite struct DeviceStoreAsyncTests {
    enum Call: CaseIterable {
        case commit, syncedSet, transaction, flush

        func make(_ store: any KeyValueStore, _ number: Int) async throws {
            switch self {
            case .commit:
                var batch = StoreBatch()
                batch.set(number, for: "k\(number)")
                _ = try await store.commit(batch, durability: .buffered)
            case .syncedSet: try await store.set(number, for: "k\(number)", durability: .synced)
            case .transaction:
                try await store.transaction(durability: .buffered) { try $0.set(number, for: "k\(number)") }
            case .flush: try await store.flush()
            }
        }
    }

    /// A clock that stands still, so that no time limit passes.
    private struct StoppedTime: TimeSource {
        var now: Date { Date(timeIntervalSince1970: 0) }
        var monotonic: Duration { .zero }
        func sleep(for duration: Duration) async throws {}
    }

    private final class Progress: Sendable {
        let ended = Atomic(0)
        let failures = Atomic(0)
        let hasRun = Atomic(false)
        let executor = OneThread()
    }

    /// An executor with a single thread, like Swift's pool on a machine with one processor.
    private final class OneThread: TaskExecutor {
        private let queue = DispatchQueue(label: "tasks")
        private let key = DispatchSpecificKey<Bool>()

        init() { queue.setSpecific(key: key, value: true) }

        /// Whether the current thread belongs to this executor.
        var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    /// Makes calls in tasks on one thread, and starts one more task that doesn't wait.
    private func begin(_ call: Call, _ count: Int, _ store: DeviceStore) -> Progress {
        let progress = Progress()
        for number in 0..<count {
            Task.detached(executorPreference: progress.executor) {
                do { try await call.make(store, number) } catch { progress.failures.add(1, ordering: .relaxed) }
                progress.ended.add(1, ordering: .releasing)
            }
        }
        Task.detached(executorPreference: progress.executor) { progress.hasRun.store(true, ordering: .releasing) }
        return progress
    }

    @Test(arguments: Call.allCases, DeviceStoreOptions.IO.allCases)
    func suspendedCallsDoNotBlockOtherTasks(call: Call, io: DeviceStoreOptions.IO) throws {
        let fixture = StoreFixture(io: io)
        let store = try fixture.open { $0.environment.time = StoppedTime() }
        try store.setSynced(1, for: "a")
        let lock = try ControlLock(of: fixture.disk.open(StoreFixture.path + ".ctl", .writing))
        #expect(lock.isTaken)
        let count = 8
        let progress = begin(call, count, store)
        let waiting = Result {
            try blockUntil("a call that waits") { lock.isWaitedFor }
            try blockUntil("a task that waits for nothing") { progress.hasRun.load(ordering: .acquiring) }
        }
        // Lets the calls finish in any case.
        try lock.release()
        try waiting.get()
        try blockUntil("the calls") { progress.ended.load(ordering: .acquiring) == count }
        #expect(progress.failures.load(ordering: .relaxed) == 0)
        #expect(try store.count() == (call == .flush ? 1 : count + 1))
        #expect(try store.verify().isIntact)
    }

    /// Commits in as many tasks as there are processors, and starts one more task that doesn't wait.
    @Test(arguments: [Call.commit, .syncedSet, .transaction], [MeddledFileSystem.Moment.writing, .reading])
    func suspendedCallsDoNotBlockCooperativePool(call: Call, moment: MeddledFileSystem.Moment) throws {
        let fixture = StoreFixture()
        let disk = MeddledFileSystem(moment, StoreFixture.path, on: fixture.disk)
        let store = try fixture.open {
            $0.environment.fileSystem = disk
            $0.environment.time = StoppedTime()
        }
        try store.setSynced(1, for: "a")
        let isHeld = Atomic(false)
        let isReleased = Atomic(false)
        disk.once {
            isHeld.store(true, ordering: .releasing)
            // Lets the thread finish in any case.
            try? blockUntil(within: .seconds(120), "release") { isReleased.load(ordering: .acquiring) }
        }
        let holder = Progress()
        Thread.detachNewThread {
            do {
                switch moment {
                case .writing: try store.set(2, for: "b")
                default: _ = try store.verify()
                }
            } catch {
                holder.failures.add(1, ordering: .relaxed)
            }
            holder.ended.add(1, ordering: .releasing)
        }
        try blockUntil("a thread that has the lock") { isHeld.load(ordering: .acquiring) }
        let count = max(2, ProcessInfo.processInfo.activeProcessorCount)
        let progress = begin(call, count, store)
        let waiting = Result {
            try blockUntil("a task that waits for nothing") { progress.hasRun.load(ordering: .acquiring) }
        }
        isReleased.store(true, ordering: .releasing)
        try waiting.get()
        try blockUntil("the calls") { progress.ended.load(ordering: .acquiring) == count }
        try blockUntil("the thread") { holder.ended.load(ordering: .acquiring) == 1 }
        #expect(progress.failures.load(ordering: .relaxed) + holder.failures.load(ordering: .relaxed) == 0)
        #expect(try store.count() == (moment == .writing ? count + 2 : count + 1))
        #expect(try store.verify().isIntact)
    }

    /// Runs `call` in a task, and returns whether `moment` occurred on the task's own thread.
    private func isOnItsThread(
        _ moment: MeddledFileSystem.Moment,
        of path: String,
        during call: @escaping @Sendable (DeviceStore) async throws -> Void,
        after prepare: (DeviceStore) throws -> Void = { _ in }
    ) throws -> Bool {
        let fixture = StoreFixture()
        let disk = MeddledFileSystem(moment, path, on: fixture.disk)
        let store = try fixture.open { $0.environment.fileSystem = disk }
        try store.setSynced(1, for: "a")
        try prepare(store)
        let executor = OneThread()
        let isThere = Mutex<Bool?>(nil)
        disk.once { isThere.withLock { $0 = executor.isCurrent } }
        let progress = Progress()
        Task.detached(executorPreference: executor) {
            do { try await call(store) } catch { progress.failures.add(1, ordering: .relaxed) }
            progress.ended.add(1, ordering: .releasing)
        }
        try blockUntil("the call") { progress.ended.load(ordering: .acquiring) == 1 }
        #expect(progress.failures.load(ordering: .relaxed) == 0)
        #expect(try store.verify().isIntact)
        #expect(isThere.withLock { $0 != nil })
        return isThere.withLock { $0 == true }
    }

    @Test(arguments: [Call.commit, .syncedSet, .transaction])
    func nonblockingAsyncCallRunsOnCallingThread(call: Call) throws {
        #expect(try isOnItsThread(.writing, of: StoreFixture.path) { try await call.make($0, 1) })
    }

    @Test(arguments: [Durability.buffered, .synced])
    func asyncCommitCompactsOnAnotherThread(durability: Durability) throws {
        let isThere = try isOnItsThread(.renaming, of: StoreFixture.path + LogFormat.newSuffix) { store in
            // A store without automatic maintenance compacts in the call that makes compaction due.
            for number in 0..<40 {
                let value = "\(number)" + String(repeating: "x", count: 10_000)
                try await store.set(value, for: "large", durability: durability)
            }
        }
        #expect(!isThere)
    }

    @Test func asyncCommitSyncsOnAnotherThread() throws {
        #expect(try !isOnItsThread(.syncing, of: StoreFixture.path) { try await Call.syncedSet.make($0, 1) })
    }
}
