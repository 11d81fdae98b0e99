#if Postgres
/// Creates and upgrades the schema of a database.
struct SchemaInstallation: Sendable {
    /// The scripts that lead from each version to the next one, beginning with an empty database.
    let steps: [String]

    /// The version that this program knows.
    var version: Int { steps.count }

    /// Checks that the program can use the schema, after creating or upgrading it if necessary.
    ///
    /// - Parameters:
    ///   - connection: A connection without an open transaction.
    ///   - isInstalled: Whether the database has the schema.
    ///   - mayInstall: Whether to create or upgrade the schema.
    /// - Returns: The version of the schema, which may be newer than the program's.
    /// - Throws: ``PostgresError`` if the schema can't be used.
    func prepare(_ connection: PostgresConnection, isInstalled: Bool, mayInstall: Bool) throws -> Int {
        var found = isInstalled ? try read(connection) : Version(current: 0, oldestProgram: 0)
        if found.current < version {
            guard mayInstall else { throw PostgresError.schemaMissing(found.current, version) }
            try install(on: connection)
            found = try read(connection)
        }
        guard found.oldestProgram <= version else {
            throw PostgresError(
                .newerSchema,
                "The schema larder in the database has version \(found.current), which needs a program that knows version \(found.oldestProgram) or later, but this program knows version \(version). Update the program."
            )
        }
        return found.current
    }

    private struct Version {
        let current: Int
        let oldestProgram: Int
    }

    private func read(_ connection: PostgresConnection) throws -> Version {
        let rows = try connection.run("SELECT current_version, oldest_program FROM larder.version()")
        return Version(
            current: Int(try PostgresRows.required(rows.integer(0, 0, as: Int32.self))),
            oldestProgram: Int(try PostgresRows.required(rows.integer(0, 1, as: Int32.self)))
        )
    }

    /// The number of the advisory lock under which one program at a time changes the schema.
    static let lock = 5_642_218_807_216_370_226

    /// The condition that the database has the schema.
    ///
    /// The function `to_regprocedure` would not see what another session has created since the transaction began, because it reads a cache.
    static let isInstalled = """
        EXISTS (
            SELECT FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
            WHERE n.nspname = 'larder' AND p.proname = 'version'
        )
        """

    /// Installs what is missing, in one transaction.
    ///
    /// After a failure the connection must be closed.
    private func install(on connection: PostgresConnection) throws {
        do {
            try connection.runScript("BEGIN; SELECT pg_advisory_xact_lock(\(Self.lock))")
            // Another program may have installed it meanwhile.
            let isInstalled = try connection.run("SELECT \(Self.isInstalled)").boolean(0, 0)
            let current = isInstalled == true ? try read(connection).current : 0
            for step in steps.dropFirst(current) { try connection.runScript(step) }
            try connection.runScript("COMMIT")
        } catch let error as PostgresError where error.code == .notPermitted {
            throw PostgresError(
                .notPermitted,
                "This user may not create the schema larder in the database. Let an administrator run the script that `larder replicate schema` prints, and grant the user the privileges named in it.",
                state: error.state
            )
        } catch let error as PostgresError where error.code == .busy {
            throw PostgresError(
                .busy,
                "Another program has been installing the schema larder for a while. Try again, or look for a session that holds its lock.",
                state: error.state
            )
        }
    }
}

extension PostgresError {
    static func schemaMissing(_ found: Int, _ needed: Int) -> PostgresError {
        let what = found == 0 ? "has no schema larder" : "has version \(found) of the schema larder"
        return PostgresError(
            .schemaMissing,
            "The database \(what), and the program needs version \(needed). Let an administrator run the script that `larder replicate schema` prints, or set `installsSchema`."
        )
    }
}
#endif
