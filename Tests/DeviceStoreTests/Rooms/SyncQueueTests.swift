import LarderTestSupport
import Synchronization
import Testing

@testable import LarderDeviceStore

/// Tests of callers that share a sync, without a disk.
@Suite struct SyncQueueTests {
    private struct Broken: Error {}

    /// A disk that confirms one more commit with each sync, up to 20 commits.
    private final class SlowDisk: Sendable {
        private let confirmed = Mutex<UInt64>(0)

        var number: UInt64 { confirmed.withLock(\.self) }

        func sync() -> UInt64 {
            confirmed.withLock { confirmed in
                confirmed = min(20, confirmed + 1)
                return confirmed
            }
        }
    }

    @Test func syncedCommitsAreNotSyncedAgain() throws {
        let queue = SyncQueue(isSynced: true)
        let syncs = Atomic(0)
        try queue.wait(for: 0) { throw Broken() }
        let sync: @Sendable () throws -> UInt64 = { UInt64(syncs.wrappingAdd(1, ordering: .relaxed).newValue) }
        try queue.wait(for: 1, sync)
        try queue.wait(for: 1, sync)
        #expect(syncs.load(ordering: .relaxed) == 1)
        queue.note(5)
        try queue.wait(for: 5, sync)
        #expect(syncs.load(ordering: .relaxed) == 1)
    }

    @Test func firstWaitSyncsStoreAfterUncleanShutdown() throws {
        let queue = SyncQueue(isSynced: false)
        #expect(throws: Broken.self) { try queue.wait(for: 0) { throw Broken() } }
        try queue.wait(for: 0) { 0 }
        try queue.wait(for: 0) { throw Broken() }
    }

    @Test func syncRepeatsUntilWaitingCommitIsDurable() async throws {
        let queue = SyncQueue(isSynced: true)
        let disk = SlowDisk()
        // Every caller succeeds in the end, although most syncs confirm fewer commits than the caller waits for.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for wanted in UInt64(1)...20 {
                group.addTask { try await queue.wait(for: wanted) { disk.sync() } }
            }
            try await group.waitForAll()
        }
        #expect(disk.number == 20)
        try await queue.wait(for: 20) { throw Broken() }
    }
}
