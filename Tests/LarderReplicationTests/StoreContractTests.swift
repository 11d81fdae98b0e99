import LarderCore
import LarderDeviceStore
import LarderReplication
import LarderStores
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Testing

/// The contract of every store, in each state of the connection.
@Suite(.expectsIssues(.degraded))
struct StoreContractTests {
    /// A replica in a file, and the cluster to which it belongs.
    private final class Place: Sendable {
        let folder: TemporaryDirectory
        let cluster: SimulatedCluster
        let connection: ShakyConnection?

        init(_ limits: StoreLimits, isShaky: Bool = false) throws {
            folder = try TemporaryDirectory()
            cluster = SimulatedCluster(seed: 3, limits: limits)
            connection = isShaky ? ShakyConnection(cluster, "shaky") : nil
        }

        func open(_ name: String, deadline: Duration = .seconds(10)) throws -> ReplicatedStore {
            var options = ReplicatedStoreOptions()
            options.deadline = deadline
            return try ReplicatedStore(
                replica: DeviceStore(path: folder.path("replica.larder")),
                engine: cluster.engine(name),
                options: options
            )
        }
    }

    @Test(arguments: KeyValueStoreContract.Check.allCases)
    func offlineStoreFulfillsContract(check: KeyValueStoreContract.Check) async throws {
        try await KeyValueStoreContract(
            place: { try Place(SimulatedCluster.strictLimits) },
            open: { place in try place.open("offline", deadline: .milliseconds(1)) }
        )
        .sized(operationsOfEachThread: 100).run(check)
    }

    @Test(arguments: KeyValueStoreContract.Check.allCases)
    func connectedStoreFulfillsContract(check: KeyValueStoreContract.Check) async throws {
        try await KeyValueStoreContract(
            place: { try Place(StoreLimits()) },
            open: { place in RunningStore(try place.open("connected")) }
        )
        .sized(operationsOfEachThread: 100).run(check)
    }

    @Test(arguments: KeyValueStoreContract.Check.allCases)
    func connectedStoreWithStrictLimitsFulfillsContract(check: KeyValueStoreContract.Check) async throws {
        try await KeyValueStoreContract(
            place: { try Place(SimulatedCluster.strictLimits) },
            open: { place in RunningStore(try place.open("connected")) }
        )
        .sized(operationsOfEachThread: 100).run(check)
    }

    @Test(arguments: KeyValueStoreContract.Check.allCases)
    func reconnectingStoreFulfillsContract(check: KeyValueStoreContract.Check) async throws {
        try await KeyValueStoreContract(
            place: { try Place(SimulatedCluster.strictLimits, isShaky: true) },
            open: { place in RunningStore(try place.open("shaky")) }
        )
        .sized(operationsOfEachThread: 100).run(check)
    }
}
