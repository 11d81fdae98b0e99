import LarderCore

// The entries of an outbox form linked lists, whose links are separate records. An entry without a link record is linked to the entries
// with the preceding and the following number, so most pending entries need no record.
extension OutboxQueue {
    /// The sequence numbers of an entry's neighbors in a linked list of outbox entries.
    ///
    /// `previous` is unspecified for the first entry of a list, and `next` for the last entry.
    struct Link: Equatable {
        var previous: Int64?
        var next: Int64?
        var isRejected = false

        /// Returns the link of an entry for which no link record is stored.
        ///
        /// The neighbors of such an entry have adjacent sequence numbers.
        static func withoutRecord(_ number: Int64) -> Link { Link(previous: number - 1, next: number + 1) }
    }

    private func linkKey(_ number: Int64) -> StoreKey { reservedKey("link:\(number)") }

    func link(of number: Int64, _ transaction: inout StoreTransaction) throws -> Link {
        guard let stored = try transaction.get(linkKey(number)) else { return .withoutRecord(number) }
        guard case .array(let parts) = stored, parts.count == 3, case .bool(let isRejected) = parts[2] else {
            throw unreadable("the link of entry \(number)")
        }
        func neighbour(_ part: StoredValue) throws -> Int64? {
            switch part {
            case .null: nil
            case .int(let number): number
            default: throw unreadable("the link of entry \(number)")
            }
        }
        return Link(previous: try neighbour(parts[0]), next: try neighbour(parts[1]), isRejected: isRejected)
    }

    private func setLink(_ link: Link, of number: Int64, _ transaction: inout StoreTransaction) throws {
        guard link != .withoutRecord(number) else { return try removeLink(of: number, &transaction) }
        func value(_ number: Int64?) -> StoredValue { number.map { .int($0) } ?? .null }
        try transaction.set(
            .array([value(link.previous), value(link.next), .bool(link.isRejected)]),
            for: linkKey(number)
        )
    }

    func removeLink(of number: Int64, _ transaction: inout StoreTransaction) throws {
        if try transaction.get(linkKey(number)) != nil { try transaction.remove(linkKey(number)) }
    }

    /// Returns the sequence numbers of the entries in a linked list, in list order.
    func numbers(in list: List, _ transaction: inout StoreTransaction) throws -> [Int64] {
        var numbers: [Int64] = []
        var seen: Set<Int64> = []
        var current = list.first
        while let number = current {
            guard seen.insert(number).inserted else { throw InconsistentLists() }
            numbers.append(number)
            if number == list.last { break }
            current = try link(of: number, &transaction).next
        }
        guard numbers.last == list.last else { throw InconsistentLists() }
        return numbers
    }

    /// Appends an entry to a linked list of outbox entries.
    ///
    /// The entry must not be in any list.
    func append(
        _ number: Int64,
        to path: WritableKeyPath<State, List>,
        _ state: inout State,
        _ transaction: inout StoreTransaction
    ) throws {
        let isRejected = path == \.rejected
        let last = state[keyPath: path].last
        state[keyPath: path].last = number
        if let last {
            // Pending entries with consecutive numbers, the usual case, need no record.
            if !isRejected, number == last + 1 { return }
            var lastLink = try link(of: last, &transaction)
            lastLink.next = number
            try setLink(lastLink, of: last, &transaction)
            try setLink(
                Link(previous: last, next: isRejected ? nil : number + 1, isRejected: isRejected),
                of: number,
                &transaction
            )
        } else {
            state[keyPath: path].first = number
            if isRejected {
                try setLink(Link(previous: nil, next: nil, isRejected: true), of: number, &transaction)
            }
        }
    }

    /// Removes an entry from the linked list that contains it.
    func unlink(
        _ number: Int64,
        from path: WritableKeyPath<State, List>,
        _ state: inout State,
        _ transaction: inout StoreTransaction
    ) throws {
        let list = state[keyPath: path]
        let own = try link(of: number, &transaction)
        let previous = number == list.first ? nil : own.previous
        let next = number == list.last ? nil : own.next
        guard number == list.first || previous != nil, number == list.last || next != nil else {
            throw InconsistentLists()
        }
        if let previous {
            var link = try link(of: previous, &transaction)
            link.next = next ?? (link.isRejected ? nil : previous + 1)
            try setLink(link, of: previous, &transaction)
        } else {
            state[keyPath: path].first = next
        }
        if let next {
            // A first entry needs no link to a previous one.
            if let previous {
                var link = try link(of: next, &transaction)
                link.previous = previous
                try setLink(link, of: next, &transaction)
            }
        } else {
            state[keyPath: path].last = previous
        }
        try removeLink(of: number, &transaction)
    }
}
