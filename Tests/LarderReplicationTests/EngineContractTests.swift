import LarderReplication
import LarderTesting
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
}
