import LarderCore
import LarderReplication
import LarderTestSupport
import LarderTesting

extension RunningStore where Base == ReplicatedStore {
    /// Replicates a store until the new one is released.
    convenience init(_ store: ReplicatedStore) { self.init(store) { await $0.run() } }
}

/// A connection that is cut and restored again and again until it is released.
final class ShakyConnection: Sendable {
    private let task: Task<Void, Never>

    init(_ cluster: SimulatedCluster, _ name: String) {
        task = Task {
            while !Task.isCancelled {
                for isReachable in [false, true] {
                    cluster.setReachable(name, isReachable)
                    try? await SystemTimeSource().sleep(for: .milliseconds(3))
                }
            }
        }
    }

    deinit { task.cancel() }
}
