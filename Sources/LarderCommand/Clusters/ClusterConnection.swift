import LarderReplication

#if Postgres
import LarderPostgres
#endif

/// A namespace for the function that connects to clusters, which tests replace.
enum ClusterConnection {
    /// Whether a store that is missing in the cluster is created.
    enum MissingStore: Sendable {
        case isCreated
        case isAnError
    }

    /// Returns an engine for an address, which connects when it is first used.
    @TaskLocal static var connect: @Sendable (ClusterAddress, MissingStore) throws -> any ReplicationEngine =
        connectToPostgres

    private static let connectToPostgres: @Sendable (ClusterAddress, MissingStore) throws -> any ReplicationEngine = {
        address,
        missing in
        #if Postgres
        var options = PostgresOptions()
        options.createsStore = missing == .isCreated
        options.installsSchema = missing == .isCreated
        return try PostgresEngine(address.database, store: address.store, options: options)
        #else
        throw CommandFailure.noPostgres
        #endif
    }
}

extension CommandFailure {
    /// A failure for a build without the trait `Postgres`.
    static let noPostgres = usage(
        "This build of larder can't use PostgreSQL. Build it with `swift build --product larder --traits Command,Postgres`."
    )
}
