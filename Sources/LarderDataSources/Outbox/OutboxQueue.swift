import Foundation
import LarderCore

/// The writes an outbox keeps, under keys of Larder's own: in listings and changes of the store there is nothing of them.
///
/// Each change of it is one transaction of the store, and survives what the store's buffered commits survive.
struct OutboxQueue: Sendable {
    private struct State {
        /// The first entry that waits, or would.
        var first: Int64 = 0
        /// The number of the next entry.
        var next: Int64 = 0
        /// Those that the main source has refused.
        var rejected: [Int64] = []
    }

    private let store: any KeyValueStore
    private let name: String
    private static let version: Int64 = 1

    init(_ store: any KeyValueStore, name: String) {
        self.store = store
        self.name = name
    }

    private var stateKey: StoreKey { StoreKey(reserved: ".outbox:\(name.utf8.count):\(name):state") }
    /// Who may send what waits.
    func lease(for owner: String, length: Duration, time: any TimeSource) -> OutboxLease {
        OutboxLease(
            store: store,
            key: StoreKey(reserved: ".outbox:\(name.utf8.count):\(name):lease"),
            owner: owner,
            length: length,
            time: time
        )
    }

    private func key(_ number: Int64) -> StoreKey {
        StoreKey(reserved: ".outbox:\(name.utf8.count):\(name):entry:\(number)")
    }

    /// Adds an entry behind all others.
    ///
    /// - Returns: Its number, and those of the entries it made superfluous, which are gone.
    func append(
        _ make: (Int64) -> OutboxEntry,
        supersedingEarlier: Bool
    ) throws -> (number: Int64, superseded: [Int64]) {
        try store.transaction { transaction in
            var state = try state(transaction.get(stateKey))
            let entry = make(state.next)
            var superseded: [Int64] = []
            if supersedingEarlier {
                for number in state.first..<state.next {
                    guard let earlier = try transaction.get(key(number)) else { continue }
                    guard entry.supersedes(try self.entry(earlier, number)) else { continue }
                    try transaction.remove(key(number))
                    superseded.append(number)
                }
            }
            try transaction.set(entry.storedValue, for: key(state.next))
            state.next += 1
            try transaction.set(encoded(state), for: stateKey)
            return (entry.number, superseded)
        }
    }

    /// The entry that waits longest.
    func first() throws -> OutboxEntry? {
        let state = try state(store.get(stateKey))
        var number = state.first
        while number < state.next {
            if let stored = try store.get(key(number)) { return try entry(stored, number) }
            number += 1
        }
        return nil
    }

    /// What has become of an entry.
    enum Fate {
        case waits
        /// Sent, discarded, or made superfluous by a later one.
        case gone
        case rejected
    }

    func fate(of number: Int64) throws -> Fate {
        try store.transaction { transaction in
            guard try transaction.get(key(number)) != nil else { return .gone }
            return try state(transaction.get(stateKey)).rejected.contains(number) ? .rejected : .waits
        }
    }

    /// All that wait, in their order.
    func pending() throws -> [OutboxEntry] {
        try store.transaction { transaction in
            let state = try state(transaction.get(stateKey))
            return try (state.first..<state.next).compactMap { number in
                try transaction.get(key(number)).map { try entry($0, number) }
            }
        }
    }

    func rejected() throws -> [OutboxEntry] {
        try store.transaction { transaction in
            try state(transaction.get(stateKey)).rejected.compactMap { number in
                try transaction.get(key(number)).map { try entry($0, number) }
            }
        }
    }

    /// Takes an entry out that was sent, or that nobody wants any more.
    func remove(_ number: Int64) throws {
        try change { transaction, state in
            try transaction.remove(key(number))
            state.rejected.removeAll { $0 == number }
            if number == state.first { state.first += 1 }
        }
    }

    /// Puts an entry aside that the main source has refused.
    func reject(_ number: Int64) throws {
        try change { transaction, state in
            // Sent by another, whose lease had followed one that ended before its time.
            guard try transaction.get(key(number)) != nil else { return }
            // Whatever was before it is gone: entries are sent in their order.
            state.first = max(state.first, number + 1)
            if !state.rejected.contains(number) { state.rejected.append(number) }
        }
    }

    private func change(_ body: (inout StoreTransaction, inout State) throws -> Void) throws {
        try store.transaction { transaction in
            var state = try state(transaction.get(stateKey))
            try body(&transaction, &state)
            try transaction.set(encoded(state), for: stateKey)
        }
    }

    private func entry(_ stored: StoredValue, _ number: Int64) throws -> OutboxEntry {
        guard let entry = OutboxEntry(stored, number: number) else { throw unreadable("its entry \(number)") }
        return entry
    }

    private func state(_ stored: StoredValue?) throws -> State {
        guard let stored else { return State() }
        guard case .array(let parts) = stored, parts.count == 4, parts[0] == .int(Self.version),
            case .int(let first) = parts[1], case .int(let next) = parts[2], case .array(let rejected) = parts[3],
            first >= 0, first <= next
        else { throw unreadable("its state") }
        return State(
            first: first,
            next: next,
            rejected: rejected.compactMap { if case .int(let number) = $0 { number } else { nil } }
        )
    }

    private func encoded(_ state: State) -> StoredValue {
        .array([
            .int(Self.version), .int(state.first), .int(state.next), .array(state.rejected.map { .int($0) }),
        ])
    }

    private func unreadable(_ what: String) -> CoreError.DataSerialization {
        CoreError.DataSerialization(
            "The outbox \(name.debugDescription) can't be read, \(what) is of a later version or damaged: nothing was changed."
        )
    }
}
