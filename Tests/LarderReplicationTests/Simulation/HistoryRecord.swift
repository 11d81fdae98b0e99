import LarderCore
import LarderReplication

/// Everything that was ever part of a cluster's history, with the state at each position.
struct HistoryRecord {
    /// The entries by key, including those that have expired.
    typealias Values = [[UInt8]: ReplicationSnapshot.Entry]
    typealias Identifiers = Set<ReplicationCommit.Identifier>

    private(set) var states: [ReplicationPosition: (values: Values, identifiers: Identifiers)] = [:]
    /// The identifiers of commits that a failover has lost.
    var lost: Identifiers = []
    /// The position of the commit that wrote each value.
    private var revisions: [[UInt8]: UInt64] = [:]
    /// The positions of the commits that wrote each value, of which all but the last one were lost.
    private var positions: [[UInt8]: Set<ReplicationPosition>] = [:]
    /// The identifiers of the commits at each position.
    private var commits: [ReplicationPosition: Identifiers] = [:]

    /// Adds what is new in a history.
    mutating func add(_ history: [ReplicationChange]) {
        guard let last = history.last, states[last.position] == nil else { return }
        let start = history.lastIndex { states[$0.position] != nil }
        var (values, known) = start.flatMap { states[history[$0].position] } ?? ([:], [])
        for change in history[(start.map { $0 + 1 } ?? 0)...] {
            for write in change.writes {
                values.apply(write)
                if let value = write.value {
                    revisions[value] = change.position.revision
                    positions[value, default: []].insert(change.position)
                }
            }
            commits[change.position] = Set(change.identifiers)
            known.formUnion(change.identifiers)
            states[change.position] = (values, known)
        }
    }

    /// Returns the state at a position, or `nil` if no history had it.
    func state(at position: ReplicationPosition) -> (values: Values, identifiers: Identifiers)? {
        position.revision == 0 ? ([:], []) : states[position]
    }

    /// Returns whether the commit that wrote a value is part of the history up to one of several positions.
    func isPart(_ value: Int64, ofOneOf visited: Set<ReplicationPosition>) throws -> Bool {
        let places = positions[try StoredValue.int(value).encoded()] ?? []
        let writers = places.compactMap { commits[$0] }
        return visited.contains { position in
            guard let known = states[position]?.identifiers else { return false }
            return writers.contains { $0.isSubset(of: known) }
        }
    }

    func revision(ofValue value: Int64) -> UInt64? {
        (try? StoredValue.int(value).encoded()).flatMap { revisions[$0] }
    }
}

extension HistoryRecord.Values {
    init(_ entries: [ReplicationSnapshot.Entry]) {
        self.init(uniqueKeysWithValues: entries.map { ($0.key, $0) })
    }

    mutating func apply(_ write: ReplicationCommit.Write) {
        self[write.key] = write.value.map { .init(key: write.key, value: $0, expiry: write.expiry) }
    }

    /// The values that have not expired at an instant.
    func present(at instant: ReplicationInstant) -> [[UInt8]: [UInt8]] {
        filter { $0.value.expiry.map { $0 > instant } ?? true }.mapValues(\.value)
    }
}
