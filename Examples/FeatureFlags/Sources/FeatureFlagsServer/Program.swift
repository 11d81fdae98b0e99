import FeatureFlags
import Foundation
import Hummingbird
import LarderDefaults
import LarderDeviceStore
import LarderInspector
import LarderPostgres
import LarderReplication
import ServiceLifecycle

/// One instance of the service.
@main struct Program {
    static func main() async throws {
        guard let settings = Settings(CommandLine.arguments.dropFirst()) else {
            FileHandle.standardError.write(
                Data("Usage: FeatureFlagsServer NAME PORT REPLICA ADDRESS [SECONDS-OF-DEADLINE] [--inspect]\n".utf8)
            )
            exit(64)
        }
        // Not created if it is missing, and not upgraded: an administrator has run the SQL of `larder replicate schema`.
        var database = PostgresOptions()
        database.installsSchema = false
        var options = ReplicatedStoreOptions()
        options.deadline = settings.deadline
        let store = try ReplicatedStore(
            replica: DeviceStore(path: settings.replica),
            engine: PostgresEngine(settings.address, store: "flags", options: database),
            options: options
        )
        let instance = Instance(name: settings.name, store: store)
        // The store replicates as long as the application runs: it is a service like the server itself. So is the inspector.
        var services: [any Service] = [store]
        if settings.isInspected { services.append(try inspector(of: instance)) }
        let application = Application(
            router: instance.router,
            configuration: .init(address: .hostname("127.0.0.1", port: settings.port), serverName: nil),
            services: services
        )
        try await application.runService()
    }

    /// A page that shows the store, the flags by type, and what waits for the cluster.
    ///
    /// Anyone who has its address can read all of it.
    private static func inspector(of instance: Instance) throws -> Inspector {
        var options = InspectorOptions()
        options.title = "Feature flags, instance \(instance.name)"
        options.onListening = { address in
            FileHandle.standardError.write(Data("Inspector: \(address)\n".utf8))
        }
        return try Inspector(
            stores: [instance.store],
            objects: [InspectedKeys(instance.board.flags), InspectedReplication(instance.store)],
            options: options
        )
    }
}

/// The arguments of the program.
private struct Settings {
    let name: String
    let port: Int
    let replica: String
    let address: String
    let deadline: Duration
    /// Whether the inspector runs, which it does only on request.
    let isInspected: Bool

    init?(_ arguments: ArraySlice<String>) {
        isInspected = arguments.contains("--inspect")
        let arguments = arguments.filter { $0 != "--inspect" }
        guard arguments.count == 4 || arguments.count == 5, let port = Int(arguments[1]) else { return nil }
        guard let seconds = arguments.count == 5 ? Double(arguments[4]) : 10 else { return nil }
        name = arguments[0]
        self.port = port
        replica = arguments[2]
        address = arguments[3]
        deadline = .seconds(seconds)
    }
}
