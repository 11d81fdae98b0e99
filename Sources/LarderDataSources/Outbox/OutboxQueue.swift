import Foundation
import LarderCore

/// A persistent queue of the pending and rejected writes of an outbox.
///
/// The entries are stored under reserved keys, which the store omits from listings and changes.
///
/// Each change is one transaction with the durability of the store's buffered commits. The cost of an operation does not depend on the
/// number of entries that were previously sent or discarded. ``pending()`` and ``rejected()`` take time proportional to the number of
/// entries that they return.
struct OutboxQueue: Sendable {
    let store: any KeyValueStore
    let name: String

    init(_ store: any KeyValueStore, name: String) {
        self.store = store
        self.name = name
    }

    func reservedKey(_ part: String) -> StoreKey { StoreKey(reserved: ".outbox:\(name.utf8.count):\(name):\(part)") }

    var stateKey: StoreKey { reservedKey("state") }

    func key(_ number: Int64) -> StoreKey { reservedKey("entry:\(number)") }

    /// Returns the lease that allows `owner` to send the entries of this outbox.
    func lease(for owner: String, length: Duration, time: any TimeSource) -> OutboxLease {
        OutboxLease(store: store, key: reservedKey("lease"), owner: owner, length: length, time: time)
    }

    /// Appends an entry to the list of pending entries.
    ///
    /// - Returns: The sequence numbers of the new entry and of the entries that it replaced.
    func append(
        _ make: (Int64) -> OutboxEntry,
        supersedingEarlier: Bool
    ) throws -> (number: Int64, superseded: [Int64]) {
        try change { transaction, state in
            let entry = make(state.next)
            let superseded = supersedingEarlier ? try supersede(by: entry, &state, &transaction) : []
            try transaction.set(entry.storedValue, for: key(entry.number))
            try append(entry.number, to: \.waiting, &state, &transaction)
            if supersedingEarlier {
                try note(entry, &transaction)
            } else if state.index == .complete {
                state.index = .partial
            }
            state.next += 1
            return (entry.number, superseded)
        }
    }

    /// Returns the oldest pending entry, or `nil` if there is none.
    func first() throws -> OutboxEntry? {
        if try isKnownToBeEmpty() { return nil }
        return try read { transaction, state in
            guard let number = state.waiting.first else { return nil }
            return try entry(number, &transaction)
        }
    }

    /// The status of an entry that was appended to the queue.
    enum Fate {
        case waits
        /// The entry was removed because it was sent, discarded, or replaced by a later entry.
        case gone
        case rejected
    }

    func fate(of number: Int64) throws -> Fate {
        try read { transaction, _ in
            guard try transaction.get(key(number)) != nil else { return .gone }
            return try link(of: number, &transaction).isRejected ? .rejected : .waits
        }
    }

    /// Returns all pending entries, oldest first.
    func pending() throws -> [OutboxEntry] {
        try read { transaction, state in
            try numbers(in: state.waiting, &transaction).map { try entry($0, &transaction) }
        }
    }

    func rejected() throws -> [OutboxEntry] {
        try read { transaction, state in
            try numbers(in: state.rejected, &transaction).map { try entry($0, &transaction) }
        }
    }

    /// Returns the sequence numbers of a list, in the order of the list, without reading the entries.
    func numbers(in path: KeyPath<State, List>) throws -> [Int64] {
        try read { transaction, state in try numbers(in: state[keyPath: path], &transaction) }
    }

    /// Returns the entry with a given sequence number, or `nil` if it has been removed.
    func entry(_ number: Int64) throws -> OutboxEntry? {
        guard let stored = try store.get(key(number)) else { return nil }
        guard let entry = OutboxEntry(stored, number: number) else { throw unreadable("entry \(number)") }
        return entry
    }

    /// Removes an entry that was sent or discarded, if it still exists.
    func remove(_ number: Int64) throws {
        try change { transaction, state in
            guard let stored = try transaction.get(key(number)) else { return }
            if try link(of: number, &transaction).isRejected {
                try unlink(number, from: \.rejected, &state, &transaction)
            } else {
                try unlink(number, from: \.waiting, &state, &transaction)
                try forget(OutboxEntry(stored, number: number), &state, &transaction)
            }
            try transaction.remove(key(number))
        }
    }

    /// Moves an entry that the main source has rejected to the list of rejected entries.
    func reject(_ number: Int64) throws {
        try change { transaction, state in
            // Another sender has sent and removed the entry after this sender's lease expired.
            guard let stored = try transaction.get(key(number)) else { return }
            guard try !link(of: number, &transaction).isRejected else { return }
            try unlink(number, from: \.waiting, &state, &transaction)
            try forget(OutboxEntry(stored, number: number), &state, &transaction)
            try append(number, to: \.rejected, &state, &transaction)
        }
    }

    /// Returns the entry with a given sequence number.
    ///
    /// Throws ``InconsistentLists`` if the entry is missing.
    private func entry(_ number: Int64, _ transaction: inout StoreTransaction) throws -> OutboxEntry {
        guard let stored = try transaction.get(key(number)) else { throw InconsistentLists() }
        guard let entry = OutboxEntry(stored, number: number) else { throw unreadable("entry \(number)") }
        return entry
    }

    func unreadable(_ what: String) -> CoreError.DataSerialization {
        CoreError.DataSerialization(
            "Nothing was changed because \(what) of the outbox \(name.debugDescription) can't be read. Update Larder if a later version wrote the outbox, or repair the store."
        )
    }
}
