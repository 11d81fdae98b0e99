import LarderTestSupport
import Synchronization
import Testing

@testable import LarderDeviceStore

/// Callers that share a sync, without a disk.
@Suite struct SyncQueueTests {
    private struct Broken: Error {}

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
        let number = Mutex<UInt64>(0)
        // Callers for 1 to 20 at once; each sync confirms one commit more than the last, so that each caller is served in the end.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for wanted in UInt64(1)...20 {
                group.addTask {
                    try await queue.wait(for: wanted) {
                        number.withLock { number in
                            number = min(20, number + 1)
                            return number
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(number.withLock(\.self) <= 20)
        try queue.wait(for: number.withLock(\.self)) { throw Broken() }
    }
}
