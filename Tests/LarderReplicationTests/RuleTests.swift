import LarderCore
import LarderReplication
import LarderStores
import LarderTestTraits
import LarderTesting
import Synchronization
import Testing

/// The rule for refused commits, and the list of those that stay.
@Suite(.expectsIssues(.rolledBack, .rejectedDropped))
struct RuleTests {
    private let cluster = SimulatedCluster(seed: 33)

    /// A machine that is about to have a commit refused, because another one has set "n" to 3 and it does not know that.
    private func conflictingMachine(
        replica: any KeyValueStore = MemoryStore(),
        options: ReplicatedStoreOptions = ReplicatedStoreOptions()
    ) async throws -> Machine {
        let (a, b) = (try Machine(cluster, "a", replica: replica, options: options), try Machine(cluster, "b"))
        try await a.exchange()
        try b.store.set(3, for: "n")
        try await b.exchange()
        #expect(try a.store.compareAndSet("n", expecting: nil, to: 8))
        return a
    }

    private func options(
        _ rule: @escaping @Sendable (RejectedCommit, ConfirmedValues) -> StoreBatch?
    ) -> ReplicatedStoreOptions {
        var options = ReplicatedStoreOptions()
        options.rule = .resolving(rule)
        return options
    }

    @Test func ruleReadsTheValuesThatRefusedTheCommit() async throws {
        let seen = Mutex<[StoredValue?]>([])
        let a = try await conflictingMachine(
            options: options { _, confirmed in
                seen.withLock { $0.append(try? confirmed.get("n")) }
                return nil
            }
        )
        #expect(try await a.store.push() == .advanced)
        #expect(seen.withLock(\.self) == [3])
        #expect(try a.store.get("n") == 3)
        try await a.exchange()
        try a.expectAgreement(with: cluster)
    }

    @Test func rejectedCommitReachesTheRuleAfterAKill() async throws {
        let disk = MemoryStore()
        let mortal = MortalStore(disk)
        let calls = Mutex(0)
        let options = self.options { commit, _ in
            calls.withLock { $0 += 1 }
            var batch = StoreBatch()
            batch.write(commit.writes.first?.value, for: "mine")
            return batch
        }
        let a = try await conflictingMachine(replica: mortal, options: options)
        // The first local commit applies the value that refused the commit, and the second one rolls the commit back.
        mortal.kill(.after, afterCommits: 1)
        await #expect(throws: MortalStore.Killed.self) { try await a.store.push() }
        #expect(calls.withLock(\.self) == 0)
        let again = try Machine(cluster, "a", replica: disk, options: options)
        #expect(try again.store.rejected().count == 1)
        try await again.exchange()
        #expect(calls.withLock(\.self) == 1)
        #expect(try again.store.rejected().isEmpty)
        #expect(try again.store.entries() == StoreEntry.entries(["mine": 8, "n": 3]))
        try again.expectAgreement(with: cluster)
    }

    @Test func replacementThatDoesNotHoldLeavesTheCommitInTheList() async throws {
        let calls = Mutex(0)
        let a = try await conflictingMachine(
            options: options { _, _ in
                calls.withLock { $0 += 1 }
                var batch = StoreBatch()
                batch.expect(77, at: "n")
                batch.set(1, for: "n")
                return batch
            }
        )
        try await a.exchange()
        let count = calls.withLock(\.self)
        #expect(count > 1)
        #expect(try a.store.rejected().map(\.reason) == [.refused])
        try await a.exchange()
        #expect(calls.withLock(\.self) == count)
        try a.expectAgreement(with: cluster)
    }

    @Test func replacementThatCannotBeQueuedLeavesTheCommitInTheList() async throws {
        let a = try await conflictingMachine(
            options: options { _, _ in
                var batch = StoreBatch()
                batch.set(1, for: StoreKey(String(repeating: "k", count: StoreKey.maximumLength + 1)))
                return batch
            }
        )
        try await a.exchange()
        #expect(try a.store.rejected().count == 1)
        try a.expectAgreement(with: cluster)
    }

    @Test func replacementFitsIntoAFullQueue() async throws {
        var options = self.options { _, _ in
            var batch = StoreBatch()
            batch.set(1, for: "replacement")
            return batch
        }
        options.maximumPending = 2
        let a = try await conflictingMachine(options: options)
        try a.store.set(1, for: "other")
        #expect(throws: StoreError.self) { try a.store.set(1, for: "third") }
        try await a.exchange()
        #expect(try a.store.get("replacement") == 1)
        try a.expectAgreement(with: cluster)
    }

    @Test func replacedCommitsDoNotLengthenTheList() async throws {
        let a = try await conflictingMachine(options: options { _, _ in StoreBatch() })
        try await a.exchange()
        for number in 0..<3 {
            let b = try Machine(cluster, "b")
            try await b.exchange()
            try b.store.set(.int(Int64(number)), for: "n")
            #expect(try a.store.compareAndSet("n", expecting: a.store.get("n"), to: 100))
            try await b.exchange()
            try await a.exchange()
        }
        #expect(try a.store.rejected().isEmpty)
        #expect(try a.replica.get(StoreKey(reserved: ".replica.rejected")) == .array([4, 4, 4]))
        try a.expectAgreement(with: cluster)
    }

    @Test func listOfRejectedCommitsIsBounded() async throws {
        var options = ReplicatedStoreOptions()
        options.maximumRejected = 2
        let a = try await conflictingMachine(options: options)
        for number in 0..<4 {
            try await a.exchange()
            let b = try Machine(cluster, "b")
            try await b.exchange()
            try b.store.set(.int(Int64(number)), for: "n")
            #expect(try a.store.compareAndSet("n", expecting: a.store.get("n"), to: 100))
            try await b.exchange()
        }
        try await a.exchange()
        #expect(try a.store.rejected().map(\.number) == [3, 4])
        #expect(a.store.freshness.rejected == 2)
        try a.expectAgreement(with: cluster)
    }

    @Test func replacedCommitsDoNotPushOthersOutOfTheList() async throws {
        // Each number that this machine writes is resolved, except the first one.
        var options = self.options { commit, _ in commit.writes.first?.value == 8 ? nil : StoreBatch() }
        options.maximumRejected = 2
        let a = try await conflictingMachine(options: options)
        for number in 0..<4 {
            try await a.exchange()
            let b = try Machine(cluster, "b")
            try await b.exchange()
            try b.store.set(.int(Int64(number)), for: "n")
            #expect(try a.store.compareAndSet("n", expecting: a.store.get("n"), to: 100))
            try await b.exchange()
        }
        try await a.exchange()
        #expect(try a.store.rejected().map(\.number) == [0])
        try a.expectAgreement(with: cluster)
    }
}
