#if Command
import Foundation
import LarderCore
import LarderReplication
import LarderTesting

@testable import LarderCommand

/// A simulated cluster to which the addresses of commands lead.
struct ClusterFixture: Sendable {
    static let address = "postgresql://host/app#flags"

    let cluster = SimulatedCluster(seed: 1)

    /// Runs a command line on a thread of its own, because commands block their thread while the cluster works.
    func run(_ arguments: String..., streams: Invocation.Streams = .init()) async -> Invocation {
        await run(arguments, streams: streams)
    }

    func run(_ arguments: [String], streams: Invocation.Streams = .init()) async -> Invocation {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let invocation = ClusterConnection.$connect.withValue({ [cluster] address, _ in
                    cluster.engine(address.store)
                }) {
                    // Among tests that block all threads, the simulated cluster may answer late.
                    ClusterStore.$deadline.withValue(.seconds(300)) { Invocation(arguments, streams: streams) }
                }
                continuation.resume(returning: invocation)
            }
        }
    }

    /// Returns a machine whose replica is in memory, or in a store of the test.
    func machine(_ replica: any KeyValueStore, _ name: String = "machine") throws -> ReplicatedStore {
        try ReplicatedStore(unshared: replica, engine: cluster.engine(name))
    }
}

extension ReplicatedStore {
    /// Sends and applies commits until there is nothing left to do.
    func exchange() async throws {
        while true {
            let steps = [try await pull(), try await push(), try await pull()]
            if steps.allSatisfy({ $0 == .idle }) { return }
        }
    }
}
#endif
