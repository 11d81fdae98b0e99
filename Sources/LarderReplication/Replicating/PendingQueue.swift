import LarderCore

/// A copy of a replica's pending commits in memory, for the instance that replicates.
struct PendingQueue {
    typealias Identifier = ReplicationCommit.Identifier

    /// The counters up to which this copy is complete, or `nil` if it has to be read anew.
    private(set) var counters: Replica.Counters?
    /// No pending commit has a lower number.
    private(set) var first: Int64 = 0
    private var commits: [Int64: PendingCommit] = [:]
    private var numbers: [Identifier: Int64] = [:]
    /// The numbers of the pending commits that write each key, in ascending order.
    private var writers: [[UInt8]: [Int64]] = [:]

    /// Reads what has changed in the replica since the last call.
    mutating func refresh(from replica: Replica) throws {
        let current = try replica.counters()
        if let counters, counters.turn == current.turn {
            for number in counters.next..<max(counters.next, current.next) { try load(number, from: replica) }
        } else {
            self = PendingQueue()
            first = try replica.first()
            for number in first..<max(first, current.next) { try load(number, from: replica) }
        }
        counters = current
    }

    private mutating func load(_ number: Int64, from replica: Replica) throws {
        guard let commit = try replica.pending(number) else { return }
        commits[number] = commit
        numbers[commit.identifier] = number
        for write in commit.writes { writers[write.key, default: []].append(number) }
    }

    /// Makes the next ``refresh(from:)`` read everything.
    mutating func forget() { counters = nil }

    /// Removes commits that a local commit has removed from the replica, and counts that local commit.
    mutating func remove(_ removed: Set<Int64>) {
        for number in removed {
            guard let commit = commits.removeValue(forKey: number) else { continue }
            numbers[commit.identifier] = nil
            for write in commit.writes {
                writers[write.key]?.removeAll { $0 == number }
                if writers[write.key]?.isEmpty == true { writers[write.key] = nil }
            }
        }
        counters?.turn += 1
        first = firstNumber(without: [])
    }

    var isEmpty: Bool { commits.isEmpty }

    /// All commits in order.
    var inOrder: some Sequence<PendingCommit> {
        (first..<max(first, counters?.next ?? first)).lazy.compactMap { commits[$0] }
    }

    subscript(number: Int64) -> PendingCommit? { commits[number] }

    func number(of identifier: Identifier) -> Int64? { numbers[identifier] }

    /// The lowest number of a commit that remains if some are removed, or the next number.
    func firstNumber(without removed: Set<Int64>) -> Int64 {
        let next = counters?.next ?? first
        var number = first
        while number < next, commits[number] == nil || removed.contains(number) { number += 1 }
        return number
    }

    /// Returns the last pending commit that writes `key`, has a lower number than `limit`, and is not among `removed`.
    func lastWriter(of key: [UInt8], before limit: Int64 = .max, without removed: Set<Int64> = []) -> PendingCommit? {
        let number = writers[key]?.last { $0 < limit && !removed.contains($0) }
        return number.flatMap { commits[$0] }
    }

    /// The keys that pending commits write.
    var keys: some Sequence<[UInt8]> { writers.keys }
}

extension PendingCommit {
    /// Returns the entry that this commit leaves under `key`, which it must write.
    func entry(under key: [UInt8]) -> ReplicaEntry? { writes.first { $0.key == key }?.entry }
}
