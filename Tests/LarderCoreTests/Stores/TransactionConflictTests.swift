import LarderTestSupport
import Synchronization
import Testing

@testable import LarderCore

/// Tests of transactions that conflict repeatedly.
@Suite struct TransactionConflictTests {
    @Test func directStoreWriteInTransactionCausesConflict() throws {
        let store = TestStore()
        var runs = 0
        let error = #expect(throws: StoreError.self) {
            try store.transaction { transaction in
                runs += 1
                let count = try transaction.value(Int.self, for: "n") ?? 0
                try store.set(count + 1, for: "n")
                try transaction.set(count + 1, for: "written")
            }
        }
        #expect(error?.code == .conflict)
        #expect(error?.key == "n")
        #expect(error?.message.contains("100 attempts") == true)
        #expect(error?.message.contains("body") == true)
        #expect(runs == StoreTransaction.defaultAttempts)
        #expect(try store.get("written") == nil)
        #expect(try store.verify().isIntact)
    }

    @Test func listingConflictErrorNamesPrefix() throws {
        let store = TestStore()
        var runs = 0
        let error = #expect(throws: StoreError.self) {
            try store.transaction(attempts: 4) { transaction in
                runs += 1
                _ = try transaction.entries(prefix: "p.")
                try store.set(runs, for: "p.\(runs)")
            }
        }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains(#""p.""#) == true)
        #expect(runs == 4)
    }

    @Test func transactionThrowsConflictIfBodyIgnoresReadError() throws {
        let store = TestStore()
        var runs = 0
        let error = #expect(throws: StoreError.self) {
            try store.transaction(attempts: 3) { transaction in
                runs += 1
                _ = try transaction.get("a")
                try store.set(runs, for: "a")
                _ = try? transaction.get("b")
            }
        }
        #expect(error?.code == .conflict)
        #expect(error?.key == "a")
        #expect(runs == 3)
    }

    @Test(arguments: [Int.min, 0, 1]) func transactionBodyRunsAtLeastOnce(attempts: Int) throws {
        let store = TestStore()
        try store.transaction(attempts: attempts) { try $0.set(1, for: "a") }
        #expect(try store.get("a") == 1)
        let error = #expect(throws: StoreError.self) {
            try store.transaction(attempts: attempts) { transaction in
                _ = try transaction.get("a")
                try store.set(2, for: "a")
            }
        }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains("after 1 attempt,") == true)
    }

    @Test func readingConstantlyChangingStoreThrowsConflict() throws {
        let store = RestlessStore()
        let error = #expect(throws: StoreError.self) {
            try store.transaction(attempts: 2) { try $0.get("a") }
        }
        #expect(error?.code == .conflict)
    }

    @Test func transactionInCancelledTaskMakesOneAttempt() async throws {
        let store = TestStore()
        let runs = Mutex(0)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try store.transaction { transaction in
                runs.withLock { $0 += 1 }
                let n = try transaction.value(Int.self, for: "n") ?? 0
                try store.set(n + 1, for: "n")
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(runs.withLock { $0 } == 1)
    }

    @Test func transactionInCancelledTaskCommitsWithoutConflict() async throws {
        let store = TestStore()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.transaction(durability: .synced) { try $0.set(1, for: "a") }
        }
        try await task.value
        #expect(try store.get("a") == 1)
    }

    @Test func asynchronousTransactionRetriesAndThrowsConflict() async throws {
        let store = TestStore()
        var runs = 0
        try await store.transaction(durability: .synced) { transaction in
            runs += 1
            let n = try transaction.value(Int.self, for: "n") ?? 0
            if runs < 3 { try store.set(runs, for: "n") }
            try transaction.set(n, for: "seen")
        }
        #expect(runs == 3)
        #expect(try store.get("seen") == 2)
        let error = await #expect(throws: StoreError.self) {
            try await store.transaction(durability: .synced, attempts: 5) { transaction in
                let n = try transaction.value(Int.self, for: "n") ?? 0
                try store.set(n + 1, for: "n")
            }
        }
        #expect(error?.code == .conflict)
        #expect(error?.key == "n")
        #expect(try store.verify().isIntact)
    }

    @Test func updatesOfConcurrentAsyncTransactionsAreNotLost() async throws {
        let store = TestStore()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<100 {
                        try await store.transaction(durability: .synced) { transaction in
                            try transaction.set((transaction.value(Int.self, for: "n") ?? 0) + 1, for: "n")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.get("n") == 800)
    }

    @Test func transactionPassesDurabilityToStore() async throws {
        let store = TestStore()
        func transact() throws { try store.transaction(durability: .synced) { try $0.set(1, for: "a") } }
        try transact()
        try await store.transaction(durability: .buffered) { try $0.set(2, for: "b") }
        try store.transaction { try $0.set(3, for: "c") }
        #expect(store.durabilities == [.synced, .buffered])
    }

    @Test func retryDelaysGrowExponentiallyWithJitter() throws {
        let transaction = StoreTransaction(TestStore())
        var retries = TransactionRetries(limit: 100)
        var pauses: [Duration] = []
        var bounds: [Duration] = []
        for _ in 1..<100 {
            pauses.append(try retries.pause(after: transaction))
            bounds.append(retries.bound)
        }
        #expect(throws: StoreError.self) { try retries.pause(after: transaction) }
        #expect(pauses[..<2] == [.zero, .zero])
        #expect(bounds[2...5] == [.microseconds(20), .microseconds(40), .microseconds(80), .microseconds(160)])
        #expect(bounds.last == .microseconds(10_240))
        #expect(zip(pauses, bounds).allSatisfy { $0 <= $1 })
        #expect(Set(pauses[11...]).count > 80)
    }
}

/// A store whose revision changes each time it is read.
private struct RestlessStore: ForwardingStore {
    private let count = SharedCount()
    let base: any KeyValueStore = TestStore()
    var revision: UInt64 { count.next() }
}

private final class SharedCount: Sendable {
    private let count = Mutex<UInt64>(0)

    func next() -> UInt64 {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
