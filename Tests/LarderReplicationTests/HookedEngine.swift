import LarderCore
import LarderReplication

/// An engine whose calls a test replaces or observes.
final class HookedEngine: ReplicationEngine {
    /// Closures that are called before the calls of the engine.
    struct Hooks: Sendable {
        /// Returns the answer to a commit, or `nil` to send the commit.
        var commit: @Sendable (ReplicationCommit) async throws -> ReplicationAnswer? = { _ in nil }
        var outcome: @Sendable () async throws -> Void = {}
        var snapshot: @Sendable () async throws -> Void = {}
        var changes: @Sendable () async throws -> Void = {}
        var wait: @Sendable () async throws -> Void = {}
    }

    private let base: any ReplicationEngine
    private let hooks: Hooks

    init(_ base: any ReplicationEngine, _ hooks: Hooks) {
        self.base = base
        self.hooks = hooks
    }

    var name: String { base.name }
    var limits: StoreLimits { base.limits }

    func snapshot(
        receive: @escaping @Sendable ([ReplicationSnapshot.Entry]) throws -> Void
    ) async throws -> ReplicationSnapshot {
        try await hooks.snapshot()
        return try await base.snapshot(receive: receive)
    }

    func commit(_ commit: ReplicationCommit) async throws -> ReplicationAnswer {
        if let answer = try await hooks.commit(commit) { return answer }
        return try await base.commit(commit)
    }

    func outcome(
        of identifier: ReplicationCommit.Identifier,
        drawn: ReplicationInstant?
    ) async throws -> ReplicationAnswer {
        try await hooks.outcome()
        return try await base.outcome(of: identifier, drawn: drawn)
    }

    func changes(
        after position: ReplicationPosition,
        limit: ReplicationPageLimit,
        replica: UInt64
    ) async throws -> ReplicationPage {
        try await hooks.changes()
        return try await base.changes(after: position, limit: limit, replica: replica)
    }

    func waitForChanges(after position: ReplicationPosition) async throws {
        try await hooks.wait()
        try await base.waitForChanges(after: position)
    }
}
