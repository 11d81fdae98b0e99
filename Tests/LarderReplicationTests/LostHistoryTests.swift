import LarderCore
import LarderReplication
import LarderStores
import LarderTestTraits
import LarderTesting
import Synchronization
import Testing

/// What the engine has said about a history that a failover has lost meanwhile.
@Suite(.expectsIssues(.rolledBack))
struct LostHistoryTests {
    private let cluster = SimulatedCluster(seed: 19)

    /// Hooks with a closure that is called once, before or after a call.
    private final class Once: Sendable {
        private let body = Mutex<(@Sendable () async throws -> Void)?>(nil)

        func set(_ body: @escaping @Sendable () async throws -> Void) { self.body.withLock { $0 = body } }

        func callAsFunction() async throws {
            let body = self.body.withLock { body in
                defer { body = nil }
                return body
            }
            try await body?()
        }
    }

    /// Makes the last commits of the cluster vanish, and others take their place.
    private func loseCommits(_ lost: Int, _ b: Machine) async throws {
        cluster.rewind(by: lost)
        for number in 0..<3 {
            try b.store.set(.int(Int64(number)), for: "theirs")
            try await b.exchange()
        }
    }

    @Test func commitMadeAfterTheSnapshotOfAnotherInstanceIsSentAgain() async throws {
        let disk = MemoryStore()
        let (b, second) = (try Machine(cluster, "b"), try Machine(cluster, "a", replica: disk))
        try await loseCommits(0, b)
        let beforeCommit = Once()
        var hooks = HookedEngine.Hooks()
        hooks.commit = { _ in
            try await beforeCommit()
            return nil
        }
        let first = try Machine(cluster, "a", replica: disk, hooks: hooks)
        try await first.exchange()
        // The new history is shorter than what was applied here.
        cluster.rewind(by: 2)
        beforeCommit.set { _ = try await second.store.pull() }
        try first.store.set(1, for: "mine")
        #expect(try await first.store.push() == .advanced)
        #expect(cluster.history.count == 2)
        cluster.rewind(by: 1)
        _ = try await first.store.pull()
        #expect(first.store.freshness.pending == 1)
        try await first.exchange()
        #expect(try first.store.get("mine") == 1)
        try first.expectAgreement(with: cluster)
    }

    /// What happens while a refusal by a value that is lost is handled.
    enum Course: CaseIterable {
        /// The cursor is in both histories.
        case cursorIsInBoth
        /// Another instance applies the snapshot while this one reads the history.
        case anotherInstanceAppliesTheSnapshot
        /// This instance applies the snapshot before it knows the answer.
        case answerComesAfterTheSnapshot
    }

    @Test(arguments: Course.allCases) func refusalThatWasLostIsAskedAgain(course: Course) async throws {
        let disk = MemoryStore()
        let (b, second) = (try Machine(cluster, "b"), try Machine(cluster, "a", replica: disk))
        let (afterCommit, beforeChanges) = (Once(), Once())
        let engine = cluster.engine("a")
        var hooks = HookedEngine.Hooks()
        hooks.changes = { try await beforeChanges() }
        hooks.commit = { commit in
            let answer = try await engine.commit(commit)
            try await afterCommit()
            return answer
        }
        let first = try Machine(cluster, "a", replica: disk, hooks: hooks)
        try b.store.set(0, for: "theirs")
        try await b.exchange()
        try await first.exchange()
        #expect(try first.store.compareAndSet("x", expecting: nil, to: 1))
        try b.store.set(2, for: "x")
        try await b.exchange()
        switch course {
        case .cursorIsInBoth: beforeChanges.set { try await loseCommits(1, b) }
        case .anotherInstanceAppliesTheSnapshot:
            beforeChanges.set {
                try await loseCommits(2, b)
                _ = try await second.store.pull()
            }
        case .answerComesAfterTheSnapshot:
            afterCommit.set {
                try await loseCommits(2, b)
                _ = try await first.store.pull()
            }
        }
        _ = try await first.store.push()
        try await first.exchange()
        // The value that had refused the commit was lost.
        #expect(try first.store.get("x") == 1)
        #expect(try first.store.rejected().isEmpty)
        try first.expectAgreement(with: cluster)
    }
}
