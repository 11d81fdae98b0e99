import LarderCore

extension ContractRun {
    private struct Abandoned: Error {}

    func batchesAreAtomic(_ store: any KeyValueStore) throws {
        try store.set(1, for: "a")
        try requireRefusal(.unsupportedValue, of: "a batch with one unsupported value", by: store) {
            var batch = StoreBatch()
            batch.set(2, for: "a")
            batch.set(2, for: "b")
            batch.set(.null, for: "c")
            _ = try store.commit(batch)
        }
        var batch = StoreBatch()
        batch.set(3, for: "b")
        batch.remove("a")
        batch.set(4, for: "b")
        batch.set(5, for: "c")
        try require(try store.commit(batch), "a batch without expectations should be committed")
        try requireEntries([("b", 4), ("c", 5)], in: store)
        try require(try store.commit(StoreBatch()), "an empty batch should be committed")
    }

    func expectationsAreChecked(_ store: any KeyValueStore) throws {
        try store.set(1, for: "a.1")
        try store.set(2, for: "a.2")
        let entries = try store.entries(prefix: "a.")
        func attempt(_ expect: (inout StoreBatch) -> Void) throws -> Bool {
            var batch = StoreBatch()
            expect(&batch)
            batch.set(9, for: "written")
            let isCommitted = try store.commit(batch)
            try requireValue(isCommitted ? 9 : nil, at: "written", in: store)
            try store.remove("written")
            return isCommitted
        }
        try require(try attempt { $0.expect(1, at: "a.1") }, "expecting the stored value should succeed")
        try require(try !attempt { $0.expect(2, at: "a.1") }, "expecting another value should fail")
        try require(try !attempt { $0.expect(nil, at: "a.1") }, "expecting no value should fail for a stored value")
        try require(try attempt { $0.expect(nil, at: "a.3") }, "expecting no value should succeed for an absent key")
        try require(try attempt { $0.expect(entries, prefix: "a.") }, "expecting the stored entries should succeed")
        try require(try !attempt { $0.expect([], prefix: "a.") }, "expecting other entries should fail")
        try require(
            try !attempt { batch in
                batch.expect(1, at: "a.1")
                batch.expect(1, at: "a.2")
            },
            "a batch with one unmet expectation should not be committed"
        )
    }

    func comparingAndSetting(_ store: any KeyValueStore) throws {
        try require(
            try store.compareAndSet("a", expecting: nil, to: -0.0),
            "expecting no value should succeed for an absent key"
        )
        try require(try !store.compareAndSet("a", expecting: 0.0, to: 1), "expecting 0.0 should fail for -0.0")
        try require(
            try !store.compareAndSet("a", expecting: nil, to: 1),
            "expecting no value should fail for a stored value"
        )
        try requireValue(-0.0, at: "a", in: store)
        try require(try store.compareAndSet("a", expecting: -0.0, to: "x"), "expecting -0.0 should succeed for -0.0")
        try require(
            try store.compareAndSet("a", expecting: "x", to: nil),
            "expecting a string should succeed for the same string"
        )
        try requireEntries([], in: store)
    }

    func transactions(_ store: any KeyValueStore) throws {
        try store.set(1, for: "a")
        let result = try store.transaction { transaction in
            let old = try transaction.get("a")
            try transaction.set(2, for: "a")
            try transaction.set(3, for: "b")
            try transaction.remove("a")
            try transaction.set(4, for: "c")
            let seen = try transaction.entries()
            return (old, seen.map(\.key))
        }
        try require(result.0 == 1, "a transaction should read the stored value")
        try require(result.1 == ["b", "c"], "a transaction should read its own writes, but listed \(result.1)")
        try requireEntries([("b", 3), ("c", 4)], in: store)
        do {
            try store.transaction { transaction in
                try transaction.set(5, for: "b")
                throw Abandoned()
            }
            try require(false, "an error thrown by a transaction's body should be rethrown")
        } catch is Abandoned {
            try requireEntries([("b", 3), ("c", 4)], in: store)
        }
    }

    func conflictingTransactionsAreRetried(_ store: any KeyValueStore) throws {
        try store.set(1, for: "a")
        var runs = 0
        try store.transaction { transaction in
            runs += 1
            let number = try transaction.get("a")
            if runs == 1 { try store.set(10, for: "a") }
            try transaction.set(number == 10 ? 11 : 2, for: "a")
        }
        try requireValue(11, at: "a", in: store)
        try require(runs == 2, "the transaction should have run twice, but ran \(runs) times")

        runs = 0
        try store.transaction { transaction in
            runs += 1
            let count = Int64(try transaction.entries(prefix: "list.").count)
            if runs == 1 { try store.set(1, for: "list.new") }
            try transaction.set(.int(count), for: "count")
        }
        try requireValue(1, at: "count", in: store)
    }

    func transactionsFailAfterTooManyConflicts(_ store: any KeyValueStore) async throws {
        var runs = 0
        func conflicting(_ transaction: inout StoreTransaction) throws {
            runs += 1
            let count = try transaction.value(Int.self, for: "a") ?? 0
            try store.set(count + 1, for: "a")
            try transaction.set(1, for: "b")
        }
        do {
            try store.transaction(attempts: 3, conflicting)
            try require(false, "a transaction whose body writes the keys that it read should fail with code conflict")
        } catch let error as StoreError {
            try requireConflict(error, after: runs)
        }
        runs = 0
        do {
            try await store.transaction(durability: .buffered, attempts: 3, conflicting)
            try require(false, "an asynchronous transaction with conflicts should fail with code conflict")
        } catch let error as StoreError {
            try requireConflict(error, after: runs)
        }
        try requireEntries([("a", 6)], in: store)
    }

    private func requireConflict(_ error: StoreError, after runs: Int) throws {
        try require(
            error.code == .conflict,
            "the transaction should fail with code conflict, but failed with code \(error.code)"
        )
        try require(error.key == "a", "the error should name the key that changed")
        try require(runs == 3, "a transaction with 3 attempts should run 3 times, but ran \(runs) times")
    }

    func revisionFollowsChanges(_ store: any KeyValueStore) throws {
        var seen: Set<UInt64> = [try store.revision]
        func requireNew(_ what: String) throws {
            let revision = try store.revision
            try require(revision == (try store.revision), "the revision should not change without a write")
            try require(seen.insert(revision).inserted, "\(what) should change the revision")
        }
        try store.set(1, for: "a")
        try requireNew("a new key")
        try store.set(2, for: "a")
        try requireNew("a new value")
        try store.remove("a")
        try requireNew("a removal")
    }
}
