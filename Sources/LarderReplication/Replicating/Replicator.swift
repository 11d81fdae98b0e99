import LarderCore

/// The part of a replicated store that exchanges commits with the engine.
///
/// Its methods are steps: the loop of ``ReplicatedStore/run()`` repeats them, and a simulation makes them in any order. Each step reads
/// what it needs from the replica, and its local commit expects that to be unchanged; so any number of instances may take steps.
actor Replicator {
    /// The engine's statement that a pending commit was made.
    struct Decision {
        let position: ReplicationPosition
        /// The position up to which commits had been applied when the commit was sent.
        let applied: ReplicationPosition
    }

    let replica: Replica
    let engine: any ReplicationEngine
    let expiries: Expiries
    let identifiers: IdentifierSource
    let pageLimit: ReplicationPageLimit
    /// Draws the random number of a new replica.
    let newReplica: @Sendable () -> UInt64
    var queue = PendingQueue()
    /// Pending commits that the engine says were made, and that were not yet found in its changes.
    var decided: [ReplicationCommit.Identifier: Decision] = [:]
    /// The number of times in a row that the history did not contain what was decided, because it was read from a server that is behind.
    var staleReads = 0
    /// Pending commits that must not be sent together with others.
    var single: Set<ReplicationCommit.Identifier> = []

    /// Whether the last removal of several expired entries was refused.
    var sweepsSingly = false
    /// The place among the expired entries at which the last single removal began.
    var sweepStart = 0

    init(
        replica: Replica,
        engine: any ReplicationEngine,
        expiries: Expiries,
        identifiers: IdentifierSource,
        pageLimit: ReplicationPageLimit,
        newReplica: @escaping @Sendable () -> UInt64
    ) {
        self.replica = replica
        self.engine = engine
        self.expiries = expiries
        self.identifiers = identifiers
        self.pageLimit = pageLimit
        self.newReplica = newReplica
    }

    nonisolated var clock: EngineClock { expiries.clock }

    /// Reads the next commits of the cluster and applies them.
    ///
    /// - Returns: `.idle` if there were none.
    /// - Throws: An error of the engine or the replica.
    func pull() async throws -> ReplicationStep {
        guard let cursor = try replica.cursor(), let header = try replica.header() else {
            return try await loadSnapshot(replacing: replica.cursor())
        }
        // What was decided before the call: if the cursor is in the history afterwards, so were these commits.
        let decided = decided
        switch try await engine.changes(after: cursor.position, limit: pageLimit, replica: header.replica) {
        case .historyLost: return try await loadSnapshot(replacing: cursor)
        case .changes(let changes, let instant):
            clock.hear(instant)
            return try await apply(changes, after: cursor, at: instant, decided)
        }
    }

    // MARK: - One local commit at a time

    private var isChanging = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Suspends until no other step reads the queue or makes a local commit.
    ///
    /// Call ``endChange()`` afterwards. Without this order, a step would read the queue anew whenever another one has changed it.
    func beginChange() async {
        guard isChanging else {
            isChanging = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func endChange() {
        if waiting.isEmpty { isChanging = false } else { waiting.removeFirst().resume() }
    }

    /// Forgets what is known only in memory, before this instance begins to replicate.
    func begin() {
        queue = PendingQueue()
        decided = [:]
        single = []
    }
}

/// The result of one step of an exchange with the engine.
package enum ReplicationStep: Sendable, Hashable {
    /// There may be more to do.
    case advanced
    /// There was nothing to do.
    case idle
    /// Another instance or a writer interfered; the step can be repeated at once.
    case conflicted
}
