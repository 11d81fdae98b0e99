import LarderCore

/// The lists of an outbox name an entry that is not there, as after a repair of the store that had to drop it.
struct InconsistentLists: Error {}

extension OutboxQueue {
    /// What an outbox holds, apart from the entries.
    struct State {
        /// The number of the next entry.
        var next: Int64 = 0
        /// Those that wait, in the order of their numbers.
        var waiting = List()
        /// Those that the main source has refused.
        var rejected = List()
        var index = Index.none
    }

    /// The ends of a linked list of entries.
    struct List: Equatable {
        var first: Int64?
        var last: Int64?
    }

    /// Which of the entries that wait are found by their key.
    enum Index: Int64 {
        /// None: there are no records.
        case none = 0
        /// Some.
        case partial = 1
        /// Each that is for a single key.
        case complete = 2
    }

    /// Changes the outbox in one transaction.
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

    /// Reads the outbox as of one moment; one of version 1 is brought up to date.
    func read<Result>(_ body: (inout StoreTransaction, State) throws -> Result) throws -> Result {
        try withConsistentLists {
            try store.transaction { transaction in try body(&transaction, state(&transaction)) }
        }
    }

    /// Whether nothing waits, seen without a transaction; `false` when that is not known.
    func isKnownToBeEmpty() throws -> Bool {
        guard let stored = try store.get(stateKey) else { return true }
        guard case .array(let parts) = stored, parts.count == 7, parts[0] == .int(2) else { return false }
        return parts[2] == .null
    }

    /// Runs `body`, and once more after the lists were made anew from the entries.
    private func withConsistentLists<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch is InconsistentLists { try relist() }
        do { return try body() } catch is InconsistentLists { throw unreadable("its list of entries") }
    }

    private func state(_ transaction: inout StoreTransaction) throws -> State {
        guard let stored = try transaction.get(stateKey) else { return State() }
        guard case .array(let parts) = stored, case .int(let version)? = parts.first else {
            throw unreadable("its state")
        }
        switch (version, parts.count) {
        case (1, 4):
            guard let former = Self.version1(parts) else { throw unreadable("its state") }
            var state = former.state
            try list(former.first..<state.next, rejected: former.rejected, &state, &transaction)
            try transaction.set(encoded(state), for: stateKey)
            return state
        case (2, 7):
            guard case .int(let next) = parts[1], next >= 0, case .int(let code) = parts[6],
                let index = Index(rawValue: code), let waiting = Self.list(parts[2], parts[3], below: next),
                let rejected = Self.list(parts[4], parts[5], below: next)
            else { throw unreadable("its state") }
            return State(next: next, waiting: waiting, rejected: rejected, index: index)
        default: throw unreadable("its state")
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

// MARK: - Lists made from the entries

extension OutboxQueue {
    /// What version 1 kept: the first number that may wait, and the numbers that were refused; a number without an entry was sent.
    private static func version1(_ parts: [StoredValue]) -> (state: State, first: Int64, rejected: [Int64])? {
        guard case .int(let first) = parts[1], case .int(let next) = parts[2], case .array(let rejected) = parts[3],
            first >= 0, first <= next
        else { return nil }
        let numbers = rejected.compactMap { if case .int(let number) = $0 { number } else { nil } }
        return (State(next: next), first, numbers)
    }

    /// Makes both lists anew from the entries that are there.
    private func relist() throws {
        // Found outside the transaction, which would expect every number that has no entry any more. Entries are only ever removed, or
        // added with a number that is not looked at here.
        let (lowest, next) = try store.transaction { transaction in
            let state = try state(&transaction)
            // The state itself may be an earlier one, or new, since the repair.
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

    /// How often the lowest number is noted.
    private static var noteInterval: Int64 { 1_000 }

    private var lowestKey: StoreKey { reservedKey("lowest") }

    /// No entry has a lower number.
    ///
    /// An earlier version does not note it: it is then too low, and right.
    private func lowest(_ transaction: inout StoreTransaction) throws -> Int64 {
        guard case .int(let number)? = try transaction.get(lowestKey) else { return 0 }
        return max(0, number)
    }

    /// Notes the lowest number once in a while, so that making the lists anew costs no more with what was sent long ago.
    ///
    /// While entries are put aside their numbers may be lower than those of all that wait: then what was noted stands.
    private func noteLowest(_ state: State, after before: State, _ transaction: inout StoreTransaction) throws {
        guard state.rejected.first == nil else { return }
        let (lowest, earlier) = (state.waiting.first ?? state.next, before.waiting.first ?? before.next)
        // The last one that was put aside may have held it back for long.
        let isFreed = before.rejected.first != nil
        guard isFreed || lowest / Self.noteInterval != earlier / Self.noteInterval else { return }
        try transaction.set(.int(lowest), for: lowestKey)
    }

    /// Makes both lists of the entries in `numbers`, ascending, and of those of them that were refused.
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
