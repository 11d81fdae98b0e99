#if Objects
internal import GRDB
internal import LarderCore
internal import LarderFiles

extension DatabaseOpening {
    /// The maximum time to wait for other managers before looking at the file again.
    private static let turn = Duration.milliseconds(100)
    /// The maximum number of times that the file is made to fit the model.
    private static let attempts = 10

    /// What was done to the file before it was opened.
    private struct Change {
        /// The issue to report, or `nil` if no file was renamed.
        var issue: LarderIssue?
        var isMigrated = false
    }

    /// Opens the database with a shared lock, in turns with creating, migrating or replacing the file with an exclusive lock.
    ///
    /// Another manager may change the file between two turns, so each turn begins with a look at the file. For example, if two processes
    /// open a file that must be migrated, one of them migrates the file and keeps it open, and the other one finds the file migrated.
    func openInTurns() throws -> OpenedDatabase {
        let (opening, deadline) = (try openingLock(), ContinuousClock.now + timeout)
        var (writer, attempts, change) = (nil as WriterLock?, 0, Change())
        do {
            while true {
                let lock = try opening.shared(within: deadline - .now)
                let wasOpenHere = try isOpenHere()
                let writing = try writer ?? writerLock()
                writer = writing
                if let pool = try openAsItIs(writing) {
                    try completeTriggers(pool, writing)
                    return try opened(pool, lock, writing, change.issue)
                }
                lock.release()
                // The manager has had the file open since before the look, so it does not make the file fit this model.
                if wasOpenHere { throw Self.openHere(path) }
                var isExclusive = false
                do {
                    try opening.exclusively(within: min(Self.turn, deadline - .now)) {
                        isExclusive = true
                        try writing.holding(within: timeout, for: .opening) { try makeFit(&change) }
                    }
                } catch let error as ObjectError where error.code == .busy && !isExclusive && deadline > .now {}
                attempts += isExclusive ? 1 : 0
                guard attempts < Self.attempts else { throw keepsChanging() }
            }
        } catch {
            throw change.isMigrated ? afterMigration(error) : error
        }
    }

    private func writerLock() throws -> WriterLock {
        try isPrivate ? .notNeeded() : WriterLock(at: place(), path: path, files: files)
    }

    private func opened(
        _ pool: DatabasePool,
        _ lock: HeldLock,
        _ writer: WriterLock,
        _ issue: LarderIssue?
    ) throws -> OpenedDatabase {
        let information = try files.information(at: path, followingLinks: true)
        return try OpenedDatabase(
            pool: pool,
            lock: lock,
            writer: writer,
            registration: information.map(OpenDatabases.shared.register),
            place: DatabasePlace(of: path),
            files: files,
            issue: issue
        )
    }

    // MARK: With a shared lock

    /// Opens the database if the stored schema matches the model.
    ///
    /// - Returns: The connection pool, or `nil` if the file must be created, migrated or replaced first.
    private func openAsItIs(_ writer: WriterLock) throws -> DatabasePool? {
        guard let kind = try files.information(at: path, followingLinks: true)?.kind else { return nil }
        let look = FirstLook(path: path)
        // GRDB releases its configuration, which retains the look, later on a Dispatch queue.
        defer { look.end() }
        do {
            guard kind == .file else { throw FirstLook.Unsuitable() }
            return try pool(look, writer)
        } catch {
            guard try mustChange(error) else { throw error }
            return nil
        }
    }

    private func pool(_ look: FirstLook, _ writer: WriterLock) throws -> DatabasePool {
        let fingerprint = try SchemaDescription(model).fingerprint()
        let place = try place()
        var configuration = Self.configuration()
        configuration.prepareDatabase { [self] database in
            try look.take(database) { path in
                let statements = StatementCache(database)
                let stored = try StoredSchema.read(statements, path: path)
                guard stored.format == StoredSchema.formatVersion, stored.fingerprint == fingerprint,
                    stored.version == model.version, try check.finding(statements) == nil
                else { return false }
                try beginLog(stored, statements, place, writer)
                return true
            }
        }
        return try DatabasePool(path: path, configuration: configuration)
    }

    /// Writes a transaction to the log if the log is empty, because GRDB would otherwise do that without the lock for writers.
    ///
    /// The connection has read the file, so that no other connection removes the log from now on. Only a manager that has the database open
    /// alone empties the log, so this call waits only for other managers that are being opened.
    private func beginLog(
        _ stored: StoredSchema,
        _ statements: StatementCache,
        _ place: String,
        _ writer: WriterLock
    ) throws {
        guard try (files.information(at: place + "-wal", followingLinks: true)?.size ?? 0) == 0 else { return }
        try statements.run("PRAGMA synchronous = NORMAL")
        try writer.holding(within: timeout, for: .opening) {
            try statements.run("PRAGMA user_version = \(stored.format)")
        }
    }

    /// Creates the triggers that the file lacks, for example because a program has dropped them.
    private func completeTriggers(_ pool: DatabasePool, _ writer: WriterLock) throws {
        try pool.writeWithoutTransaction { database in
            let statements = StatementCache(database)
            guard try SharingSchema.lacksTriggers(model, statements) else { return }
            try writer.holding(within: timeout, for: .opening) {
                try database.inTransaction(.immediate) {
                    // Another manager may have created them in the meantime.
                    if try SharingSchema.lacksTriggers(model, statements) {
                        try SharingSchema.renewTriggers(model, author: author, now: time.now, statements)
                    }
                    return .commit
                }
            }
        }
    }

    /// Returns whether the file can be opened after it is migrated or replaced.
    ///
    /// Throws the error that prevents the file from being opened at all, which may be `error`, the reason why it can't be opened as it is.
    private func mustChange(_ error: any Error) throws -> Bool {
        do {
            guard let stored = try inspect() else { return true }
            guard stored.version <= model.version else { throw Self.newer(stored, model, path: path) }
            let target = try model.frozen()
            return stored.format < StoredSchema.formatVersion
                || stored.fingerprint != target.fingerprint || stored.version != target.version
                || error is FirstLook.Unsuitable
        } catch {
            guard try replaceable(error) != nil else { throw error }
            return true
        }
    }

    /// Returns the reason for replacing the file, or `nil` if ``onMismatch`` does not allow it for an error.
    private func replaceable(_ error: any Error) throws -> ObjectError? {
        guard onMismatch != .refuse, let reason = ObjectError.wrapping(error, path: path) as? ObjectError,
            reason.mayBeRecreated,
            try files.information(at: path, followingLinks: true)?.kind == .file
        else { return nil }
        return reason
    }

    // MARK: With an exclusive lock

    /// Migrates, creates or replaces the database file.
    private func makeFit(_ change: inout Change) throws {
        do {
            if let stored = try inspect() {
                // An issue handler must not run inside the transaction.
                if try IssueChannel.holdingBack({ try prepare(stored) }) {
                    change.isMigrated = true
                } else {
                    try useLog()
                }
            } else if try !finishRestoring() {
                change.issue = try moveLogAside()
                try create()
            }
        } catch {
            guard let reason = try replaceable(error) else { throw error }
            change.issue = try recreate(reason)
        }
    }

    /// Makes a database use a write-ahead log, for example a restored backup.
    private func useLog() throws {
        let queue = try DatabaseQueue(path: path, configuration: Self.configuration())
        let mode = try queue.writeWithoutTransaction { try String.fetchOne($0, sql: "PRAGMA journal_mode = WAL") }
        try queue.close()
        guard mode == "wal" else {
            throw ObjectError(
                .busy,
                "The database can't use a write-ahead log because another program has it open. Close it in that program and try again.",
                path: path
            )
        }
    }

    private func keepsChanging() -> ObjectError {
        ObjectError(
            .busy,
            "The database can't be opened because other programs keep changing its schema. Close the database in these programs and try again.",
            path: path
        )
    }

    private func afterMigration(_ error: any Error) -> any Error {
        guard let error = ObjectError.wrapping(error, path: path) as? ObjectError else { return error }
        return ObjectError(
            error.code,
            error.code == .diskFull
                ? "The database was migrated, but can't be opened because the disk is full. Free some space and try again."
                : "The database was migrated, but can't be opened. See the underlying error, and try again.",
            path: path,
            underlying: error.underlying ?? error
        )
    }
}
#endif
