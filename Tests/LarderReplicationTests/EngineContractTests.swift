import LarderReplication
import LarderTestSupport
import LarderTesting
import Synchronization
import Testing

@Suite
struct EngineContractTests {
    @Test(arguments: ReplicationEngineContract.Check.allCases)
    func simulatedEngineMeetsContract(check: ReplicationEngineContract.Check) async throws {
        let contract = ReplicationEngineContract.onStores {
            let cluster = SimulatedCluster(seed: 1)
            var store = ReplicationEngineContract.Store { cluster.engine() }
            store.forgetVerdicts = { cluster.forgetVerdicts() }
            store.trimHistory = { cluster.trimHistory() }
            store.setSuspended = { cluster.setSuspended($0) }
            return store
        }
        try await contract.run(check)
    }

    @Test(arguments: ReplicationEngineContract.Check.allCases)
    func simulatedEngineWithStrictLimitsMeetsContract(check: ReplicationEngineContract.Check) async throws {
        let contract = ReplicationEngineContract {
            let cluster = SimulatedCluster(seed: 2, limits: SimulatedCluster.strictLimits)
            return { cluster.engine() }
        }
        try await contract.run(check)
    }

    @Test func answersOfTheSimulatedClusterOvertakeEachOther() async throws {
        let time = ManualTimeSource()
        let cluster = SimulatedCluster(seed: 3, time: time, delay: .milliseconds(3))
        let engine = cluster.engine()
        let isDone = Mutex(false)
        let commits = Task {
            defer { isDone.withLock { $0 = true } }
            return try await Self.answers(of: engine, to: 20)
        }
        try await waitUntil {
            time.advance(by: .microseconds(100))
            return isDone.withLock(\.self)
        }
        let order = try await commits.value
        #expect(order.count == 20)
        #expect(order != order.sorted())
    }

    /// Returns the revisions of commits that are sent at once, in the order in which the answers arrive.
    private static func answers(of engine: SimulatedEngine, to count: Int) async throws -> [UInt64] {
        try await withThrowingTaskGroup(of: UInt64?.self) { group in
            for number in 0..<count {
                group.addTask {
                    let identifier = ReplicationCommit.Identifier(session: 1, number: UInt64(number))
                    let commit = ReplicationCommit(identifiers: [identifier], drawn: nil, writes: [])
                    guard case .committed(let position) = try await engine.commit(commit) else { return nil }
                    return position.revision
                }
            }
            var revisions: [UInt64] = []
            for try await revision in group { revisions += [revision].compactMap(\.self) }
            return revisions
        }
    }
}
