import DeviceStoreProofs
import Dispatch
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

/// Suspending calls that wait for another process's lock.
@Suite struct DeviceStoreSuspendingTests {
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

    /// Time that stands still: no limit passes.
    private struct StoppedTime: TimeSource {
        var now: Date { Date(timeIntervalSince1970: 0) }
        var monotonic: Duration { .zero }
        func sleep(for duration: Duration) async throws {}
    }

    private final class Progress: Sendable {
        let ended = Atomic(0)
        let failures = Atomic(0)
        let hasRun = Atomic(false)
    }

    /// Has one thread, as a machine with one processor gives Swift's tasks.
    private final class OneThread: TaskExecutor {
        private let queue = DispatchQueue(label: "tasks")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    @Test(arguments: Call.allCases, DeviceStoreOptions.IO.allCases)
    func suspendedCallsLeaveOtherTasksTheirThread(call: Call, io: DeviceStoreOptions.IO) throws {
        let lying = LyingStore(io: io)
        let store = try lying.open { $0.environment.time = StoppedTime() }
        try store.setSynced(1, for: "a")
        let lock = try ControlLock(of: lying.disk.open(LyingStore.path + ".ctl", .writing))
        #expect(lock.isTaken)
        let count = 8
        let progress = Progress()
        let executor = OneThread()
        for number in 0..<count {
            Task.detached(executorPreference: executor) {
                do { try await call.make(store, number) } catch { progress.failures.add(1, ordering: .relaxed) }
                progress.ended.add(1, ordering: .releasing)
            }
        }
        Task.detached(executorPreference: executor) { progress.hasRun.store(true, ordering: .releasing) }
        let waiting = Result {
            try blockUntil("a call that waits") { lock.isWaitedFor }
            try blockUntil("a task that waits for nothing") { progress.hasRun.load(ordering: .acquiring) }
        }
        // However it ended, the calls go on.
        try lock.letGo()
        try waiting.get()
        try blockUntil("the calls") { progress.ended.load(ordering: .acquiring) == count }
        #expect(progress.failures.load(ordering: .relaxed) == 0)
        #expect(try store.count() == (call == .flush ? 1 : count + 1))
        #expect(try store.verify().isIntact)
    }
}
