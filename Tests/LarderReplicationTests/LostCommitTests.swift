import LarderCore
import LarderReplication
import LarderStores
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Synchronization
import Testing

/// Replicated commits that the cluster makes and that a failover loses, or other commits follow, before they are applied here.
@Suite(.expectsIssues(.degraded))
struct LostCommitTests {
    private let cluster = SimulatedCluster(seed: 61)

    private func options() -> ReplicatedStoreOptions {
        var options = ReplicatedStoreOptions()
        options.deadline = .seconds(600)
        return options
    }

    /// Hooks that replace the first commit by a closure, which returns the answer.
    private func answering(
        _ answer: @escaping @Sendable (ReplicationCommit) async throws -> ReplicationAnswer
    ) -> HookedEngine.Hooks {
        let isAnswered = Mutex(false)
        var hooks = HookedEngine.Hooks()
        hooks.commit = { commit in
            let isFirst = isAnswered.withLock { isAnswered in
                defer { isAnswered = true }
                return !isAnswered
            }
            return isFirst ? try await answer(commit) : nil
        }
        return hooks
    }

    @Test func replicatedCommitThatAFailoverHasLostIsMadeAgain() async throws {
        let (b, other) = (try Machine(cluster, "b"), cluster.engine("other"))
        let hooks = answering { [cluster] commit in
            let answer = try await other.commit(commit)
            // The next commit gets the revision of the lost one.
            cluster.rewind(by: 1)
            try b.store.set(2, for: "y")
            try await b.exchange()
            return answer
        }
        let a = try Machine(cluster, "a", options: options(), hooks: hooks)
        let running = RunningStore(a.store)
        try await a.store.set(1, for: "x", durability: .replicated)
        #expect(try a.store.get("x") == 1)
        #expect(cluster.history.count == 2)
        withExtendedLifetime(running) {}
        try a.expectAgreement(with: cluster)
    }

    @Test func lostReplicatedCommitMayHaveBeenMadeIfTheClusterDoesNotAnswer() async throws {
        let (b, other) = (try Machine(cluster, "b"), cluster.engine("other"))
        var hooks = answering { [cluster] commit in
            let answer = try await other.commit(commit)
            cluster.rewind(by: 1)
            try b.store.set(2, for: "y")
            try await b.exchange()
            return answer
        }
        struct Silent: Error {}
        let isAsked = Mutex(false)
        hooks.outcome = {
            isAsked.withLock { $0 = true }
            throw Silent()
        }
        let time = ManualTimeSource()
        var options = options()
        options.environment.time = time
        let a = try Machine(cluster, "a", options: options, hooks: hooks)
        try await a.exchange()
        let isReturned = Mutex(false)
        let commit = Task { [store = a.store] in
            defer { isReturned.withLock { $0 = true } }
            try await store.set(1, for: "x", durability: .replicated)
        }
        try await waitUntil { cluster.history.map(\.writes.count) == [1] && cluster.values[Array("y".utf8)] != nil }
        try await a.exchange()
        try await waitUntil {
            time.advance(by: isAsked.withLock(\.self) ? .seconds(100) : .milliseconds(20))
            return isReturned.withLock(\.self)
        }
        let error = await #expect(throws: StoreError.self) { try await commit.value }
        #expect(error?.code == .notConfirmed)
        #expect(error?.message.contains("may have been made") == true)
        try a.expectAgreement(with: cluster)
    }

    @Test func replicatedCommitInAShorterHistoryIsVisibleWhenItReturns() async throws {
        let b = try Machine(cluster, "b")
        for number in 0..<5 {
            try b.store.set(.int(Int64(number)), for: "theirs")
            try await b.exchange()
        }
        let other = cluster.engine("other")
        let isDoubted = Mutex(false)
        var hooks = answering { [cluster] commit in
            cluster.rewind(by: 4)
            return try await other.commit(commit)
        }
        hooks.outcome = { isDoubted.withLock { $0 = true } }
        let a = try Machine(cluster, "a", options: options(), hooks: hooks)
        try await a.exchange()
        let isReturned = Mutex(false)
        let commit = Task { [store = a.store] in
            defer { isReturned.withLock { $0 = true } }
            try await store.set(1, for: "x", durability: .replicated)
            return try store.get("x")
        }
        // The cursor is at revision 5 of the lost history, and the commit at revision 2 of the new one.
        try await waitUntil { isDoubted.withLock(\.self) || isReturned.withLock(\.self) }
        try await a.exchange()
        #expect(try await commit.value == 1)
        try a.expectAgreement(with: cluster)
    }

    @Test func replicatedCommitIsFoundAlthoughAnotherInstanceHasAppliedMore() async throws {
        let disk = MemoryStore()
        let (b, second) = (try Machine(cluster, "b"), try Machine(cluster, "a", replica: disk))
        let other = cluster.engine("other")
        let hooks = answering { commit in
            let answer = try await other.commit(commit)
            try b.store.set(2, for: "y")
            try await b.exchange()
            try await second.exchange()
            return answer
        }
        let first = try Machine(cluster, "a", replica: disk, options: options(), hooks: hooks)
        try await first.exchange()
        try await first.store.set(1, for: "x", durability: .replicated)
        #expect(try first.store.get("x") == 1)
        try first.expectAgreement(with: cluster)
    }
}
