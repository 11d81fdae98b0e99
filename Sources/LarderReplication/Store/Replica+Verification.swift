import LarderCore

extension Replica {
    /// Checks that the base holds a replica that can be read, or nothing.
    ///
    /// The first snapshot of the cluster replaces everything that no pending commit has written.
    func checkOrigin() throws {
        let isReplica = try header() != nil || counters().next > 0
        guard try isReplica || base.entries(prefix: "").isEmpty else { throw StoreError.notAReplica(base) }
    }

    /// Returns contradictions between the queue, the confirmed records and the visible values.
    func problems() throws -> [StoreVerification.Problem] {
        var problems: [StoreVerification.Problem] = []
        let (first, next) = (try first(), try counters().next)
        guard first <= next else {
            return [.init("The queue of pending commits begins at \(first), behind its end at \(next).")]
        }
        var last: [StoreKey: ReplicaEntry?] = [:]
        for number in try pendingNumbers() {
            guard let commit = try pending(number) else { continue }
            for write in commit.writes { last[try StoreKey(replicated: write.key)] = .some(write.entry) }
        }
        for (key, value) in last {
            if try confirmedRecord(key) == nil {
                let message = "A pending commit writes \(key), but its confirmed value is missing."
                problems.append(.init(message, key: key.text))
            }
            if try visible(key) != value {
                let message = "The value under \(key) is not that of the last pending commit."
                problems.append(.init(message, key: key.text))
            }
        }
        for number in try rejectedList().numbers { _ = try rejected(number) }
        _ = try (cursor(), header(), reservedKeys())
        return problems
    }
}
