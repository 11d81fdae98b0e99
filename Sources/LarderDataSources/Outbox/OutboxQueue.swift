import Foundation
import LarderCore

/// The writes an outbox keeps, under keys of Larder's own: in listings and changes of the store there is nothing of them.
///
/// Each change of it is one transaction of the store, and survives what the store's buffered commits survive. No operation costs more
/// for what was sent or discarded before: what waits is a linked list, and so is what was refused. Only ``pending()`` and
/// ``rejected()`` cost more the more there is, and so does making the lists anew after a repair of the store dropped an entry: it looks at
/// every number from the lowest one that is noted.
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

    /// Who may send what waits.
    func lease(for owner: String, length: Duration, time: any TimeSource) -> OutboxLease {
        OutboxLease(store: store, key: reservedKey("lease"), owner: owner, length: length, time: time)
    }

    /// Adds an entry behind all others.
    ///
    /// - Returns: Its number, and those of the entries it made superfluous, which are gone.
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

    /// The entry that waits longest.
    func first() throws -> OutboxEntry? {
        if try isKnownToBeEmpty() { return nil }
        return try read { transaction, state in
            guard let number = state.waiting.first else { return nil }
            return try entry(number, &transaction)
        }
    }

    /// What has become of an entry.
    enum Fate {
        case waits
        /// Sent, discarded, or made superfluous by a later one.
        case gone
        case rejected
    }

    func fate(of number: Int64) throws -> Fate {
        try read { transaction, _ in
            guard try transaction.get(key(number)) != nil else { return .gone }
            return try link(of: number, &transaction).isRejected ? .rejected : .waits
        }
    }

    /// All that wait, in their order.
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

    /// Takes an entry out that was sent, or that nobody wants any more.
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

    /// Puts an entry aside that the main source has refused.
    func reject(_ number: Int64) throws {
        try change { transaction, state in
            // Sent by another, whose lease had followed one that ended before its time.
            guard let stored = try transaction.get(key(number)) else { return }
            guard try !link(of: number, &transaction).isRejected else { return }
            try unlink(number, from: \.waiting, &state, &transaction)
            try forget(OutboxEntry(stored, number: number), &state, &transaction)
            try append(number, to: \.rejected, &state, &transaction)
        }
    }

    /// An entry that a list names.
    private func entry(_ number: Int64, _ transaction: inout StoreTransaction) throws -> OutboxEntry {
        guard let stored = try transaction.get(key(number)) else { throw InconsistentLists() }
        guard let entry = OutboxEntry(stored, number: number) else { throw unreadable("its entry \(number)") }
        return entry
    }

    func unreadable(_ what: String) -> CoreError.DataSerialization {
        CoreError.DataSerialization(
            "The outbox \(name.debugDescription) can't be read, \(what) is of a later version or damaged: nothing was changed."
        )
    }
}
