#if Command
import LarderCore
import LarderReplication

/// The engine of a replica that a command only inspects, which is never called.
struct DisconnectedEngine: ReplicationEngine {
    let name = "no cluster"
    let limits = StoreLimits()

    private static var unreachable: CommandFailure {
        .storage("The command is not connected to a cluster. Add --cluster.")
    }

    func snapshot(
        receive: @escaping @Sendable ([ReplicationSnapshot.Entry]) throws -> Void
    ) async throws -> ReplicationSnapshot {
        throw Self.unreachable
    }

    func commit(_ commit: ReplicationCommit) async throws -> ReplicationAnswer { throw Self.unreachable }

    func outcome(
        of identifier: ReplicationCommit.Identifier,
        drawn: ReplicationInstant?
    ) async throws -> ReplicationAnswer {
        throw Self.unreachable
    }

    func changes(
        after position: ReplicationPosition,
        limit: ReplicationPageLimit,
        replica: UInt64
    ) async throws -> ReplicationPage {
        throw Self.unreachable
    }

    func waitForChanges(after position: ReplicationPosition) async throws { throw Self.unreachable }
}
#endif
