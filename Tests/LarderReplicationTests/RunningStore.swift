import LarderCore
import LarderReplication
import LarderTestSupport
import LarderTesting

/// A replicated store that replicates until it is released.
final class RunningStore: ForwardingStore {
    let replicated: ReplicatedStore
    private let task: Task<Void, Never>

    var base: any KeyValueStore { replicated }

    init(_ store: ReplicatedStore) {
        replicated = store
        task = Task { await store.run() }
    }

    deinit { task.cancel() }
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
