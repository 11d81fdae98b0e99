#if Postgres
import LarderCore
import LarderDeviceStore
import LarderPostgres
import LarderReplication
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Testing

/// The contracts of engines and of stores, on PostgreSQL.
@Suite(.needsPostgres, .expectsIssues(.degraded))
struct ContractTests {
    @Test(arguments: ReplicationEngineContract.Check.allCases)
    func postgresMeetsEngineContract(check: ReplicationEngineContract.Check) async throws {
        // A server that other tests use can't be frozen.
        let isFrozen = check == .suspendedCallsCanBeCanceled
        let server = isFrozen ? try await PostgresServer() : try await PostgresServer.shared
        let contract = ReplicationEngineContract.onStores {
            let name = PostgresServer.newName()
            var store = ReplicationEngineContract.Store { try server.engine(name) }
            store.forgetVerdicts = { try await server.forgetVerdicts(of: name) }
            store.trimHistory = { try await server.trimHistory(of: name) }
            if isFrozen { store.setSuspended = { $0 ? try server.freeze() : try server.thaw() } }
            return store
        }
        try await contract.run(check)
    }

    /// A replica in a file, and the store to which it belongs.
    private final class Place: Sendable {
        let folder: TemporaryDirectory
        let name = PostgresServer.newName()
        let address: String
        let connection: ShakyConnection?

        init(_ server: PostgresServer?, isShaky: Bool = false) throws {
            folder = try TemporaryDirectory()
            address =
                server?.address("postgres", "&application_name=\(name)")
                ?? "postgresql://127.0.0.1:1/nowhere"
            connection = if let server, isShaky { ShakyConnection(server, name) } else { nil }
        }

        func open(deadline: Duration = .seconds(10)) throws -> ReplicatedStore {
            var options = ReplicatedStoreOptions()
            options.deadline = deadline
            return try ReplicatedStore(
                replica: DeviceStore(path: folder.path("replica.larder")),
                engine: PostgresEngine(address, store: name),
                options: options
            )
        }
    }

    @Test(arguments: KeyValueStoreContract.Check.allCases)
    func offlineStoreFulfillsContract(check: KeyValueStoreContract.Check) async throws {
        try await KeyValueStoreContract(
            place: { try Place(nil) },
            open: { place in try place.open(deadline: .milliseconds(1)) }
        )
        .sized(operationsOfEachThread: 100).run(check)
    }

    @Test(arguments: KeyValueStoreContract.Check.allCases)
    func connectedStoreFulfillsContract(check: KeyValueStoreContract.Check) async throws {
        let server = try await PostgresServer.shared
        try await KeyValueStoreContract(
            place: { try Place(server) },
            open: { place in RunningStore(try place.open()) { await $0.run() } }
        )
        .sized(operationsOfEachThread: 100).run(check)
    }

    @Test(arguments: KeyValueStoreContract.Check.allCases)
    func reconnectingStoreFulfillsContract(check: KeyValueStoreContract.Check) async throws {
        let server = try await PostgresServer.shared
        try await KeyValueStoreContract(
            place: { try Place(server, isShaky: true) },
            open: { place in RunningStore(try place.open()) { await $0.run() } }
        )
        .sized(operationsOfEachThread: 100).run(check)
    }
}

/// Ends the connections of a store again and again until it is released.
final class ShakyConnection: Sendable {
    private let task: Task<Void, Never>

    init(_ server: PostgresServer, _ store: String, every pause: Duration = .milliseconds(30)) {
        task = Task {
            while !Task.isCancelled {
                try? await server.terminateConnections(of: store)
                try? await SystemTimeSource().sleep(for: pause)
            }
        }
    }

    deinit { task.cancel() }
}
#endif
