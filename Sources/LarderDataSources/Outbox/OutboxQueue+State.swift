import LarderCore

/// An error thrown when an outbox's lists refer to a missing entry, for example because a repair of the store dropped the entry.
struct InconsistentLists: Error {}

extension OutboxQueue {
    /// The state of an outbox, without its entries.
    struct State {
        /// The sequence number of the next entry to be added.
        var next: Int64 = 0
        /// The pending entries, oldest first.
        var waiting = List()
        /// The entries that the main source has rejected.
        var rejected = List()
        var index = Index.none
    }

    /// A linked list of entries, given by the sequence numbers of the first and the last entry.
    struct List: Equatable {
        var first: Int64?
        var last: Int64?
    }

    /// The extent to which the key index covers the pending entries.
    enum Index: Int64 {
        /// The index contains no entries.
        case none = 0
        /// The index contains some of the pending entries.
        case partial = 1
        /// The index contains all pending entries that write a single key.
        case complete = 2
    }

    /// Runs `body` in a transaction, then writes the state, which `body` can change.
    func change<Result>(_ body: (inout StoreTransaction, inout State) throws -> Result) throws -> Result {
        try withConsistentLists {
            try store.transaction { transaction in
                var state = try state(&transaction)
                let before = state
                let result = try body(&transaction, &state)
                try transaction.set(encoded(state), for: stateKey)
                try noteLowest(state, after: before, &transaction)
                return result
            }
        }
    }

    /// Runs `body` on a consistent snapshot of the outbox.
    ///
    /// An outbox in version 1 of the format is upgraded first.
    func read<Result>(_ body: (inout StoreTransaction, State) throws -> Result) throws -> Result {
        try withConsistentLists {
            try store.transaction { transaction in try body(&transaction, state(&transaction)) }
        }
    }

    /// Returns `true` if the outbox has no pending entries, or `false` if the outbox may have pending entries.
    ///
    /// Reads a single record without a transaction.
    func isKnownToBeEmpty() throws -> Bool {
        guard let stored = try store.get(stateKey) else { return true }
        guard case .array(let parts) = stored, parts.count == 7, parts[0] == .int(2) else { return false }
        return parts[2] == .null
    }

    /// Runs `body`, and if the lists are inconsistent, rebuilds the lists and retries once.
    private func withConsistentLists<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch is InconsistentLists { try relist() }
        do { return try body() } catch is InconsistentLists { throw unreadable("the list of entries") }
    }

    private func state(_ transaction: inout StoreTransaction) throws -> State {
        guard let stored = try transaction.get(stateKey) else { return State() }
        guard case .array(let parts) = stored, case .int(let version)? = parts.first else {
            throw unreadable("the state")
        }
        switch (version, parts.count) {
        case (1, 4):
            guard let former = Self.version1(parts) else { throw unreadable("the state") }
            var state = former.state
            try list(former.first..<state.next, rejected: former.rejected, &state, &transaction)
            try transaction.set(encoded(state), for: stateKey)
            return state
        case (2, 7):
            guard case .int(let next) = parts[1], next >= 0, case .int(let code) = parts[6],
                let index = Index(rawValue: code), let waiting = Self.list(parts[2], parts[3], below: next),
                let rejected = Self.list(parts[4], parts[5], below: next)
            else { throw unreadable("the state") }
            return State(next: next, waiting: waiting, rejected: rejected, index: index)
        default: throw unreadable("the state")
        }
    }

    private static func list(_ first: StoredValue, _ last: StoredValue, below next: Int64) -> List? {
        switch (first, last) {
        case (.null, .null): List()
        case (.int(let first), .int(let last)):
            (0..<next).contains(first) && (0..<next).contains(last) ? List(first: first, last: last) : nil
        default: nil
        }
    }

    private func encoded(_ state: State) -> StoredValue {
        func number(_ number: Int64?) -> StoredValue { number.map { .int($0) } ?? .null }
        return .array([
            .int(2), .int(state.next), number(state.waiting.first), number(state.waiting.last),
            number(state.rejected.first), number(state.rejected.last), .int(state.index.rawValue),
        ])
    }
}

// MARK: - Rebuilding the lists

extension OutboxQueue {
    /// Decodes the state of an outbox that was written in version 1 of the format.
    ///
    /// Returns the state with empty lists, the lowest sequence number that may be pending, and the sequence numbers of the rejected
    /// entries. Returns `nil` if `parts` is malformed.
    private static func version1(_ parts: [StoredValue]) -> (state: State, first: Int64, rejected: [Int64])? {
        guard case .int(let first) = parts[1], case .int(let next) = parts[2], case .array(let rejected) = parts[3],
            first >= 0, first <= next
        else { return nil }
        let numbers = rejected.compactMap { if case .int(let number) = $0 { number } else { nil } }
        return (State(next: next), first, numbers)
    }

    /// Rebuilds the lists of pending and rejected entries from the stored entries.
    private func relist() throws {
        // Existing entries are located outside a transaction, because a transaction would track the key of every missing entry. Meanwhile,
        // other writers can only remove entries or add entries with higher numbers.
        let (lowest, next) = try store.transaction { transaction in
            let state = try state(&transaction)
            // A repair of the store may have restored an older state or dropped the state.
            let known = [state.waiting.first, state.rejected.first, try self.lowest(&transaction)]
            return (known.reduce(state.next) { min($0, $1 ?? $0) }, state.next)
        }
        let found = try (lowest..<next).filter { try store.get(key($0)) != nil }
        try store.transaction { transaction in
            var state = try state(&transaction)
            var there: [Int64] = []
            var rejected: [Int64] = []
            for number in found + (min(next, state.next)..<state.next) {
                guard try transaction.get(key(number)) != nil else { continue }
                there.append(number)
                if try link(of: number, &transaction).isRejected { rejected.append(number) }
            }
            state = State(next: state.next, index: state.index == .none ? .none : .partial)
            try list(there, rejected: rejected, &state, &transaction)
            try transaction.set(encoded(state), for: stateKey)
        }
    }

    /// The interval, in sequence numbers, at which the lowest sequence number is recorded.
    private static var noteInterval: Int64 { 1_000 }

    private var lowestKey: StoreKey { reservedKey("lowest") }

    /// Returns a lower bound of the sequence numbers of all entries.
    ///
    /// If an earlier version of Larder has written to the outbox, the bound may be lower than necessary.
    private func lowest(_ transaction: inout StoreTransaction) throws -> Int64 {
        guard case .int(let number)? = try transaction.get(lowestKey) else { return 0 }
        return max(0, number)
    }

    /// Periodically records the lowest sequence number, to limit the cost of rebuilding the lists.
    ///
    /// Has no effect while there are rejected entries, which may have lower sequence numbers than all pending entries.
    private func noteLowest(_ state: State, after before: State, _ transaction: inout StoreTransaction) throws {
        guard state.rejected.first == nil else { return }
        let (lowest, earlier) = (state.waiting.first ?? state.next, before.waiting.first ?? before.next)
        // The last rejected entry may have kept the recorded number low for a long time.
        let isFreed = before.rejected.first != nil
        guard isFreed || lowest / Self.noteInterval != earlier / Self.noteInterval else { return }
        try transaction.set(.int(lowest), for: lowestKey)
    }

    /// Builds the lists of pending and rejected entries from sequence numbers.
    ///
    /// `numbers` must be in ascending order. `rejected` contains the sequence numbers of the rejected entries.
    private func list(
        _ numbers: some Sequence<Int64>,
        rejected: [Int64],
        _ state: inout State,
        _ transaction: inout StoreTransaction
    ) throws {
        let refused = Set(rejected)
        for number in numbers where !refused.contains(number) {
            guard try transaction.get(key(number)) != nil else { continue }
            try removeLink(of: number, &transaction)
            try append(number, to: \.waiting, &state, &transaction)
        }
        for number in rejected where try transaction.get(key(number)) != nil {
            try append(number, to: \.rejected, &state, &transaction)
        }
    }
}
