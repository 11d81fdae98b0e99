public import LarderCore
import Synchronization

#if Replication
import ServiceLifecycle
#endif

extension ReplicatedStore {
    /// Sends pending commits and applies those of the cluster, until the task is canceled.
    ///
    /// Call this method in a task of each process that has the replica open. Exactly one of them replicates at a time; when it ends, another
    /// takes over within a second. A process that is stopped (`SIGSTOP`) has not ended: no other takes over until it is continued or killed. While
    /// the cluster can't be reached, the call retries with exponential backoff. A process that does not call this method learns of values that
    /// other processes let expire only when it is opened.
    ///
    /// With the trait `Replication`, the call also returns when the service is shut down gracefully.
    public func run() async {
        #if Replication
        await cancelWhenGracefulShutdown { await self.replicateInTurn() }
        #else
        await replicateInTurn()
        #endif
    }

    private func replicateInTurn() async {
        while !Task.isCancelled {
            do {
                if let held = try await lock.acquire() {
                    defer { held.release() }
                    await replicate()
                } else if let cursor = try replica.cursor() {
                    clock.restore(cursor)
                    try expiries.refresh(from: replica)
                }
                state.withLock { $0.failures[.locking] = nil }
            } catch {
                note(error, .locking)
            }
            try? await options.environment.time.sleep(for: options.environment.takeoverInterval)
        }
    }

    private func replicate() async {
        state.withLock { $0.isReplicating = true }
        defer { state.withLock { $0.isReplicating = false } }
        await replicator.begin()
        log.noteTurn()
        await withDiscardingTaskGroup { group in
            group.addTask { await self.repeating(.following) { try await self.follow() } }
            group.addTask { await self.repeating(.sending) { try await self.sendPending() } }
            group.addTask {
                var counter = PendingCounter()
                await self.repeating(.watching) { try await self.watch(&counter) }
            }
        }
        await replicator.end()
        // What fails from now on is the concern of the process that takes over.
        state.withLock { $0.failures = [:] }
    }

    /// Repeats a step until the task is canceled, with growing pauses after failures.
    private func repeating(_ activity: ReplicationState.Activity, _ step: () async throws -> Void) async {
        var backoff = Backoff()
        while !Task.isCancelled {
            do {
                try await step()
                backoff = Backoff()
                noteSuccess(activity)
            } catch {
                guard !Task.isCancelled else { return }
                note(error, activity)
                let pause = backoff.next(options.environment.jitter())
                try? await options.environment.time.sleep(for: pause)
            }
        }
    }

    private func follow() async throws {
        let step = try await replicator.pull()
        noteSuccess(.following)
        metrics.note(lag: await replicator.lag)
        guard step == .idle, let position = try replica.cursor()?.position else { return }
        // All machines find the expired entries, so each waits for a random time before it removes them.
        if expiries.isDue(since: Int64(2_000 * options.environment.jitter())), try await sweep() != .idle { return }
        try await replicator.waitForChanges(after: position)
    }

    /// Learns of what other processes write, and records metrics, also while the engine can't be reached.
    private func watch(_ counter: inout PendingCounter) async throws {
        try expiries.refresh(from: replica)
        if ReplicationMetrics.isReported {
            metrics.note(pending: try counter.count(in: replica), since: clock.silence)
        }
        try await options.environment.time.sleep(for: options.environment.takeoverInterval)
    }

    /// The interval at which the queue is examined for commits of other processes.
    private static var queueInterval: Duration { .milliseconds(20) }

    private func sendPending() async throws {
        let count = wakeup.count
        guard try await push() == .idle else {
            if await replicator.staleReads > 1 { try await options.environment.time.sleep(for: Self.queueInterval) }
            return
        }
        await wakeup.wait(beyond: count, within: Self.queueInterval, options.environment.time)
    }

    /// Reads the next commits of the cluster and applies them.
    package func pull() async throws -> ReplicationStep { try await replicator.pull() }

    /// Removes expired entries from the cluster.
    package func sweep() async throws -> ReplicationStep { try await replicator.sweep() }

    /// Sends the next pending commits, and applies the rule if they are refused.
    package func push() async throws -> ReplicationStep {
        // A process that was killed may have left some.
        try await handleRejected()
        let (step, rejected, dropped) = try await replicator.push()
        if rejected > 0 {
            metrics.noteRejections(rejected)
            if dropped > 0 { reportDropped(dropped) }
            try await handleRejected()
        }
        return step
    }

    private func reportDropped(_ count: Int) {
        issues.report(
            LarderIssue(
                .rejectedDropped,
                "The list of rejected commits is longer than \(options.maximumRejected), so the oldest ones were removed (\(count)). Call `discardRejected(through:)` after handling the commits in `rejected()`, or raise `maximumRejected`."
            )
        )
    }

    private func noteSuccess(_ activity: ReplicationState.Activity) {
        let isReconnected = state.withLock { state in
            let wasInterrupted = state.isInterrupted
            state.failures[activity] = nil
            return wasInterrupted && !state.isInterrupted
        }
        guard isReconnected else { return }
        metrics.noteReconnection()
        log.noteReconnection(pending: try? replica.pendingCount())
    }

    private func note(_ error: any Error, _ activity: ReplicationState.Activity) {
        let isNew = state.withLock { state in
            defer { state.failures[activity] = "\(error)" }
            return state.failures.isEmpty
        }
        metrics.noteFailure()
        guard isNew else { return }
        issues.report(
            LarderIssue(
                .degraded,
                "The cluster at \(engine.name) can't be reached, or its commits can't be applied. Resolve the underlying error. Until then, "
                    + "reads return the last known values and writes wait; the store retries.",
                underlying: error
            )
        )
    }
}

extension LarderIssue.Code {
    /// A commit of this machine was rolled back, because the cluster did not take it.
    public static let rolledBack = LarderIssue.Code("rolledBack")
    /// The oldest rejected commits were removed from the list, because it was too long.
    public static let rejectedDropped = LarderIssue.Code("rejectedDropped")
}

/// Growing pauses between attempts to reach the engine.
struct Backoff {
    private var pause = Duration.milliseconds(50)
    private static var longest: Duration { .seconds(10) }

    /// Returns the next pause, shortened by at most half by a fraction from 0 to 1.
    mutating func next(_ jitter: Double) -> Duration {
        defer { pause = min(pause * 2, Self.longest) }
        return pause * (1 - jitter / 2)
    }
}
