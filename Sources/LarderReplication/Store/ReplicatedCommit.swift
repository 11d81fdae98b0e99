import LarderCore
import Synchronization

/// A commit that is sent to the cluster by the caller, and not through the queue.
struct ReplicatedCommit: Sendable {
    private let store: ReplicatedStore
    private let batch: StoreBatch
    private let end: Duration
    private let span: Duration
    private let expiry: Expiry

    /// The instant at which all values of a commit expire.
    enum Expiry: Sendable {
        case never
        case at(ReplicationInstant)
        /// The time from the moment at which the commit is sent for the first time.
        case after(Duration)

        func instant(by clock: EngineClock) -> ReplicationInstant? {
            switch self {
            case .never: nil
            case .at(let instant): instant
            case .after(let duration): clock.now.advanced(by: duration)
            }
        }
    }

    init(_ batch: StoreBatch, in store: ReplicatedStore, within span: Duration, expiry: Expiry = .never) {
        self.expiry = expiry
        self.batch = batch
        self.store = store
        self.span = span
        end = store.options.environment.time.monotonic + span
    }

    private var time: any TimeSource { store.options.environment.time }
    private var remaining: Duration { end - time.monotonic }

    func run() async throws -> Bool {
        try batch.validate()
        let (writes, keys) = try ReplicationCommit.writes(of: batch, until: expiry.instant(by: store.clock))
        if let local = batch.writes.first(where: { !$0.key.isReplicated }) {
            throw StoreError.unsupportedKey(local.key, "it stays on this machine")
        }
        for case .value(_, let key) in batch.expectations where !key.isReplicated {
            throw StoreError.unsupportedKey(key, "it stays on this machine, so the cluster can't compare its value")
        }
        var commit = ReplicationCommit(
            identifiers: [store.identifiers.next()],
            drawn: nil,
            expectations: ReplicationCommit.expectations(of: batch),
            writes: writes
        )
        try commit.check(store.engine.limits, keys)
        try await waitForPendingCommits()
        commit.drawn = store.clock.known
        // The time of the engine may have become known only now.
        if case .after = expiry {
            commit.writes = try ReplicationCommit.writes(of: batch, until: expiry.instant(by: store.clock)).writes
        }
        return try await send(commit)
    }

    // MARK: - Waiting

    /// Suspends until the commits that are pending now have left the queue.
    func waitForPendingCommits() async throws {
        let last = try store.replica.counters().next
        try await wait { [store] in
            guard let cursor = try store.replica.cursor() else { return false }
            store.clock.restore(cursor)
            let first = try store.replica.first()
            return try first >= last
                || !(first..<last).contains { try store.replica.base.get(ReplicaKeys.pending($0)) != nil }
        } otherwise: {
            StoreError.notSent(span)
        }
    }

    /// Suspends until the revision of the cursor is at least that of `position`, which may be in another history after a failover.
    private func waitForRevision(of position: ReplicationPosition) async throws {
        try await wait { [store] in
            try store.replica.cursor().map { $0.position.revision >= position.revision } ?? false
        } otherwise: {
            StoreError.notApplied(span)
        }
    }

    /// Suspends until a commit that the cluster has made at `position` is visible here.
    ///
    /// The revision of the cursor alone does not show that: a failover may have lost the commit since, and the revision may be that of
    /// another one. The commit is visible if it was found among those that were applied here, or if the cursor was exactly at its position.
    /// Otherwise another instance, or a snapshot, has moved the cursor, and the cluster is asked again.
    ///
    /// - Returns: `nil` if the commit is visible, or the other verdict that the cluster gives after a failover has lost the commit.
    private func waitUntilApplied(
        _ commit: ReplicationCommit,
        at position: ReplicationPosition
    ) async throws -> ReplicationAnswer? {
        var (position, verdict) = (position, ReplicationAnswer?.none)
        var latest: UInt64 = 0
        var isDoubtful = false
        var (backoff, quietUntil) = (Backoff(), Duration.zero)
        try await wait {
            if store.replicator.awaited.isApplied(commit.identifiers[0]) { return true }
            guard let cursor = try store.replica.cursor()?.position else { return false }
            if cursor == position { return true }
            // A revision that has become smaller is that of another history.
            let isBeside = cursor.revision >= position.revision || cursor.revision < latest
            latest = cursor.revision
            if isBeside, !isDoubtful {
                isDoubtful = true
                // Commits that this instance applies are noted a moment after the cursor has moved.
                quietUntil = max(quietUntil, time.monotonic + Self.noticePause)
            }
            guard isDoubtful, time.monotonic >= quietUntil else { return false }
            quietUntil = time.monotonic + backoff.next(store.options.environment.jitter())
            switch try? await outcome(of: commit) {
            case .committed(let current): position = current
            case .unknown, nil: return false
            case let other?:
                verdict = other
                return true
            }
            isDoubtful = cursor.revision >= position.revision
            // The cursor is asked for after the commit: if it is in the history then, it was there together with the commit.
            guard isDoubtful else { return false }
            let isFound = try? await interrupted(within: remaining) { [store] in
                try await store.replicator.finds(cursor)
            }
            return isFound ?? false
        } otherwise: {
            isDoubtful ? StoreError.notConfirmed(span, mayBeMade: true) : StoreError.notApplied(span)
        }
        return verdict
    }

    private static var firstPause: Duration { .microseconds(200) }
    private static var longestPause: Duration { .milliseconds(20) }
    private static var noticePause: Duration { .milliseconds(1) }
    /// Many callers may try to send a commit in an outage.
    private static var longestPauseAfterFailure: Duration { .milliseconds(250) }

    /// Suspends until a condition holds, and meanwhile requests the changes of the cluster if this instance replicates.
    private func wait(until isMet: () async throws -> Bool, otherwise failure: () -> StoreError) async throws {
        let environment = store.options.environment
        let applied = store.replicator.applied
        var pause = Self.firstPause
        while true {
            let count = applied.count
            if try await isMet() { return }
            try Task.checkCancellation()
            guard remaining > .zero else { throw failure() }
            if store.state.withLock(\.isReplicating) {
                // This call does not wait for the engine, whose answer may take longer than the time that is left.
                await store.replicator.requestPull(time, jitter: environment.jitter())
            }
            // Another process may be the one that replicates, so the condition is tried again after a pause, too.
            let limit = min(pause, max(remaining, .zero))
            if environment.interruptsCalls {
                await applied.wait(beyond: count, within: limit, time)
            } else {
                try await time.sleep(for: limit)
            }
            pause = min(pause * 2, Self.longestPause)
        }
    }

    // MARK: - Sending

    private func send(_ first: ReplicationCommit) async throws -> Bool {
        var commit = first
        var mayBeMade = false
        var pause = Self.firstPause
        let awaited = store.replicator.awaited
        awaited.insert(commit.identifiers[0])
        defer { awaited.remove(commit.identifiers[0]) }
        func rename() {
            awaited.remove(commit.identifiers[0])
            commit.identifiers = [store.identifiers.next()]
            awaited.insert(commit.identifiers[0])
        }
        while true {
            guard !Task.isCancelled else {
                if mayBeMade { throw StoreError.notConfirmed(span, mayBeMade: true) }
                throw CancellationError()
            }
            // The last part of the time is reserved for the question whether the commit was made.
            let asks = remaining <= reserve
            guard remaining > .zero, mayBeMade || !asks else {
                throw StoreError.notConfirmed(span, mayBeMade: mayBeMade)
            }
            // An attempt without an answer has changed nothing.
            var answer: ReplicationAnswer?
            do {
                answer = try await asks ? outcome(of: commit) : sent(commit)
            } catch {
                await store.replicator.noteFailure()
            }
            if case .committed(let position) = answer {
                do {
                    answer = try await waitUntilApplied(commit, at: position)
                } catch is CancellationError {
                    throw StoreError.notApplied(span)
                }
                guard answer != nil else { return true }
                mayBeMade = true
            }
            switch answer {
            case .refused(.expectation, let position):
                // Otherwise a transaction would read the values again that were refused.
                try? await waitForRevision(of: position)
                return false
            case .refused(.planted, _):
                guard remaining > reserve else { throw StoreError.notConfirmed(span, mayBeMade: false) }
                rename()
                mayBeMade = false
            case .refused(.invalid(let reason), _): throw StoreError.notStorable(reason)
            case .forgotten:
                guard !mayBeMade else { throw StoreError.notConfirmed(span, mayBeMade: true) }
                // The known time of the engine is old, so the identifier counts as one that was drawn then.
                if let cursor = try store.replica.cursor() { store.clock.restore(cursor) }
                rename()
                commit.drawn = store.clock.known
            case .committed, .unknown:
                mayBeMade = true
                await store.replicator.noteFailure()
            case .refused(.divided, _), nil: break
            }
            let left = asks ? remaining : remaining - reserve
            try? await time.sleep(for: min(pause, max(left, .zero)))
            pause = min(pause * 2, Self.longestPauseAfterFailure)
        }
    }

    /// The time that is reserved for the question whether the commit was made.
    private var reserve: Duration { span / 4 }

    /// Sends the commit, and returns the answer, or `nil` if the engine has not shown that it has the history of this replica.
    private func sent(_ commit: ReplicationCommit) async throws -> ReplicationAnswer? {
        let (engine, replicator) = (store.engine, store.replicator)
        let isKnown = try await interrupted(within: remaining - reserve) { try await replicator.findsHistory() }
        guard isKnown == true, remaining > reserve else { return nil }
        return try await interrupted(within: remaining - reserve) { () async throws -> ReplicationAnswer in
            do { return try await engine.commit(commit) } catch is CancellationError { return .unknown(nil) }
        } ?? .unknown(nil)
    }

    private func outcome(of commit: ReplicationCommit) async throws -> ReplicationAnswer {
        let engine = store.engine
        return try await interrupted(within: remaining) {
            try await engine.outcome(of: commit.identifiers[0], drawn: commit.drawn)
        } ?? .unknown(nil)
    }

    /// Calls the engine, and returns `nil` if the call takes longer than `limit`.
    private func interrupted<Result: Sendable>(
        within limit: Duration,
        _ call: @escaping @Sendable () async throws -> Result
    ) async throws -> Result? {
        guard store.options.environment.interruptsCalls else { return try await call() }
        let (time, limit) = (time, max(limit, .zero))
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await call() }
            group.addTask {
                try? await time.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next().flatMap(\.self)
        }
    }
}

extension StoreError {
    fileprivate static func notSent(_ span: Duration) -> StoreError {
        StoreError(
            .notConfirmed,
            "The commit was not sent to the cluster within \(span), because earlier commits wait for it or there was no contact yet. Nothing has changed. Check the connection and that `run()` is running, then try again."
        )
    }

    fileprivate static func notConfirmed(_ span: Duration, mayBeMade: Bool) -> StoreError {
        StoreError(
            .notConfirmed,
            mayBeMade
                ? "The cluster did not say within \(span) whether it has made the commit, so the commit may have been made. Read the values again when the cluster can be reached."
                : "The cluster did not make the commit within \(span). Nothing has changed. Check the connection, then try again."
        )
    }

    fileprivate static func notApplied(_ span: Duration) -> StoreError {
        StoreError(
            .notConfirmed,
            "The cluster has made the commit, but it was not applied here within \(span), so it is not visible yet. Check that `run()` is running, and do not repeat the commit."
        )
    }

    fileprivate static func notStorable(_ reason: String) -> StoreError {
        StoreError(
            .unsupportedValue,
            "The cluster can't hold the commit, because \(reason). Nothing has changed. Change the values, then commit them again."
        )
    }
}
