import LarderCore

/// The part of a replicated store that exchanges commits with the engine.
///
/// Its methods are steps: the loop of ``ReplicatedStore/run()`` repeats them, and a simulation makes them in any order. Each step reads
/// what it needs from the replica, and its local commit expects that to be unchanged; so any number of instances may take steps. Only one may
/// send at a time where a failover may lose verdicts: otherwise one instance could roll a commit back while another one sends it again.
actor Replicator {
    /// The engine's statement that a pending commit was made.
    struct Decision {
        let position: ReplicationPosition
        /// The position up to which commits had been applied when the commit was sent.
        let applied: ReplicationPosition
        /// The number of leaps when the commit was sent; see ``Replicator/leaps``.
        let leaps: Int
    }

    let replica: Replica
    let engine: any ReplicationEngine
    let expiries: Expiries
    let identifiers: IdentifierSource
    let pageLimit: ReplicationPageLimit
    /// Draws the random number of a new replica.
    let newReplica: @Sendable () -> UInt64
    let maximumRejected: Int
    let log: ReplicationLog
    /// The gate at which local writers wait, or `nil` if everything runs in one task.
    private let gate: WriteGate?
    var queue = PendingQueue()
    /// Pending commits that the engine says were made, and that were not yet found in its changes.
    var decided: [ReplicationCommit.Identifier: Decision] = [:]
    /// The number of times in a row that the history did not contain what was decided, because it was read from a server that is behind.
    var staleReads = 0
    /// The commits by which the replica was behind when it last read the history, or the limit of a part if there were more.
    private(set) var lag = 0
    /// Pending commits that must not be sent together with others.
    var single: Set<ReplicationCommit.Identifier> = []
    /// Whether the engine has shown, since its last failure, that it has the history that was applied here.
    ///
    /// Nothing is sent before that: the replica may be that of another cluster.
    private(set) var isHistoryKnown = false
    /// The number of times that the cursor was moved otherwise than by commits that were applied here: by a snapshot, or by another
    /// instance, which may have applied a snapshot.
    ///
    /// The cursor may be in another history afterwards, so revisions that the engine stated before no longer compare with its own.
    private(set) var leaps = 0
    /// The position to which the cursor was last moved here, or at which it was last found.
    private var followed: ReplicationPosition?

    /// The expired entries that are removed from the cluster.
    var expired = Sweep()

    /// A step that a waiting caller has requested.
    private var requested: Task<Void, Never>?
    /// The monotonic time before which no caller may request a step.
    private var quietUntil = Duration.zero
    private var outage = Backoff()

    init(
        replica: Replica,
        engine: any ReplicationEngine,
        expiries: Expiries,
        identifiers: IdentifierSource,
        pageLimit: ReplicationPageLimit,
        newReplica: @escaping @Sendable () -> UInt64,
        gate: WriteGate?,
        maximumRejected: Int,
        log: ReplicationLog
    ) {
        self.replica = replica
        self.engine = engine
        self.expiries = expiries
        self.identifiers = identifiers
        self.pageLimit = pageLimit
        self.newReplica = newReplica
        self.gate = gate
        self.maximumRejected = maximumRejected
        self.log = log
    }

    /// Signals each local commit that applies commits of the cluster or moves the cursor.
    nonisolated let applied = Signal()
    /// The `.replicated` commits whose callers wait until they are applied here.
    nonisolated let awaited = AwaitedCommits()

    nonisolated var clock: EngineClock { expiries.clock }

    /// Reads the next commits of the cluster and applies them.
    ///
    /// - Returns: `.idle` if there were none.
    /// - Throws: An error of the engine or the replica.
    func pull() async throws -> ReplicationStep {
        guard let cursor = try replica.cursor(), let header = try replica.header() else {
            return try await loadSnapshot(replacing: replica.cursor())
        }
        find(cursor.position)
        // What was decided before the call: if the cursor is in the history afterwards, so were these commits.
        let decided = decided
        let page = try await calling { [engine, pageLimit] in
            try await engine.changes(after: cursor.position, limit: pageLimit, replica: header.replica)
        }
        switch page {
        case .historyLost:
            isHistoryKnown = false
            lag = 0
            return try await loadSnapshot(replacing: cursor)
        case .changes(let changes, let instant):
            isHistoryKnown = true
            lag = changes.count
            clock.hear(instant)
            return try await apply(changes, after: cursor, at: instant, decided)
        }
    }

    // MARK: - The right cluster

    /// Returns whether the engine has the history that was applied here, so that commits may be sent to it.
    ///
    /// - Throws: An error of the engine or the replica.
    func findsHistory() async throws -> Bool {
        if isHistoryKnown { return true }
        guard let cursor = try replica.cursor(), try await finds(cursor.position) else { return false }
        isHistoryKnown = true
        return true
    }

    /// Returns whether a position at which the cursor was is in the history that the engine has now.
    ///
    /// - Throws: An error of the engine or the replica.
    func finds(_ position: ReplicationPosition) async throws -> Bool {
        guard let header = try replica.header() else { return false }
        let page = try await calling { [engine] in
            let limit = ReplicationPageLimit(commits: 1, bytes: 1)
            return try await engine.changes(after: position, limit: limit, replica: header.replica)
        }
        guard case .changes(_, let instant) = page else { return false }
        clock.hear(instant)
        return true
    }

    /// Suspends until there may be commits after a position.
    func waitForChanges(after position: ReplicationPosition) async throws {
        try await calling { [engine] in try await engine.waitForChanges(after: position) }
    }

    /// Calls the engine, and takes note of a failure, after which the next connection may lead to another server.
    func calling<Result: Sendable>(_ call: @Sendable () async throws -> Result) async throws -> Result {
        do {
            return try await call()
        } catch {
            isHistoryKnown = false
            throw error
        }
    }

    /// Takes note that the connection to the engine has failed.
    func noteFailure() { isHistoryKnown = false }

    /// Takes note that the engine's snapshot, which is that of the right cluster, was applied.
    func noteSnapshot(at position: ReplicationPosition) {
        isHistoryKnown = true
        find(position)
    }

    /// Takes note of the cursor's position, and of a leap if that is not the position known so far.
    func find(_ position: ReplicationPosition) {
        guard position != followed else { return }
        leaps += 1
        followed = position
        awaited.forget()
    }

    /// Takes note that commits were applied, which moved the cursor.
    func follow(to position: ReplicationPosition) { followed = position }

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

    /// The number of attempts after which the writers of this process wait.
    private static var politeAttempts: Int { 3 }
    private static var mostAttempts: Int { 1_000 }

    /// Makes a local commit, and prepares it again if a local write was made meanwhile.
    ///
    /// The caller is between ``beginChange()`` and ``endChange()``.
    ///
    /// - Parameter prepare: A closure that returns the change and the local commit that makes it, for the queue as it is then, or `nil` if
    ///   there is nothing to change any more.
    /// - Returns: Whether the commit was made.
    /// - Throws: An error of the replica, or of `prepare`.
    func make(_ prepare: () throws -> (rebase: Rebase, batch: StoreBatch)?) async throws -> Bool {
        defer { gate?.open() }
        for attempt in 0..<Self.mostAttempts {
            let gate = attempt < Self.politeAttempts ? nil : gate
            gate?.close()
            try queue.refresh(from: replica)
            guard let (rebase, batch) = try prepare() else { return false }
            if try await commit(batch, rebase, behind: gate) { return true }
        }
        return false
    }

    /// Makes the local commit of a rebase, and returns whether it was made.
    ///
    /// Behind a closed gate this does not suspend: the waiting writers may occupy all threads of the task pool.
    private func commit(_ batch: StoreBatch, _ rebase: Rebase, behind gate: WriteGate?) async throws -> Bool {
        let counters = queue.counters
        do {
            if let gate {
                gate.beginCommit()
                guard try replica.base.commit(batch) else { return false }
            } else {
                guard try await replica.base.commit(batch, durability: .buffered) else { return false }
            }
        } catch {
            // The commit may have been made, if only its sync failed.
            queue.forget()
            throw error
        }
        for number in rebase.removed {
            guard let identifier = queue[number]?.identifier else { continue }
            decided[identifier] = nil
            single.remove(identifier)
        }
        // `begin` may have emptied the queue during the commit.
        if queue.counters == counters { queue.remove(rebase.removed) } else { queue.forget() }
        awaited.noteApplied(rebase.awaited)
        applied.signal()
        try expiries.refresh(from: replica)
        return true
    }

    // MARK: - Beginning and ending

    /// Forgets what is known only in memory, before this instance begins to replicate.
    func begin() {
        queue = PendingQueue()
        decided = [:]
        single = []
        isHistoryKnown = false
        quietUntil = .zero
    }

    /// Cancels what waiting callers have requested, after this instance has ended to replicate.
    func end() { requested?.cancel() }

    /// Reads the next commits of the cluster soon, for a caller that waits for them.
    ///
    /// All callers together read one page at a time, and after a failure only after a growing pause.
    func requestPull(_ time: any TimeSource, jitter: Double) {
        guard requested == nil, time.monotonic >= quietUntil else { return }
        requested = Task {
            do {
                let step = try await pull()
                outage = Backoff()
                if step == .idle { quietUntil = time.monotonic + .milliseconds(1) }
            } catch {
                quietUntil = time.monotonic + outage.next(jitter)
            }
            requested = nil
        }
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
