#if Replication
import Metrics
#endif

/// The metrics of one instance of a replicated store, which exist with the trait `Replication`.
///
/// | Label | |
/// |---|---|
/// | `larder_replication_pending` | the commits that wait for the cluster |
/// | `larder_replication_lag_commits` | the commits of the cluster by which the replica was behind when it last asked |
/// | `larder_replication_lag_seconds` | the time since the engine last answered |
/// | `larder_replication_rejected` | the commits that were rolled back |
/// | `larder_replication_failures` | the failed attempts to reach the engine |
struct ReplicationMetrics: Sendable {
    #if Replication
    private let pending: Gauge
    private let lagCommits: Gauge
    private let lagSeconds: Gauge
    private let rejected: Counter
    private let failures: Counter

    init(store: String) {
        let dimensions = [("store", store)]
        pending = Gauge(label: "larder_replication_pending", dimensions: dimensions)
        lagCommits = Gauge(label: "larder_replication_lag_commits", dimensions: dimensions)
        lagSeconds = Gauge(label: "larder_replication_lag_seconds", dimensions: dimensions)
        rejected = Counter(label: "larder_replication_rejected", dimensions: dimensions)
        failures = Counter(label: "larder_replication_failures", dimensions: dimensions)
    }

    func note(commits: Int, pending count: Int) {
        lagCommits.record(commits)
        lagSeconds.record(0)
        pending.record(count)
    }

    func noteRejections(_ count: Int) { rejected.increment(by: count) }

    func noteFailure(since silence: Duration?) {
        failures.increment()
        if let silence { lagSeconds.record(silence.components.seconds) }
    }
    #else
    init(store: String) {}
    func note(commits: Int, pending count: Int) {}
    func noteRejections(_ count: Int) {}
    func noteFailure(since silence: Duration?) {}
    #endif
}
