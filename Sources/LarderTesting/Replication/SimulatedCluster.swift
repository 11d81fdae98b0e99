public import Foundation
public import LarderCore
public import LarderReplication
import Synchronization

/// A cluster in memory for tests, whose network, clock and history fail as a test demands.
///
/// ```swift
/// let cluster = SimulatedCluster(seed: 7)
/// let store = try ReplicatedStore(replica: MemoryStore(), engine: cluster.engine())
/// ```
///
/// All random decisions derive from the seed and the order of the calls.
public final class SimulatedCluster: Sendable {
    /// The probabilities with which calls of one engine fail.
    public struct Faults: Sendable, Hashable {
        /// The probability that a call throws before it reaches the cluster.
        public var cut = 0.0
        /// The probability that a commit is made or refused, but its answer is lost.
        public var lostAnswer = 0.0
        /// The probability that a commit reaches the cluster only at the next ``SimulatedCluster/deliverLateCommits()``, without an answer.
        public var late = 0.0
        /// The probability that a commit reaches the cluster twice, the second time at the next
        /// ``SimulatedCluster/deliverLateCommits()``.
        public var doubled = 0.0
        /// The probability that a commit never reaches the cluster, and its answer is unknown.
        public var lost = 0.0
        /// The probability that a call for changes returns only a part of the changes, or none.
        public var slowWatcher = 0.0

        /// Creates faults that never occur.
        public init() {}

        /// Returns faults that all occur with the same probability.
        ///
        /// - Parameter probability: The probability of each fault.
        /// - Returns: The faults.
        public static func all(_ probability: Double) -> Faults {
            var faults = Faults()
            faults.cut = probability
            faults.lostAnswer = probability
            faults.late = probability
            faults.doubled = probability
            faults.lost = probability
            faults.slowWatcher = probability
            return faults
        }
    }

    let state: Mutex<SimulatedClusterState>
    let limits: StoreLimits
    let time: any TimeSource
    /// The longest time for which a request is under way, and the longest one for its answer.
    let delay: Duration

    /// Creates an empty cluster.
    ///
    /// - Parameters:
    ///   - seed: The seed of all random decisions, and of the cluster's identity.
    ///   - limits: The limits of each commit. ``strictLimits`` are those of etcd.
    ///   - time: The clock of the cluster and of delays.
    ///   - delay: The longest time for which a request is under way, and the longest one for its answer. Both times are drawn for each call,
    ///     so answers overtake each other.
    ///   - clockMargin: The maximum difference between the clocks of the cluster's servers, by which identifiers count as forgotten early.
    public init(
        seed: UInt64 = 0,
        limits: StoreLimits = StoreLimits(),
        time: any TimeSource = .system,
        delay: Duration = .zero,
        clockMargin: Duration = .zero
    ) {
        self.limits = limits
        self.time = time
        self.delay = delay
        state = Mutex(SimulatedClusterState(seed: seed, clockMargin: clockMargin))
    }

    /// The limits of etcd 3.4: 128 operations, 1.5 MB, and no empty key.
    public static let strictLimits = StoreLimits(operations: 128, bytes: 1_500_000, allowsEmptyKeys: false)

    /// Returns a connection to this cluster.
    ///
    /// - Parameters:
    ///   - name: The name by which ``setReachable(_:_:)`` finds the connection.
    ///   - faults: The faults of the connection.
    /// - Returns: An engine for one replica.
    public func engine(_ name: String = "simulated", faults: Faults = Faults()) -> SimulatedEngine {
        SimulatedEngine(name: name, cluster: self, faults: faults)
    }

    /// The engine's time, which is the wall clock and the skew, but never before that of the last commit.
    public var instant: ReplicationInstant { state.withLock { instant($0) } }

    func instant(_ state: borrowing SimulatedClusterState) -> ReplicationInstant {
        let milliseconds = time.now.timeIntervalSince1970 * 1000 + state.skew
        return max(state.latest, ReplicationInstant(milliseconds: Int64(milliseconds)))
    }

    // MARK: - What a test changes

    /// Cuts or restores all connections with a name.
    ///
    /// - Parameters:
    ///   - name: The name of the connections.
    ///   - isReachable: Whether calls reach the cluster.
    public func setReachable(_ name: String, _ isReachable: Bool) {
        state.withLock {
            if isReachable { $0.unreachable.remove(name) } else { $0.unreachable.insert(name) }
        }
    }

    /// Moves the cluster's clock, as a failover to another server may.
    ///
    /// - Parameter interval: The number of seconds to add, which may be negative.
    public func skewClock(by interval: TimeInterval) { state.withLock { $0.skew += interval * 1000 } }

    /// Makes the commits that are still under way reach the cluster.
    public func deliverLateCommits() {
        state.withLock { state in
            let late = state.late
            state.late = []
            let now = instant(state)
            for commit in late { _ = state.commit(commit, limits, now) }
        }
    }

    /// Removes the history before the last commits, so that replicas with an earlier cursor need a snapshot.
    ///
    /// - Parameter count: The number of commits to keep.
    public func trimHistory(keeping count: Int = 0) {
        state.withLock { $0.floor = max($0.floor, $0.log.count - count) }
    }

    /// Suspends or resumes all calls, as a server that is stopped by a signal does.
    ///
    /// - Parameter isSuspended: Whether calls wait until they are resumed or canceled.
    public func setSuspended(_ isSuspended: Bool) { state.withLock { $0.isSuspended = isSuspended } }

    /// Removes the last commits and their verdicts, as a failover to an asynchronous standby does.
    ///
    /// Commits under way are lost, because they were sent to the former server.
    ///
    /// - Parameter count: The number of commits to remove.
    public func rewind(by count: Int) { state.withLock { $0.rewind(by: count) } }

    /// Forgets all verdicts about identifiers.
    public func forgetVerdicts() { state.withLock { $0.forgetVerdicts() } }

    // MARK: - What a test examines

    /// All commits in the order of the cluster, including those that were trimmed from the history.
    public var history: [ReplicationChange] { state.withLock { $0.log.map(\.change) } }

    /// The position after which each replica has last read the history, by the number of the replica.
    public var replicas: [UInt64: ReplicationPosition] { state.withLock(\.replicas) }

    /// All commits with their expectations and times, in the order of the cluster.
    package var commits: [(commit: ReplicationCommit, instant: ReplicationInstant)] {
        state.withLock { $0.log.map { ($0.commit, $0.instant) } }
    }

    /// All commits that were refused because of an expectation, with the positions and the times of the refusals.
    package var refusals: [(commit: ReplicationCommit, position: ReplicationPosition, instant: ReplicationInstant)] {
        state.withLock { $0.refusals.map { ($0.commit, $0.position, $0.instant) } }
    }

    /// The identifiers that were answered as forgotten.
    package var forgottenIdentifiers: Set<ReplicationCommit.Identifier> { state.withLock(\.forgotten) }

    /// All entries, including those that have expired.
    package var entries: [ReplicationSnapshot.Entry] { state.withLock { Array($0.table.values) } }

    /// The values that have not been removed, by key.
    public var values: [[UInt8]: [UInt8]] { state.withLock { $0.table.mapValues(\.value) } }
}
