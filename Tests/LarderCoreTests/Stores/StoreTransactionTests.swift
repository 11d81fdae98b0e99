import LarderCore
import Testing

@Suite struct StoreTransactionTests {
    @Test func transactionWritesBecomeVisibleTogether() throws {
        let store = TestStore()
        let events = Recorder<StoreEvent>()
        let observation = store.observe(prefix: "") { events.append($0) }
        try store.transaction { transaction in
            try transaction.set(1, for: "a")
            try transaction.set(2, for: "b")
            #expect(try store.get("a") == nil)
        }
        #expect(try store.entries().map(\.key) == ["a", "b"])
        #expect(events.all.count == 1)
        observation.cancel()
        #expect(try store.verify().isIntact)
    }

    @Test func transactionWithThrowingBodyWritesNothing() throws {
        let store = TestStore()
        #expect(throws: CancellationError.self) {
            try store.transaction { transaction in
                try transaction.set(1, for: "a")
                throw CancellationError()
            }
        }
        #expect(try store.count() == 0)
    }

    @Test func transactionReadsOwnWrites() throws {
        let store = TestStore()
        try store.set(1, for: "a")
        try store.transaction { transaction in
            try transaction.set(2, for: "a")
            #expect(try transaction.get("a") == 2)
            try transaction.remove("a")
            #expect(try transaction.get("a") == nil)
        }
        #expect(try !store.contains("a"))
    }

    @Test func listingInTransactionIncludesOwnWrites() throws {
        let store = TestStore()
        for key in ["p.a", "p.b", "q.a"] { try store.set(1, for: key) }
        let keys = try store.transaction { transaction in
            try transaction.remove("p.a")
            try transaction.set(2, for: StoreKey("c", prefix: "p."))
            try transaction.set(2, for: "q.b")
            return try transaction.entries(prefix: "p.")
        }
        #expect(keys == [StoreEntry(key: "p.b", value: 1), StoreEntry(key: "p.c", value: 2)])
        #expect(try store.keys() == ["p.b", "p.c", "q.a", "q.b"])
    }

    @Test func transactionIsRetriedIfReadValueChanges() throws {
        let store = TestStore()
        try store.set(1, for: "a")
        var runs = 0
        try store.transaction { transaction in
            runs += 1
            let value = try transaction.get("a")
            if runs == 1 { try store.set(10, for: StoreKey("a")) }
            try transaction.set(.array([value ?? .null]), for: "b")
        }
        #expect(runs == 2)
        #expect(try store.get("b") == [10])
    }

    @Test func transactionIsRetriedIfListedKeysChange() throws {
        let store = TestStore()
        var runs = 0
        try store.transaction { transaction in
            runs += 1
            let count = try transaction.entries(prefix: "p.").count
            if runs == 1 { try store.set(10, for: "p.x") }
            try transaction.set(.int(Int64(count)), for: "count")
        }
        #expect(runs == 2)
        #expect(try store.get("count") == 1)
    }

    @Test func transactionIsNotRetriedWhenUnreadKeyChanges() throws {
        let store = TestStore()
        var runs = 0
        try store.transaction { transaction in
            runs += 1
            _ = try transaction.get("a")
            try store.set(.int(Int64(runs)), for: "other")
            #expect(try transaction.get("other") == .int(Int64(runs)))
            try transaction.set(1, for: "b")
        }
        #expect(runs == 1)
    }

    @Test func transactionReadsAreConsistent() throws {
        let store = TestStore()
        try store.set(1, for: "a")
        try store.set(1, for: "b")
        var seen: [[StoredValue?]] = []
        try store.transaction { transaction in
            let a = try transaction.get("a")
            if seen.isEmpty {
                seen.append([])
                try store.transaction { other in
                    try other.set(2, for: "a")
                    try other.set(2, for: "b")
                }
            }
            seen.append([a, try transaction.get("b")])
        }
        #expect(seen == [[], [2, 2]])
    }

    @Test func transactionIsRetriedEvenIfBodyCatchesConflict() throws {
        let store = TestStore()
        for key in ["a", "b"] { try store.set(1, for: key) }
        var runs = 0
        let result = try store.transaction { transaction in
            runs += 1
            _ = try transaction.get("a")
            if runs == 1 { try store.set(2, for: StoreKey("a")) }
            return (try? transaction.get("b")) == nil ? "conflict" : "read"
        }
        #expect(runs == 2)
        #expect(result == "read")
    }

    @Test func transactionRejectsInvalidKeysAndValuesImmediately() throws {
        let store = TestStore()
        try store.transaction { transaction in
            #expect(throws: StoreError.self) { try transaction.set(.null, for: "a") }
            #expect(throws: StoreError.self) { try transaction.set(1, for: "\u{0}larder") }
            #expect(throws: StoreError.self) { try transaction.remove(StoreKey(String(repeating: "k", count: 5_000))) }
        }
        #expect(try store.count() == 0)
    }

    @Test func observersReceiveOriginOfTransaction() throws {
        let store = TestStore()
        let events = Recorder<StoreEvent>()
        let observation = store.observe(prefix: "") { events.append($0) }
        try store.transaction { transaction in
            transaction.origin = .imported
            try transaction.set(1, for: "a")
        }
        #expect(
            events.all == [.change(StoreChange(entries: [.init(key: "a", old: nil, new: 1)], origin: .imported))]
        )
        observation.cancel()
    }

    @Test func incrementsInConcurrentTransactionsAreNotLost() async throws {
        let store = TestStore()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<200 {
                        try? store.transaction { transaction in
                            try transaction.set((transaction.value(Int.self, for: "n") ?? 0) + 1, for: "n")
                        }
                    }
                }
            }
        }
        #expect(try store.get("n") == 1_600)
        #expect(try store.verify().isIntact)
    }
}
