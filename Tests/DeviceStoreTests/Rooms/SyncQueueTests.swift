import LarderTestSupport
import Synchronization
import Testing

@testable import LarderDeviceStore

/// Callers that share a sync, without a disk.
@Suite struct SyncQueueTests {
    private struct Broken: Error {}

    /// A disk that confirms one commit more with each sync, 20 at most.
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

    @Test func whatIsOnTheDiskIsNotSyncedAgain() throws {
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

    @Test func aStoreThatWasNotClosedCleanlySyncsAtOnce() throws {
        let queue = SyncQueue(isSynced: false)
        #expect(throws: Broken.self) { try queue.wait(for: 0) { throw Broken() } }
        try queue.wait(for: 0) { 0 }
        try queue.wait(for: 0) { throw Broken() }
    }

    @Test func aSyncThatConfirmsTooLittleIsFollowedByAnother() async throws {
        let queue = SyncQueue(isSynced: true)
        let disk = SlowDisk()
        // Each caller is served in the end, though most syncs confirm less than it waits for.
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
