#if Encryption
import LarderCore
import LarderDeviceStore
import LarderReplication
import LarderStores
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Testing

/// The contract of every store, for an encrypted store in a cluster.
@Suite(.expectsIssues(.degraded))
struct EncryptedContractTests {
    private final class Place: Sendable {
        let folder: TemporaryDirectory
        let cluster: SimulatedCluster

        init(_ limits: StoreLimits) throws {
            folder = try TemporaryDirectory()
            cluster = SimulatedCluster(seed: 41, limits: limits)
        }

        func open(deadline: Duration = .seconds(10)) throws -> ReplicatedStore {
            var options = ReplicatedStoreOptions()
            options.deadline = deadline
            return try ReplicatedStore(
                replica: DeviceStore(path: folder.path("replica.larder")),
                engine: cluster.engine(),
                options: options
            )
        }
    }

    @Test(arguments: KeyValueStoreContract.Check.allCases)
    func offlineEncryptedStoreFulfillsContract(check: KeyValueStoreContract.Check) async throws {
        try await KeyValueStoreContract(
            place: { try Place(SimulatedCluster.strictLimits) },
            open: { place in try EncryptedStore(place.open(deadline: .milliseconds(1)), key: firstKey) }
        )
        .sized(operationsOfEachThread: 100).run(check)
    }

    @Test(arguments: KeyValueStoreContract.Check.allCases)
    func connectedEncryptedStoreFulfillsContract(check: KeyValueStoreContract.Check) async throws {
        try await KeyValueStoreContract(
            place: { try Place(SimulatedCluster.strictLimits) },
            open: { place in try EncryptedStore(RunningStore(place.open()), key: firstKey) }
        )
        .sized(operationsOfEachThread: 100).run(check)
    }

    @Test(arguments: KeyValueStoreContract.Check.allCases)
    func connectedStoreWithHiddenNamesFulfillsContract(check: KeyValueStoreContract.Check) async throws {
        try await KeyValueStoreContract(
            place: { try Place(StoreLimits()) },
            open: { place in
                try EncryptedStore(RunningStore(place.open()), key: firstKey, options: .init(hidesNames: true))
            }
        )
        .sized(operationsOfEachThread: 100).run(check)
    }
}
#endif
