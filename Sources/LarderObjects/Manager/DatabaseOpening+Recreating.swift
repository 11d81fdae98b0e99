#if Objects
internal import GRDB
internal import LarderCore
internal import LarderFiles

extension DatabaseOpening {
    /// Renames an unusable file and creates a new database, according to ``onMismatch``.
    ///
    /// - Parameter reason: The error that describes why the file can't be used.
    /// - Returns: The issue to report.
    /// - Throws: ``ObjectError`` if the file is in use, was written by a newer version, or belongs to another application. The file is then
    ///   unchanged.
    func recreate(_ reason: ObjectError) throws -> LarderIssue {
        if onMismatch == .salvageAndRecreate, let issue = try salvage(reason) { return issue }
        let issue = try quarantine(reason)
        try create()
        return issue
    }

    /// Replaces an unusable file with a new database that contains the recoverable data.
    ///
    /// - Returns: The issue to report, or `nil` if no data can be read.
    private func salvage(_ reason: ObjectError) throws -> LarderIssue? {
        try refuseIfInUse(reason)
        let place = try place()
        let unfinished = place + "-unfinished"
        let isMismatch = reason.code == .modelMismatch
        // The file must be complete without its log when it is renamed.
        if isMismatch { try emptyLog() }
        let report: SalvageReport
        do {
            report =
                try (isMismatch ? nil : migrated(place, unfinished))
                ?? SalvageFiles(at: place).salvage(to: unfinished, model: try model.frozen(), target: model)
        } catch let error as ObjectError where error.mayBeRecreated {
            return nil
        }
        // The new file is complete before the old file is renamed.
        let aside = try moveAside(place)
        try files.rename(unfinished, to: place)
        try files.synchronizeDirectory(at: FilePath.folder(of: place))
        return LarderIssue(
            isMismatch ? .earlierValues : .damaged,
            "The database \"\(place)\" \(isMismatch ? "does not match the model" : "is corrupt") and was replaced with a new database that "
                + "contains the \(isMismatch ? "converted" : "readable") data (\(report.summary)). Look for missing data in the new table "
                + "larder_in_doubt, or recover it from the old file, \"\(aside)\".",
            underlying: reason
        )
    }

    /// Salvages a corrupt database and migrates the result.
    ///
    /// - Returns: The report, or `nil` if the salvaged database can't be migrated to the model.
    private func migrated(_ place: String, _ unfinished: String) throws -> SalvageReport? {
        let report = try SalvageFiles(at: place).salvage(to: unfinished, model: try model.frozen())
        var configuration = ObjectStorageConfiguration()
        // No backup is necessary, because the corrupt file is kept under another name.
        configuration.migration.backups = 0
        let opening = DatabaseOpening(model: model, path: unfinished, configuration)
        do {
            if let stored = try opening.inspect() { try opening.prepare(stored) }
            return report
        } catch let error as ObjectError where error.code == .modelMismatch {
            return nil
        }
    }
}

extension ObjectError {
    /// Whether ``MismatchPolicy`` applies to files that can't be opened because of this error.
    var mayBeRecreated: Bool { [.modelMismatch, .damaged, .notADatabase].contains(code) }
}

extension OpeningCheck {
    /// Runs the corruption check on a connection.
    ///
    /// - Returns: SQLite's description of the first error, or `nil` if none is found. The check ``schema`` always returns `nil`.
    func finding(_ statements: StatementCache) throws -> String? {
        let name: String
        switch self {
        case .schema: return nil
        case .quick: name = "quick_check"
        case .full: name = "integrity_check"
        }
        guard case .text(let line)? = try statements.rows("PRAGMA \(name)(1)", [], { $0.value(at: 0) }).first else {
            return "no result"
        }
        return line == "ok" ? nil : line
    }
}
#endif
