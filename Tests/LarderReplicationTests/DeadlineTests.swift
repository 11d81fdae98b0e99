import LarderCore
import LarderReplication
import LarderStores
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Synchronization
import Testing

/// Replicated commits while the engine does not answer, and what callers learn about it.
@Suite(.expectsIssues(.degraded))
struct DeadlineTests {
    private let cluster = SimulatedCluster(seed: 35)

    /// The error of a commit that the engine refuses to make for a reason of its own.
    private struct Refused: Error {}

    @Test func silentCommitLeavesTimeToAskForItsOutcome() async throws {
        let time = ManualTimeSource()
        let calls = Mutex((commits: 0, outcomes: 0))
        var hooks = HookedEngine.Hooks()
        hooks.commit = { _ in
            calls.withLock { $0.commits += 1 }
            try? await SystemTimeSource().sleep(for: .seconds(600))
            return .unknown(nil)
        }
        hooks.outcome = { calls.withLock { $0.outcomes += 1 } }
        var options = ReplicatedStoreOptions()
        options.environment.time = time
        options.deadline = .milliseconds(400)
        let a = try Machine(cluster, options: options, hooks: hooks)
        try await a.exchange()
        let commit = Task { try await a.store.set(1, for: "x", durability: .replicated) }
        try await waitUntil { calls.withLock(\.commits) == 1 }
        await time.waitForSleepers()
        time.advance(by: .milliseconds(300))
        let error = await #expect(throws: StoreError.self) { try await commit.value }
        #expect(error?.code == .notConfirmed)
        #expect(error?.message.contains("Nothing has changed") == true)
        #expect(calls.withLock(\.outcomes) == 1)
        try a.expectAgreement(with: cluster)
    }

    @Test func silentServerDoesNotDelayTheDeadline() async throws {
        var options = ReplicatedStoreOptions()
        options.deadline = .milliseconds(100)
        let a = try Machine(cluster, options: options)
        try await a.exchange()
        let running = RunningStore(a.store)
        try await waitUntil { a.store.freshness.isReplicating }
        cluster.setSuspended(true)
        // The call waits for this commit, and the engine does not answer any call.
        try a.store.set(1, for: "x")
        let error = await #expect(throws: StoreError.self) {
            try await a.store.set(2, for: "x", durability: .replicated)
        }
        #expect(error?.code == .notConfirmed)
        cluster.setSuspended(false)
        try await waitUntil { a.store.freshness.pending == 0 }
        try a.expectAgreement(with: cluster)
        withExtendedLifetime(running) {}
    }

    @Test func waitingCallersShareTheReadingOfAPage() async throws {
        let calls = Mutex((current: 0, most: 0))
        let time = SystemTimeSource()
        var hooks = HookedEngine.Hooks()
        hooks.changes = {
            calls.withLock { calls in
                calls.current += 1
                calls.most = max(calls.most, calls.current)
            }
            try? await time.sleep(for: .milliseconds(2))
            calls.withLock { $0.current -= 1 }
        }
        var options = ReplicatedStoreOptions()
        options.deadline = .seconds(600)
        let a = try Machine(cluster, options: options, hooks: hooks)
        let running = RunningStore(a.store)
        try await waitUntil { a.store.freshness.isReplicating && a.store.freshness.position != nil }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<30 {
                group.addTask { try await a.store.set(1, for: StoreKey("key.\(number)"), durability: .replicated) }
            }
            try await group.waitForAll()
        }
        // The task that follows, the task that sends, and one for all callers together.
        #expect(calls.withLock(\.most) <= 3)
        try a.expectAgreement(with: cluster)
        withExtendedLifetime(running) {}
    }

    @Test func lostNotificationsMakeTheNextCommitAskForTheHistory() async throws {
        let isLost = Mutex(false)
        let reads = Mutex(0)
        let wasRead = Mutex(false)
        var hooks = HookedEngine.Hooks()
        // The connection for notifications is lost, and the task that follows does not read again before the commit is sent.
        hooks.wait = {
            isLost.withLock { $0 = true }
            throw Refused()
        }
        hooks.changes = { if isLost.withLock(\.self) { reads.withLock { $0 += 1 } } }
        hooks.commit = { _ in
            wasRead.withLock { $0 = reads.withLock(\.self) > 0 }
            return nil
        }
        let time = ManualTimeSource()
        var options = ReplicatedStoreOptions()
        options.environment.time = time
        let a = try Machine(cluster, options: options, hooks: hooks)
        let running = RunningStore(a.store)
        try await waitUntil { a.store.freshness.failure != nil }
        let commit = Task { try await a.store.set(1, for: "x", durability: .replicated) }
        try await waitUntil { cluster.history.count == 1 }
        let isHistoryKnown = wasRead.withLock(\.self)
        #expect(isHistoryKnown)
        try await waitUntil {
            time.advance(by: .milliseconds(1))
            return try a.store.get("x") == 1
        }
        try await commit.value
        #expect(try a.store.verify().problems == [])
        withExtendedLifetime(running) {}
    }

    @Test func readingDoesNotHideTheFailureOfCommits() async throws {
        let reads = Mutex(0)
        var hooks = HookedEngine.Hooks()
        hooks.commit = { _ in throw Refused() }
        hooks.changes = { reads.withLock { $0 += 1 } }
        let a = try Machine(cluster, hooks: hooks)
        let running = RunningStore(a.store)
        try a.store.set(1, for: "x")
        try await waitUntil { a.store.freshness.failure != nil }
        let before = reads.withLock(\.self)
        try await waitUntil { reads.withLock(\.self) > before + 2 }
        #expect(a.store.freshness.failure?.contains("Refused") == true)
        #expect(try a.store.verify().problems == [])
        withExtendedLifetime(running) {}
    }
}
