public import LarderCore
public import LarderReplication
import Synchronization

/// A connection to a ``SimulatedCluster``.
public final class SimulatedEngine: ReplicationEngine {
    /// The error of a call that did not reach the cluster.
    public struct Unreachable: Error, CustomStringConvertible {
        /// A sentence for messages.
        public let description = "The simulated connection is cut."
    }

    /// The name of this connection.
    public let name: String
    private let cluster: SimulatedCluster
    private let faults: Mutex<SimulatedCluster.Faults>

    init(name: String, cluster: SimulatedCluster, faults: SimulatedCluster.Faults) {
        self.name = name
        self.cluster = cluster
        self.faults = Mutex(faults)
    }

    /// The limits of the cluster.
    public var limits: StoreLimits { cluster.limits }

    /// Changes the faults of later calls.
    ///
    /// - Parameter faults: The faults from now on.
    public func setFaults(_ faults: SimulatedCluster.Faults) { self.faults.withLock { $0 = faults } }

    /// The number of entries in each part of a snapshot.
    private static var partSize: Int { 100 }

    /// Hands over all entries of the cluster in parts.
    public func snapshot(
        receive: @escaping @Sendable ([ReplicationSnapshot.Entry]) throws -> Void
    ) async throws -> ReplicationSnapshot {
        let (snapshot, entries) = try await call { state, now, _ in
            let snapshot = ReplicationSnapshot(identity: state.identity, position: state.position, instant: now)
            return (snapshot, Array(state.table.values))
        }
        for start in stride(from: 0, to: entries.count, by: Self.partSize) {
            try receive(Array(entries[start..<min(start + Self.partSize, entries.count)]))
        }
        return snapshot
    }

    /// Makes a commit, subject to the faults of this connection.
    public func commit(_ commit: ReplicationCommit) async throws -> ReplicationAnswer {
        let limits = cluster.limits
        return try await call(ifLost: .unknown(Unreachable())) { state, now, faults in
            if state.occurs(faults.lost) { return .unknown(Unreachable()) }
            if state.occurs(faults.late) {
                state.late.append(commit)
                return .unknown(Unreachable())
            }
            if state.occurs(faults.doubled) { state.late.append(commit) }
            let answer = state.commit(commit, limits, now)
            return state.occurs(faults.lostAnswer) ? .unknown(Unreachable()) : answer
        }
    }

    /// Returns the verdict about an identifier, after refusing the identifier if there is none.
    public func outcome(
        of identifier: ReplicationCommit.Identifier,
        drawn: ReplicationInstant?
    ) async throws -> ReplicationAnswer {
        try await call { state, now, faults in
            let answer = state.outcome(of: identifier, drawn, now)
            if state.occurs(faults.lostAnswer) { throw Unreachable() }
            return answer
        }
    }

    /// Returns the commits after a position.
    public func changes(
        after position: ReplicationPosition,
        limit: ReplicationPageLimit,
        replica: UInt64
    ) async throws -> ReplicationPage {
        try await call { state, now, faults in
            if replica != 0 { state.replicas[replica] = position }
            guard let changes = state.page(after: position, limit: limit) else { return .historyLost }
            guard state.occurs(faults.slowWatcher) else { return .changes(changes, at: now) }
            let count = Int.random(in: 0...changes.count, using: &state.generator)
            return .changes(Array(changes.prefix(count)), at: now)
        }
    }

    /// Suspends until there are commits after a position, for at most a tenth of a second.
    public func waitForChanges(after position: ReplicationPosition) async throws {
        for _ in 0..<50 {
            let isDue = try cluster.state.withLock { state in
                if state.unreachable.contains(name) { throw Unreachable() }
                return state.position != position
            }
            if isDue { return }
            try await cluster.time.sleep(for: .milliseconds(2))
        }
    }

    /// Calls the cluster, with delays before and after.
    ///
    /// - Parameters:
    ///   - lost: The result if the answer is lost, or `nil` to throw.
    ///   - body: What the call does in the cluster.
    /// - Returns: The result of `body`, or `lost`.
    /// - Throws: `Unreachable`, `CancellationError`, or the error of `body`.
    private func call<Result: Sendable>(
        ifLost lost: Result? = nil,
        _ body: @Sendable (inout SimulatedClusterState, ReplicationInstant, SimulatedCluster.Faults) throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let (failovers, there, back) = cluster.state.withLock { state in
            let there = state.drawDelay(upTo: cluster.delay)
            return (state.failovers, there, state.drawDelay(upTo: cluster.delay))
        }
        if cluster.delay > .zero { try await cluster.time.sleep(for: there) }
        while cluster.state.withLock(\.isSuspended) { try await cluster.time.sleep(for: .milliseconds(2)) }
        let faults = faults.withLock(\.self)
        let result = try cluster.state.withLock { state in
            // A failover ends all connections, and with them the calls that are under way.
            guard state.failovers == failovers else { throw Unreachable() }
            if state.unreachable.contains(name) || state.occurs(faults.cut) { throw Unreachable() }
            let now = cluster.instant(state)
            return try body(&state, now, faults)
        }
        guard cluster.delay > .zero else { return result }
        let isCanceled: Bool
        do {
            try await cluster.time.sleep(for: back)
            isCanceled = false
        } catch {
            isCanceled = true
        }
        let isLost = cluster.state.withLock { state in
            // An answer that has reached the machine before its connection ended is read.
            (state.failovers != failovers || state.unreachable.contains(name)) && state.occurs(0.5)
        }
        guard isCanceled || isLost else { return result }
        guard let lost else { throw Unreachable() }
        return lost
    }
}
