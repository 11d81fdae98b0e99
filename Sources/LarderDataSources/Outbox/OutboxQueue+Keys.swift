import LarderCore
import LarderFiles

// The key index of an outbox that sends only the latest write to each key. The index locates the pending entry for a key without a scan.
extension OutboxQueue {
    /// Removes the pending entries for the key of `entry`, if `entry` affects a single key.
    ///
    /// - Returns: The sequence numbers of the removed entries.
    func supersede(
        by entry: OutboxEntry,
        _ state: inout State,
        _ transaction: inout StoreTransaction
    ) throws -> [Int64] {
        try completeIndex(&state, &transaction)
        guard case .key(let key) = entry.selection else { return [] }
        let numbers = try self.numbers(of: key, &transaction)
        for number in numbers {
            guard try transaction.get(self.key(number)) != nil else { throw InconsistentLists() }
            try unlink(number, from: \.waiting, &state, &transaction)
            try transaction.remove(self.key(number))
        }
        return numbers
    }

    /// Records in the key index that an entry is the only pending entry for its key.
    func note(_ entry: OutboxEntry, _ transaction: inout StoreTransaction) throws {
        guard case .key(let key) = entry.selection else { return }
        try set([entry.number], of: key, &transaction)
    }

    /// Removes an entry that is no longer pending from the key index.
    func forget(_ entry: OutboxEntry?, _ state: inout State, _ transaction: inout StoreTransaction) throws {
        guard state.index != .none else { return }
        if case .key(let key)? = entry?.selection {
            let numbers = try numbers(of: key, &transaction)
            let others = numbers.filter { $0 != entry?.number }
            if others.count < numbers.count { try set(others, of: key, &transaction) }
        }
        if state.waiting.first == nil { state.index = .none }
    }

    /// Scans all pending entries to complete the key index.
    ///
    /// The index is incomplete if an outbox that doesn't use `latestOfEachKey` has added entries.
    private func completeIndex(_ state: inout State, _ transaction: inout StoreTransaction) throws {
        guard state.index != .complete else { return }
        state.index = .complete
        var waiting: [StoreKey: [Int64]] = [:]
        for number in try numbers(in: state.waiting, &transaction) {
            guard let stored = try transaction.get(key(number)) else { throw InconsistentLists() }
            guard let entry = OutboxEntry(stored, number: number) else { throw unreadable("entry \(number)") }
            if case .key(let key) = entry.selection { waiting[StoreKey(key), default: []].append(number) }
        }
        for (key, numbers) in waiting { try set(numbers, of: key.text, &transaction) }
    }

    /// Returns the key of the index record for a data source's key.
    ///
    /// A long key is replaced by its hash, because stores limit the length of keys.
    private func recordKey(of key: String) -> StoreKey {
        let part = key.utf8.count <= 1_000 ? "name:" + key : "hash:" + hexadecimal(SHA256.of(key.utf8))
        return reservedKey("key:" + part)
    }

    private func numbers(of key: String, _ transaction: inout StoreTransaction) throws -> [Int64] {
        guard let stored = try transaction.get(recordKey(of: key)) else { return [] }
        guard case .array(let parts) = stored else { throw unreadable("the index of key \(key.debugDescription)") }
        return try parts.map { part in
            guard case .int(let number) = part else { throw unreadable("the index of key \(key.debugDescription)") }
            return number
        }
    }

    private func set(_ numbers: [Int64], of key: String, _ transaction: inout StoreTransaction) throws {
        let record = recordKey(of: key)
        if !numbers.isEmpty {
            try transaction.set(.array(numbers.map { .int($0) }), for: record)
        } else if try transaction.get(record) != nil {
            try transaction.remove(record)
        }
    }
}
