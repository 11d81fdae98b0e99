import LarderCore

#if Replication
import Metrics
#endif

/// The metrics of one instance of a replicated store, which exist with the trait `Replication`.
///
/// The instance that replicates reports them. Pending commits and the time since the last answer are recorded four times a second, also while
/// the engine can't be reached.
///
/// | Label | |
/// |---|---|
/// | `larder_replication_pending` | the commits that wait for the cluster |
/// | `larder_replication_lag_commits` | the commits by which the replica was behind when it last asked, or at least the size of one answer |
/// | `larder_replication_lag_seconds` | the time since the engine last answered |
/// | `larder_replication_rejected` | the commits that were rolled back |
/// | `larder_replication_failures` | the failed attempts to reach the engine |
/// | `larder_replication_reconnects` | the times that the engine answered again after failures |
///
/// An engine tells the next commits, and not how many there are after them. So the distance in commits is exact below the limit of one answer,
/// which is 1,000 commits.
struct ReplicationMetrics: Sendable {
    #if Replication
    /// Whether the metrics are reported, so that values are worth finding out.
    static let isReported = true
    private let pending: Gauge
    private let lagCommits: Gauge
    private let lagSeconds: Gauge
    private let rejected: Counter
    private let failures: Counter
    private let reconnects: Counter

    init(store: String) {
        let dimensions = [("store", store)]
        pending = Gauge(label: "larder_replication_pending", dimensions: dimensions)
        lagCommits = Gauge(label: "larder_replication_lag_commits", dimensions: dimensions)
        lagSeconds = Gauge(label: "larder_replication_lag_seconds", dimensions: dimensions)
        rejected = Counter(label: "larder_replication_rejected", dimensions: dimensions)
        failures = Counter(label: "larder_replication_failures", dimensions: dimensions)
        reconnects = Counter(label: "larder_replication_reconnects", dimensions: dimensions)
    }

    func note(lag count: Int) { lagCommits.record(count) }

    func note(pending count: Int, since silence: Duration?) {
        pending.record(count)
        if let silence { lagSeconds.record(silence / .seconds(1)) }
    }

    func noteRejections(_ count: Int) { rejected.increment(by: count) }
    func noteFailure() { failures.increment() }
    func noteReconnection() { reconnects.increment() }
    #else
    static let isReported = false

    init(store: String) {}
    func note(lag count: Int) {}
    func note(pending count: Int, since silence: Duration?) {}
    func noteRejections(_ count: Int) {}
    func noteFailure() {}
    func noteReconnection() {}
    #endif
}

/// The number of pending commits, found out at little cost while the queue only grows.
struct PendingCounter {
    private var last: (counters: Replica.Counters, count: Int)?

    /// Returns the number of commits in the queue.
    mutating func count(in replica: Replica) throws -> Int {
        let counters = try replica.counters()
        let count: Int
        if let last, last.counters.turn == counters.turn {
            // Commits leave the queue only together with a turn.
            count = last.count + Int(counters.next - last.counters.next)
        } else {
            let first = try replica.first()
            count = try (first..<max(first, counters.next)).count { number in
                try replica.base.get(ReplicaKeys.pending(number)) != nil
            }
        }
        last = (counters, count)
        return count
    }
}
