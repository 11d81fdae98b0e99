import Dispatch
import LarderCore
import Synchronization

extension ContractRun {
    func flushing(_ store: any KeyValueStore) async throws {
        try store.set(1, for: "a")
        try await store.flush()
        try await store.set(2, for: "a", durability: .synced)
        try requireValue(2, at: "a", in: store)
        var batch = StoreBatch()
        batch.expect(3, at: "a")
        batch.set(4, for: "a")
        let isCommitted = try await store.commit(batch, durability: .synced)
        try require(!isCommitted, "a synced commit should check its expectations")
        try blockingForms(store)
        try requireEntries([("a", 5)], in: store)
        try await store.transaction(durability: .synced) { transaction in
            try transaction.set((transaction.value(Int.self, for: "a") ?? 0) + 1, for: "a")
        }
        try requireValue(6, at: "a", in: store)
    }

    private func blockingForms(_ store: any KeyValueStore) throws {
        try store.set(5, for: "a", durability: .synced)
        try store.flush()
        try store.set(5, for: "a", durability: .buffered)
        try store.transaction(durability: .synced) { try $0.set(5, for: "a") }
    }

    /// Checks that committed values are present after the store is reopened.
    func reopening() throws {
        var expected = StoredDictionary()
        var generator = StoredValueGenerator(seed: 5)
        for (index, value) in StoredValueGenerator.edgeValues.enumerated() { expected["edge.\(index)"] = value }
        for text in StoredValueGenerator.edgeTexts { expected[text] = .string(text) }
        for _ in 0..<50 { expected[generator.key()] = generator.value() }
        var survives = false
        do {
            let store = try open()
            survives = store.capabilities.survivesProcess
            expected = StoredDictionary(
                expected.lazy.filter { store.holdsExactly($0.value) && store.admits($0.key) }.map { ($0.key, $0.value) }
            )
            var batch = StoreBatch()
            for entry in expected { batch.set(entry.value, for: StoreKey(entry.key)) }
            batch.set(1, for: "removed")
            try commitInParts(batch, to: store)
            try store.remove("removed")
        }
        // A store that does not survive the process may be empty after reopening, or may still have its values.
        guard survives else { return }
        for _ in 0..<2 {
            let store = try open()
            try requireEntries(expected.map { ($0.key, $0.value) }, in: store)
            try verify(store)
            expected["again"] = 1
            try store.set(1, for: "again")
        }
    }

    func concurrentWriters(_ store: any KeyValueStore) throws {
        let threads = 8
        let isCheap = store.capabilities.writeCost == .entry
        let operations = isCheap ? operationsOfEachThread : min(200, operationsOfEachThread)
        let keys = 100 / threads
        let failure = Mutex<(any Error)?>(nil)
        let observer = ContractObserver()
        let observation = observer.observe(store, prefix: "counter")
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            do {
                for operation in 0..<operations {
                    let key = "thread.\(thread).\(operation % keys)"
                    try store.set(.int(Int64(operation)), for: key)
                    if operation.isMultiple(of: 20) { try Self.increment("counter", in: store) }
                    if operation.isMultiple(of: 50) { try transfer(in: store) }
                    guard try store.get(key) == .int(Int64(operation)) else {
                        try require(false, "a thread should read its own write to a key that no other thread writes")
                        return
                    }
                }
            } catch {
                failure.withLock { $0 = $0 ?? error }
            }
        }
        if let error = failure.withLock({ $0 }) { throw error }
        observation.cancel()
        let increments = Int64(threads * ((operations + 19) / 20))
        try requireValue(.int(increments), at: "counter", in: store)
        for thread in 0..<threads {
            for key in 0..<keys {
                let last = operations - 1 - (operations - 1 - key) % keys
                try requireValue(.int(Int64(last)), at: "thread.\(thread).\(key)", in: store)
            }
        }
        let changes = observer.changes.compactMap(\.entries.first)
        try require(
            changes.map(\.new) == (1...increments).map { .int($0) },
            "every commit should be reported once and in order"
        )
    }

    private static func increment(_ key: StoreKey, in store: any KeyValueStore) throws {
        while true {
            let old = try store.get(key)
            guard case .int(let number)? = old else {
                if try store.compareAndSet(key, expecting: nil, to: 1) { return }
                continue
            }
            if try store.compareAndSet(key, expecting: old, to: .int(number + 1)) { return }
        }
    }

    /// Moves 1 from one key to another in a transaction, and throws a violation unless the sum of both values is zero.
    private func transfer(in store: any KeyValueStore) throws {
        let sum = try store.transaction { transaction -> Int64 in
            guard case .int(let from) = try transaction.get("from") ?? 0,
                case .int(let to) = try transaction.get("to") ?? 0
            else { return .max }
            try transaction.set(.int(from - 1), for: "from")
            try transaction.set(.int(to + 1), for: "to")
            return from + to
        }
        try require(sum == 0, "a transaction should read a snapshot of both keys, but their sum was \(sum)")
    }
}
