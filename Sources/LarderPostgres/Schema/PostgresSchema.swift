#if Postgres
/// The tables and functions of a ``PostgresEngine``, in the schema `larder` of a database.
public enum PostgresSchema {
    /// The version of the schema that this version of Larder installs.
    public static let version = installation.version

    /// A script for `psql` that creates the schema `larder`, or upgrades an older one, in one transaction.
    ///
    /// It changes nothing if the schema has the current version. The comments at its beginning name the privileges that programs need.
    public static var script: String {
        let upgrades = installation.steps.enumerated().map { version, step in
            """
            SELECT :larder_version < \(version + 1) AS larder_is_older \\gset
            \\if :larder_is_older
            \(step)
            \\endif

            """
        }
        return """
            -- Creates the schema larder, version \(version), for programs that use Larder. Run it with psql as the future owner:
            --
            --     psql --file larder.sql "postgresql:///app"
            --
            -- The programs need these privileges, and no others. Grant them again after an upgrade, which may add functions:
            --
            --     GRANT USAGE ON SCHEMA larder TO app;
            --     GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA larder TO app;
            --
            -- All functions run with the privileges of the owner.
            \\set ON_ERROR_STOP on
            BEGIN;
            SELECT pg_advisory_xact_lock(\(SchemaInstallation.lock)) IS NULL AS larder_is_waiting \\gset
            SELECT \(SchemaInstallation.isInstalled) AS larder_exists \\gset
            \\set larder_version 0
            \\if :larder_exists
            SELECT current_version AS larder_version FROM larder.version() \\gset
            \\endif

            \(upgrades.joined(separator: "\n"))
            COMMIT;

            """
    }

    /// The steps between versions.
    ///
    /// `Documentation/Formats/postgresql-v1.md` describes the result.
    static let installation = SchemaInstallation(
        steps: [[tables, commits, reading, maintenance].joined(separator: "\n\n")]
    )
}
#endif
