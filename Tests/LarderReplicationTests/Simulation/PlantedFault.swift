import LarderCore
import LarderFiles
import LarderReplication
import LarderTestSupport

/// A fault of a replicated store, planted at the boundary to its replica or to its engine.
///
/// The checker must find each one.
enum PlantedFault: String, Sendable, CaseIterable {
    /// Commits of the cluster are applied without the cursor.
    case cursorIsNotMoved
    /// A write is not queued.
    case pendingCommitIsNotStored
    /// The confirmed value of a key with a pending write is not kept.
    case confirmedValueIsNotKept
    /// A confirmed commit stays in the queue.
    case pendingCommitIsNotRemoved
    /// Local commits don't expect the counters to be unchanged.
    case countersAreNotExpected
    /// A commit is sent again under another identifier.
    case identifierIsReplaced
    /// A commit is sent without its expectations.
    case expectationsAreNotSent
    /// A commit whose answer was lost counts as made.
    case unknownCountsAsCommitted
    /// A commit whose answer was lost counts as refused.
    case unknownCountsAsRefused
    /// A lost history counts as a history without new commits.
    case lostHistoryIsIgnored
    /// A commit of the cluster is skipped.
    case changeIsSkipped
    /// Only the first write of a commit of the cluster is applied.
    case changeIsAppliedInPart
    /// A rejected commit is not listed.
    case rejectedCommitIsNotListed
    /// A commit counts as refused although the cluster was not asked.
    case commitIsRefusedWithoutReason
    /// A commit is sent after the next one.
    case commitsAreReordered
    /// A replicated commit does not wait for the pending ones.
    case pendingCommitsAreOvertaken

    /// The violations of which one must be the first that the checker finds.
    var violations: Set<Violation.Kind> {
        switch self {
        case .cursorIsNotMoved, .changeIsSkipped, .changeIsAppliedInPart: [.wrongPrefix]
        case .pendingCommitIsNotStored: [.lostCommit, .wrongReads]
        case .confirmedValueIsNotKept: [.inconsistentReplica]
        case .pendingCommitIsNotRemoved: [.inconsistentReplica, .wrongReads, .notAtRest]
        case .countersAreNotExpected: [.inconsistentReplica, .wrongPrefix, .wrongReads, .lostCommit]
        // The second one may be refused because of the first one.
        case .identifierIsReplaced: [.madeTwice, .rejectedButMade, .notAtRest, .unexplainedRejection]
        case .expectationsAreNotSent: [.alteredCommit]
        case .unknownCountsAsCommitted: [.lostCommit]
        case .unknownCountsAsRefused: [.rejectedButMade, .unexplainedRejection]
        case .lostHistoryIsIgnored: [.notAtRest]
        case .rejectedCommitIsNotListed: [.lostCommit]
        case .commitIsRefusedWithoutReason: [.unexplainedRejection, .rejectedButMade]
        case .commitsAreReordered: [.lostCommit]
        case .pendingCommitsAreOvertaken: [.wrongOrder]
        }
    }

    /// Returns the batch that a store with this fault would commit to its replica.
    func spoiled(_ batch: StoreBatch) -> StoreBatch {
        func isRecord(_ key: StoreKey, _ name: String) -> Bool { key.text.hasPrefix("\u{0}larder.replica" + name) }
        let isApplying = batch.origin == .cluster
        func isSpoiled(_ write: StoreBatch.Write) -> Bool {
            switch self {
            case .cursorIsNotMoved: isApplying && batch.writes.count > 3 && isRecord(write.key, ".cursor")
            case .pendingCommitIsNotStored: write.value != nil && !isApplying && isRecord(write.key, ".pending:")
            case .confirmedValueIsNotKept: write.value != nil && isRecord(write.key, ".confirmed:")
            case .pendingCommitIsNotRemoved: write.value == nil && isRecord(write.key, ".pending:")
            case .rejectedCommitIsNotListed: write.value != nil && isRecord(write.key, ".rejected:")
            default: false
            }
        }
        var result = StoreBatch()
        result.origin = batch.origin
        for expectation in batch.expectations {
            switch expectation {
            case .value(let value, let key):
                let isCounter = isRecord(key, ".next") || isRecord(key, ".turn") || isRecord(key, ".cursor")
                if self != .countersAreNotExpected || !isCounter { result.expect(value, at: key) }
            case .entries(let entries, let prefix): result.expect(entries, prefix: prefix)
            }
        }
        for write in batch.writes where !isSpoiled(write) { result.write(write.value, for: write.key) }
        return result
    }
}

/// A replica or an engine of one process, which ends with the process and may have a planted fault.
final class ProcessReplica: ForwardingStore {
    /// The error of all commits after the process was killed.
    struct Killed: Error {}

    let base: any KeyValueStore
    private let fault: PlantedFault?
    private let visited: VisitedPositions
    private let state = Lock((isDead: false, remaining: Int?.none, makesLast: false))
    /// What the rest of the world does before a commit of a suspending call is made.
    private let pause: @Sendable () async -> Void
    private let pauses = Lock(0)

    init(
        _ base: any KeyValueStore,
        _ fault: PlantedFault?,
        _ visited: VisitedPositions,
        pause: @escaping @Sendable () async -> Void
    ) {
        self.base = base
        self.fault = fault
        self.visited = visited
        self.pause = pause
    }

    private let isOverlooking = Lock(false)

    /// Makes pending commits look as if they had left the queue, if that is the planted fault, until the engine is called.
    func overlookPendingCommits() { isOverlooking.withLock { $0 = fault == .pendingCommitsAreOvertaken } }

    /// Whether pending commits look so, and a write of this process would not find its own commit.
    var overlooksCommits: Bool { isOverlooking.withLock(\.self) }

    func noteCallOfEngine() { isOverlooking.withLock { $0 = false } }

    func get(_ key: StoreKey) throws -> StoredValue? {
        let isOverlooked = overlooksCommits && key.text.hasPrefix("\u{0}larder.replica.pending:")
        return isOverlooked ? nil : try base.get(key)
    }

    /// Whether a step of this process waits for its commit, so that its other steps would wait for this one.
    var isPausing: Bool { pauses.withLock { $0 > 0 } }

    var isDead: Bool { state.withLock(\.isDead) }

    func kill() { state.withLock { $0.isDead = true } }

    /// Kills the process at a later commit, which is still made if `makesLast`.
    func kill(afterCommits count: Int, makesLast: Bool) { state.withLock { $0 = ($0.isDead, count, makesLast) } }

    func commit(_ batch: StoreBatch) throws -> Bool {
        let (isAllowed, isLast) = state.withLock { state in
            if state.isDead { return (false, false) }
            guard let remaining = state.remaining else { return (true, false) }
            state.remaining = remaining - 1
            guard remaining <= 0 else { return (true, false) }
            state.isDead = true
            return (state.makesLast, true)
        }
        guard isAllowed else { throw Killed() }
        let isCommitted = try base.commit(fault?.spoiled(batch) ?? batch)
        if isCommitted { visited.add(from: batch) }
        if isLast { throw Killed() }
        return isCommitted
    }

    @available(*, noasync)
    func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool { try commit(batch) }

    func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        pauses.withLock { $0 += 1 }
        await pause()
        pauses.withLock { $0 -= 1 }
        return try commit(batch)
    }
}

/// The connection of one process.
final class ProcessEngine: ReplicationEngine {
    let base: any ReplicationEngine
    let replica: ProcessReplica
    let fault: PlantedFault?
    private let sent = Lock<Set<ReplicationCommit.Identifier>>([])
    /// A commit that is sent after the next one.
    private let heldBack = Lock<ReplicationCommit?>(nil)

    init(_ base: any ReplicationEngine, _ replica: ProcessReplica, _ fault: PlantedFault?) {
        self.base = base
        self.replica = replica
        self.fault = fault
    }

    var name: String { base.name }
    var limits: StoreLimits { base.limits }

    private func checkAlive() throws {
        replica.noteCallOfEngine()
        if replica.isDead { throw ProcessReplica.Killed() }
    }

    func snapshot(
        receive: @escaping @Sendable ([ReplicationSnapshot.Entry]) throws -> Void
    ) async throws -> ReplicationSnapshot {
        try checkAlive()
        let snapshot = try await base.snapshot(receive: receive)
        try checkAlive()
        return snapshot
    }

    func commit(_ commit: ReplicationCommit) async throws -> ReplicationAnswer {
        try checkAlive()
        var commit = commit
        if fault == .expectationsAreNotSent { commit.expectations = [] }
        if fault == .identifierIsReplaced, !sent.withLock({ $0.insert(commit.identifiers[0]).inserted }) {
            commit.identifiers[0] = .init(session: .random(in: 0 ... .max), number: 0)
        }
        let position = ReplicationPosition(revision: 0, token: 0)
        if fault == .commitIsRefusedWithoutReason, commit.writes.contains(where: { $0.key == Array("other".utf8) }) {
            return .refused(.expectation, at: position)
        }
        if fault == .commitsAreReordered {
            guard let former = heldBack.withLock({ $0 }) else {
                heldBack.withLock { $0 = commit }
                return .committed(at: position)
            }
            heldBack.withLock { $0 = nil }
            let answer = try await base.commit(commit)
            _ = try await base.commit(former)
            try checkAlive()
            return answer
        }
        let answer = try await base.commit(commit)
        try checkAlive()
        guard case .unknown = answer else { return answer }
        switch fault {
        case .unknownCountsAsCommitted: return .committed(at: .init(revision: 0, token: 0))
        case .unknownCountsAsRefused: return .refused(.expectation, at: .init(revision: 0, token: 0))
        default: return answer
        }
    }

    func outcome(
        of identifier: ReplicationCommit.Identifier,
        drawn: ReplicationInstant?
    ) async throws -> ReplicationAnswer {
        try checkAlive()
        let answer = try await base.outcome(of: identifier, drawn: drawn)
        try checkAlive()
        return answer
    }

    func changes(
        after position: ReplicationPosition,
        limit: ReplicationPageLimit,
        replica number: UInt64
    ) async throws -> ReplicationPage {
        try checkAlive()
        let page = try await base.changes(after: position, limit: limit, replica: number)
        try checkAlive()
        switch (page, fault) {
        case (.historyLost, .lostHistoryIsIgnored): return .changes([], at: .init(milliseconds: 0))
        case (.changes(let changes, let instant), .changeIsSkipped) where changes.count > 1:
            return .changes(Array(changes.dropFirst()), at: instant)
        case (.changes(let changes, let instant), .changeIsAppliedInPart):
            let parts = changes.map {
                ReplicationChange(
                    position: $0.position,
                    identifiers: $0.identifiers,
                    writes: Array($0.writes.prefix(1))
                )
            }
            return .changes(parts, at: instant)
        default: return page
        }
    }

    func waitForChanges(after position: ReplicationPosition) async throws {
        try checkAlive()
        try await base.waitForChanges(after: position)
    }
}
