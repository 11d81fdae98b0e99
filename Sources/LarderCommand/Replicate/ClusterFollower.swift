#if Command
import LarderReplication

/// A reader of a cluster's history from its present position on.
struct ClusterFollower: Sendable {
    enum Event: Sendable {
        case commit(FollowedCommit)
        /// The history between two reads was trimmed.
        case missed
        /// The cluster can't be reached, for the given reason.
        case failure(String)
    }

    private let engine: any ReplicationEngine
    private let start: ReplicationPosition

    /// Connects to a cluster and notes its present position.
    ///
    /// - Parameter address: The address of the store.
    /// - Throws: ``CommandFailure`` or the error of the engine.
    init(_ address: ClusterAddress) throws {
        let engine = try ClusterConnection.connect(address, .isAnError)
        self.engine = engine
        start = try BlockedTask.run { try await ClusterStatus(of: engine).position }
    }

    private static let pauseAfterFailure = Duration.seconds(1)

    /// Hands over what arrives, until the task is canceled.
    func run(_ receive: @Sendable (Event) -> Void) async {
        var position = start
        var isFailing = false
        while !Task.isCancelled {
            do {
                switch try await engine.changes(after: position, limit: .ofCommands, replica: .ofCommands) {
                case .historyLost:
                    position = try await ClusterStatus(of: engine).position
                    receive(.missed)
                case .changes(let changes, _):
                    for change in changes { receive(.commit(FollowedCommit(change))) }
                    position = changes.last?.position ?? position
                    if changes.isEmpty { try await engine.waitForChanges(after: position) }
                }
                isFailing = false
            } catch {
                guard !Task.isCancelled else { return }
                // Reported once for each interruption.
                if !isFailing { receive(.failure(CommandFailure(error).message)) }
                isFailing = true
                try? await Task.sleep(for: Self.pauseAfterFailure)
            }
        }
    }
}
#endif
