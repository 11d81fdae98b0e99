#if Objects
internal import GRDB
internal import LarderCore
internal import LarderFiles

extension DatabaseOpening {
    /// The maximum number of attempts to migrate a database while other processes keep changing its schema.
    private static let attempts = 3

    /// Migrates an existing database to the program's model.
    ///
    /// Everything that can prevent the migration is checked before the first write.
    ///
    /// - Parameter stored: The schema that is stored in the database.
    /// - Returns: `true` if the database was migrated, or `false` if it already matched the model.
    /// - Throws: ``ObjectError`` with code `storeIsNewer`, `modelMismatch` or `busy`, or a SQLite error. If the call throws, the file is
    ///   unchanged.
    @discardableResult func prepare(_ stored: StoredSchema) throws -> Bool {
        var stored = stored
        var hasLosses = false
        for _ in 0..<Self.attempts {
            guard stored.version <= model.version else { throw Self.newer(stored, model, path: path) }
            let target = try model.frozen()
            if stored.fingerprint == target.fingerprint, stored.version == target.version {
                guard stored.format < StoredSchema.formatVersion else { return false }
                guard let other = try upgradeFormat(stored, target) else { return true }
                stored = other
                continue
            }
            var steps = try MigrationPath(
                from: stored.frozen(),
                isFirstFormat: stored.format < 2,
                plan: model.plan,
                to: target
            )
            steps.refuseLostDefaults(model)
            let losses = try firstPass(steps)
            switch try migrate(steps, stored, withBackup: hasLosses || steps.needsBackup(losses)) {
            case .done: return true
            // Another process migrated the database after the losses were counted.
            case .changed(let other): stored = other
            case .loses: hasLosses = true
            }
        }
        throw ObjectError(
            .busy,
            "The database was not migrated because other programs keep changing its schema. Close the database in these programs and try again.",
            path: path
        )
    }

    static func newer(_ stored: StoredSchema, _ model: ResolvedModel, path: String) -> ObjectError {
        ObjectError(
            .storeIsNewer,
            "The file has version \(stored.version) of the model, but this program has version \(model.version), so nothing was changed. "
                + "Update the program.",
            path: path
        )
    }

    /// Uses a read-only connection to count the data that the migration would lose.
    ///
    /// - Returns: The losses that can be counted before the migration.
    /// - Throws: ``ObjectError`` with code `modelMismatch` if the migration can't run. The error lists every known reason.
    private func firstPass(_ steps: MigrationPath) throws -> [MigrationLoss] {
        var losses: [MigrationLoss] = []
        if steps.steps.contains(where: { $0.stage == nil && !$0.inferred.losses.isEmpty }) {
            var configuration = Self.configuration()
            configuration.readonly = true
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            // The connection is read-only. If closing it fails, no data is lost, and it is closed when the queue is released.
            defer { try? queue.close() }
            losses = try queue.read { try steps.losses(model, StatementCache($0)) }
        }
        if let error = steps.refusal(losses) { throw error.at(path) }
        return losses
    }

    /// The outcome of a migration attempt that did not throw an error.
    private enum Outcome {
        case done
        /// Another process changed the schema, so the attempt had no effect.
        case changed(StoredSchema)
        /// The migration would lose data that the read-only check did not count, so it must be repeated with a backup.
        case loses
    }

    /// Runs the migration steps in one transaction.
    private func migrate(_ steps: MigrationPath, _ stored: StoredSchema, withBackup: Bool) throws -> Outcome {
        do {
            let queue = try DatabaseQueue(
                path: path,
                configuration: MigrationConnection.configuration(erasing: migration.erasesDroppedData)
            )
            // If closing fails, committed transactions stay in the log, and the connection is closed when the queue is released.
            defer { try? queue.close() }
            let backup = withBackup && migration.backups > 0 ? try makeBackup(queue, stored) : nil
            var outcome = Outcome.done
            do {
                try queue.inTransaction(.immediate) { database in
                    outcome = try control.interrupting(database) {
                        try run(steps, stored, backup, StatementCache(database))
                    }
                    guard case .done = outcome else { return .rollback }
                    return .commit
                }
            } catch {
                removeBackup(backup)
                throw control.isCancelled && Self.isInterruption(error) ? CancellationError() : error
            }
            guard case .done = outcome else {
                removeBackup(backup)
                return outcome
            }
            control.finish()
            if let backup {
                // If an older backup can't be removed, the next migration retries.
                try? ExistingBackups(of: place(), files).removeAll(butLast: migration.backups, made: backup)
            }
            // The log is truncated because it contains a second copy of each rewritten table.
            try? queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            return .done
        } catch let error as DatabaseError where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode) {
            throw Self.busy(error, path)
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
            throw ObjectError(
                .modelMismatch,
                "The migration was rolled back because several objects have the same value of a property that becomes unique "
                    + "(\(error.message ?? "unknown property")). Change the values, or the property's default.",
                path: path,
                underlying: error
            )
        } catch let error as ObjectError {
            throw error.at(path)
        }
    }

    static func busy(_ error: DatabaseError, _ path: String) -> ObjectError {
        ObjectError(
            .busy,
            "The database was not migrated because another program has it open. Close the database in that program and try again.",
            path: path,
            underlying: error
        )
    }

    private static func isInterruption(_ error: any Error) -> Bool {
        error is CancellationError || (error as? DatabaseError)?.resultCode == .SQLITE_INTERRUPT
    }

    /// Runs the migration steps inside the current transaction.
    private func run(
        _ steps: MigrationPath,
        _ stored: StoredSchema,
        _ backup: String?,
        _ statements: StatementCache
    ) throws -> Outcome {
        let found = try StoredSchema.read(statements, path: path)
        guard found.isSame(as: stored) else { return .changed(found) }
        let rows = try control.isReporting ? steps.rows(counts(stored, statements)) : []
        control.begin(from: stored.version, to: model.version, rows: rows.reduce(0, +))
        try stored.upgradeFormat(statements)
        for (index, step) in steps.steps.enumerated() {
            let isLast = index == steps.steps.count - 1
            let losses = try MigrationRun(
                step.inferred,
                model: isLast ? model : nil,
                statements,
                stage: step.stage,
                makeDefault: isLast
                    ? nil : { steps.makeDefault($1, of: $0, addedBy: index, model) },
                control: control
            ).run()
            if backup == nil, migration.backups > 0, losses.contains(where: { $0.count != 0 }) { return .loses }
            try StoredSchema.record(step, losses: losses, backup: backup.map(FilePath.name), statements)
            control.reach(rows.prefix(index + 1).reduce(0, +))
        }
        try SharingSchema.createTriggers(SchemaDescription(model), statements)
        try SaveRecorder(statements: statements, author: author, now: time.now)
            .record(SavedChanges(scope: .migration(from: stored.version, to: model.version)))
        return .done
    }

    private func counts(_ stored: StoredSchema, _ statements: StatementCache) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for entity in try stored.description().entities {
            let sql = "SELECT count(*) FROM \(entity.name.quotedIdentifier)"
            counts[entity.name] = Int(try statements.integers(sql).first ?? 0)
        }
        return counts
    }

    /// Writes a backup of the database before it is migrated.
    ///
    /// The connection keeps its exclusive lock, so that no other program can commit before the migration.
    ///
    /// - Returns: The path of the backup.
    private func makeBackup(_ queue: DatabaseQueue, _ stored: StoredSchema) throws -> String {
        let backup = try ExistingBackups(of: place(), files).path(forVersion: stored.version)
        do {
            try DatabaseBackup(files).write(queue, to: backup) { progress in
                try control.backUp(from: stored.version, to: model.version, progress)
            }
        } catch let damage as DatabaseBackup.Damage {
            throw ObjectError(
                .damaged,
                "The database was not migrated because it is corrupt (\(damage.finding)). Restore a backup.",
                path: path
            )
        } catch let error as FileError {
            throw Self.error(error, backup)
        }
        do { try control.check() } catch {
            removeBackup(backup)
            throw error
        }
        return backup
    }

    /// Removes the backup of a migration that was rolled back.
    private func removeBackup(_ backup: String?) {
        // Errors are ignored, because a leftover backup is harmless.
        if let backup { try? files.removeIfPresent(backup) }
    }
}

extension ObjectError {
    /// Returns a copy of the error with the given path, unless the error already has a path.
    fileprivate func at(_ path: String) -> ObjectError {
        ObjectError(code, message, problems: problems, losses: losses, path: self.path ?? path, underlying: underlying)
    }
}
#endif
