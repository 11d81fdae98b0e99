import LarderCore
import LarderReplication
import LarderStores
import LarderTesting

// The checker: what must be true at each moment, and at the end.
extension SimulatedWorld {
    /// Judges a machine, unless nothing has changed there since the last time.
    func judgeIfChanged(_ machine: Machine) throws {
        let state = Machine.Judged(
            revision: machine.disk.revision,
            acknowledged: machine.acknowledged.count,
            lost: record.lost.count
        )
        // Values expire without a change.
        guard plan.expires || state != machine.judged else { return }
        try judge(machine)
        machine.judged = state
    }

    func judge(_ machine: Machine) throws {
        guard let store = machine.processes.first(where: { !$0.replica.isDead })?.store else { return }
        func require(_ condition: Bool, _ kind: Violation.Kind, _ what: @autoclosure () -> String) throws {
            guard condition else { throw Violation(kind, "\(machine.name): \(what())") }
        }
        let problems = try store.verify().problems
        try require(problems.isEmpty, .inconsistentReplica, "the replica has problems: \(problems)")

        // Reads are one prefix of the cluster's commits, and the own pending ones on top.
        let position = try store.confirmed.position
        let prefix = position.map { record.state(at: $0) } ?? ([:], [])
        guard let prefix else {
            throw Violation(.unknownPosition, "\(machine.name): the cursor is at a position that never was")
        }
        let queued = try store.queued()
        let confirmed = HistoryRecord.Values(try store.storedConfirmedEntries(queued))
        try require(
            confirmed == prefix.values,
            .wrongPrefix,
            "confirmed values are \(confirmed), but the prefix is \(prefix.values)"
        )
        var expected = prefix.values
        for write in queued.flatMap(\.writes) { expected.apply(write) }
        let visible = HistoryRecord.Values(try store.storedEntries())
        try require(
            visible == expected,
            .wrongReads,
            "reads see \(visible), but the prefix and pending writes are \(expected)"
        )
        let present = expected.present(at: try store.currentTime())
        let read = try store.entries()
        let found = Dictionary(uniqueKeysWithValues: try read.map { (Array($0.key.utf8), try $0.value.encoded()) })
        try require(found == present, .wrongReads, "reads see \(found), but what has not expired is \(present)")

        // Every acknowledged write is pending, part of the prefix, rejected, or lost by a failover; and the queue is in order.
        let waiting = queued.flatMap(\.identifiers)
        let rejected = Dictionary(try store.rejectedIdentifiers()) { first, _ in first }
        let acknowledged = machine.acknowledged.flatMap(\.identifiers)
        let isInOrder = waiting == acknowledged.filter(Set(waiting).contains)
        try require(isInOrder, .wrongOrder, "the queue is not in the order of the writes")
        for identifier in acknowledged where !waiting.contains(identifier) {
            let isApplied = prefix.identifiers.contains(identifier)
            switch rejected[identifier] {
            case nil:
                let isExplained = isApplied || record.lost.contains(identifier)
                try require(isExplained, .lostCommit, "the acknowledged commit \(identifier) has vanished")
            case .unknown?: break
            default:
                // It may have been part of a snapshot of a history that was lost, and then have been refused.
                let isMade = isApplied && !record.lost.contains(identifier)
                try require(!isMade, .rejectedButMade, "the commit \(identifier) was rejected, but it was made")
            }
        }
    }

    /// Checks that a replicated commit that was confirmed was visible here at a moment of the call.
    ///
    /// A failover may have lost it since.
    func judgeReplicated(_ value: Int64, _ machine: Machine, _ process: Process) throws {
        guard try record.isPart(value, ofOneOf: machine.visited.all) else {
            throw Violation(
                .lostCommit,
                "\(machine.name): a replicated commit of \(value) was confirmed, but was never visible here"
            )
        }
        guard !plan.rewinds else { return }
        guard let revision = record.revision(ofValue: value) else {
            throw Violation(
                .lostCommit,
                "\(machine.name): a replicated commit was confirmed, but is not in the history"
            )
        }
        let position = try process.store.confirmed.position?.revision ?? 0
        guard position >= revision else {
            throw Violation(.realTime, "\(machine.name): a replicated commit was not applied")
        }
    }

    func judgeEnd() throws {
        let history = cluster.history
        let all = history.flatMap(\.identifiers)
        guard Set(all).count == all.count else { throw Violation(.madeTwice, "a commit was made twice") }
        let written = history.flatMap(\.writes).compactMap(\.value)
        let counters = history.flatMap(\.writes).filter { $0.key == Array("counter".utf8) }.count
        guard Set(written).count + counters >= written.count else {
            throw Violation(.madeTwice, "a write was made twice")
        }
        try judgeOrder()
        for machine in machines {
            try judge(machine)
            let store = machine.processes[0].store
            let pending = try store.queued().count
            guard pending == 0 else { throw Violation(.notAtRest, "\(machine.name): \(pending) commits stay pending") }
            guard HistoryRecord.Values(try store.storedEntries()) == HistoryRecord.Values(cluster.entries) else {
                throw Violation(.notAtRest, "\(machine.name) and the cluster do not agree")
            }
            let rejected = try store.rejectedIdentifiers()
            for (identifier, reason) in rejected where reason != .unknown && all.contains(identifier) {
                throw Violation(.rejectedButMade, "\(machine.name): \(identifier) was rejected, but it was made")
            }
        }
        try judgeReplicatedCommits()
        for machine in machines {
            try judgeOwnOrder(machine)
            try judgeRejections(machine)
        }
    }

    /// Checks that the commits of one machine are in the history in the order in which they were queued.
    private func judgeOwnOrder(_ machine: Machine) throws {
        let own = machine.acknowledged.flatMap(\.identifiers)
        let made = cluster.history.flatMap(\.identifiers).filter(Set(own).contains)
        guard made == own.filter(Set(made).contains) else {
            throw Violation(.wrongOrder, "\(machine.name): commits were made in another order than they were queued")
        }
        let places = Dictionary(
            uniqueKeysWithValues: cluster.history.enumerated().flatMap { place, change in
                change.identifiers.map { ($0, place) }
            }
        )
        for commit in machine.replicated {
            let value = try StoredValue.int(commit.value).encoded()
            let place = cluster.history.firstIndex { $0.writes.contains { $0.value == value } }
            guard let place else { continue }
            for earlier in commit.pending where places[earlier].map({ $0 > place }) ?? false {
                throw Violation(
                    .wrongOrder,
                    "\(machine.name): the replicated commit of \(commit.value) was made before \(earlier), which was pending"
                )
            }
        }
    }

    /// Checks that each rejected commit was rejected for a reason.
    private func judgeRejections(_ machine: Machine) throws {
        let rejected = try machine.processes[0].store.rejectedIdentifiers()
        var commits: [ReplicationCommit.Identifier: (place: Int, commit: ReplicationCommit)] = [:]
        for (place, commit) in machine.acknowledged.enumerated() { commits[commit.identifiers[0]] = (place, commit) }
        func stoodOnRejected(_ identifier: ReplicationCommit.Identifier, isUnknown: Bool) -> Bool {
            guard let (place, commit) = commits[identifier] else { return false }
            return rejected.contains { earlier, reason in
                guard let former = commits[earlier], former.place < place, !isUnknown || reason == .unknown else {
                    return false
                }
                return commit.expectations.contains { expectation in
                    former.commit.writes.contains { expectation.isAbout($0.key) }
                }
            }
        }
        for (identifier, reason) in rejected {
            let isExplained =
                switch reason {
                case .refused: wasRefused(identifier)
                case .stoodOnRejected: stoodOnRejected(identifier, isUnknown: false)
                case .unknown:
                    cluster.forgottenIdentifiers.contains(identifier)
                        || stoodOnRejected(identifier, isUnknown: true)
                case .notStorable: false
                }
            guard isExplained else {
                let message = "\(machine.name): \(identifier) was rejected as \(reason) without a reason"
                throw Violation(.unexplainedRejection, message)
            }
        }
    }

    /// Returns whether the cluster has refused a commit because of an expectation that did not hold there.
    private func wasRefused(_ identifier: ReplicationCommit.Identifier) -> Bool {
        cluster.refusals.contains { refusal in
            guard refusal.commit.identifiers.contains(identifier), let state = record.state(at: refusal.position) else {
                return false
            }
            let present = state.values.present(at: refusal.instant)
            return !refusal.commit.expectations.allSatisfy { $0.holds(in: present) }
        }
    }

    /// Checks that the expectations of each commit hold at its place in the order, and are those that the replica was given.
    private func judgeOrder() throws {
        var given: [ReplicationCommit.Identifier: ReplicationCommit] = [:]
        for commit in machines.flatMap(\.acknowledged) { given[commit.identifiers[0]] = commit }
        var values: HistoryRecord.Values = [:]
        for (commit, instant) in cluster.commits {
            let present = values.present(at: instant)
            guard commit.expectations.allSatisfy({ $0.holds(in: present) }) else {
                throw Violation(
                    .brokenExpectation,
                    "an expectation of \(commit.identifiers) does not hold in the order"
                )
            }
            let originals = commit.identifiers.compactMap { given[$0] }
            guard originals.allSatisfy({ $0.expectations == commit.expectations }) else {
                throw Violation(.alteredCommit, "the expectations of \(commit.identifiers) were not sent")
            }
            var writes: [[UInt8]: [UInt8]?] = [:]
            for write in originals.flatMap(\.writes) { writes[write.key] = .some(write.value) }
            let sent = Dictionary(uniqueKeysWithValues: commit.writes.map { ($0.key, $0.value) })
            guard originals.isEmpty || writes == sent else {
                let message = "the writes of \(commit.identifiers) were sent as \(sent), but were \(writes)"
                throw Violation(.alteredCommit, message)
            }
            for write in commit.writes { values.apply(write) }
        }
    }

    /// Checks real time: a replicated commit is in the order after all that were confirmed before it began.
    private func judgeReplicatedCommits() throws {
        let made = Set(cluster.history.flatMap(\.writes).compactMap(\.value))
        for value in refusedValues where made.contains(try StoredValue.int(value).encoded()) {
            throw Violation(.rejectedButMade, "a replicated commit of \(value) that was refused was made")
        }
        guard !plan.rewinds else { return }
        for commit in replicated {
            guard let revision = record.revision(ofValue: commit.value), revision > commit.startedAfter else {
                let message = "a replicated commit of \(commit.value) is before one that was confirmed earlier"
                throw Violation(.realTime, message)
            }
        }
        let counter = try cluster.values[Array("counter".utf8)].map { try StoredValue(decoding: $0) } ?? 0
        guard case .int(let number) = counter,
            (increments.made...increments.made + increments.unknown).contains(Int(number))
        else {
            throw Violation(.wrongCounter, "the counter is \(counter) after \(increments.made) increments")
        }
    }
}

extension ReplicationCommit.Expectation {
    /// Returns whether this expectation holds if the cluster has exactly the given values.
    func holds(in present: [[UInt8]: [UInt8]]) -> Bool {
        switch self {
        case .value(let value, let key): present[key] == value
        case .entries(let entries, let prefix):
            Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) })
                == present.filter { $0.key.starts(with: prefix) }
        }
    }

    /// Returns whether a write of `key` may change whether this expectation holds.
    func isAbout(_ key: [UInt8]) -> Bool {
        switch self {
        case .value(_, let expected): expected == key
        case .entries(_, let prefix): key.starts(with: prefix)
        }
    }
}
