#if Postgres
/// Options for a ``PostgresEngine``.
public struct PostgresOptions: Sendable {
    /// Whether the engine creates the schema `larder` if the database has none, and upgrades an older one.
    ///
    /// The default is `true`. If the role of the program may not create a schema, an administrator runs ``PostgresSchema/script``.
    public var installsSchema = true
    /// Whether reading a snapshot, which each new replica does first, creates the store if the schema has none with its name.
    ///
    /// The default is `true`. If `false`, it throws `storeNotFound` as other calls do, which finds misspelled names.
    public var createsStore = true
    /// The time without any sign of the server after which a connection counts as lost.
    ///
    /// The default is 10 seconds. A commit that waits for another one of the same store fails after half of this time.
    public var timeout = Duration.seconds(10)
    /// The longest time for which ``PostgresEngine/waitForChanges(after:)`` waits for a notification.
    ///
    /// The default is 5 seconds. Notifications usually arrive within milliseconds, and may be lost with a connection.
    public var pollingInterval = Duration.seconds(5)

    /// Creates the default options.
    public init() {}
}
#endif
