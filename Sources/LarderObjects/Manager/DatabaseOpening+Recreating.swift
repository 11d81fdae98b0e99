#if Objects
internal import GRDB
internal import LarderCore
internal import LarderFiles

extension DatabaseOpening {
    /// Replaces an unusable file as ``onMismatch`` says, and keeps the file under another name.
    ///
    /// - Parameter reason: Why the file can't be used.
    /// - Returns: The issue to report.
    /// - Throws: ``ObjectError`` if the file is in use, newer, or another application's. The file is unchanged.
    func recreate(_ reason: ObjectError) throws -> LarderIssue {
        if onMismatch == .salvageAndRecreate, let issue = try salvage(reason) { return issue }
        let issue = try quarantine(reason)
        try create()
        return issue
    }

    /// Replaces a file with a new database that contains everything that can be read and that fits the model.
    ///
    /// - Returns: The issue to report; `nil` if nothing can be read.
    private func salvage(_ reason: ObjectError) throws -> LarderIssue? {
        try refuseIfInUse(reason)
        let place = try place()
        let unfinished = place + "-unfinished"
        let isMismatch = reason.code == .modelMismatch
        // The renamed file should not need its log.
        if isMismatch { try emptyLog() }
        let report: SalvageReport
        do {
            report =
                try (isMismatch ? nil : migrated(place, unfinished))
                ?? SalvageFiles(at: place).salvage(to: unfinished, model: try model.frozen(), target: model)
        } catch let error as ObjectError where error.mayBeRecreated {
            return nil
        }
        // The new file is complete before the old one loses its name.
        let aside = try moveAside(place)
        try files.rename(unfinished, to: place)
        try files.synchronizeDirectory(at: FilePath.folder(of: place))
        return LarderIssue(
            isMismatch ? .earlierValues : .damaged,
            "The database \"\(place)\" \(isMismatch ? "does not fit the model" : "is damaged") and was moved to \"\(aside)\". A new database "
                + "replaces it, with what could be \(isMismatch ? "converted" : "read"): \(report.summary). Look for missing data in its "
                + "table larder_in_doubt, or recover it from \"\(aside)\".",
            underlying: reason
        )
    }

    /// Salvages a damaged file and migrates the result.
    ///
    /// - Returns: What was found; `nil` if the result can't be migrated to the model.
    private func migrated(_ place: String, _ unfinished: String) throws -> SalvageReport? {
        let report = try SalvageFiles(at: place).salvage(to: unfinished, model: try model.frozen())
        var configuration = ObjectStorageConfiguration()
        // The damaged file itself is kept under another name.
        configuration.migration.backups = 0
        let opening = DatabaseOpening(model: model, path: unfinished, configuration)
        do {
            if let stored = try opening.inspect() { try opening.prepare(stored, FirstLook(path: unfinished)) }
            return report
        } catch let error as ObjectError where error.code == .modelMismatch {
            return nil
        }
    }
}

extension ObjectError {
    /// Whether ``MismatchPolicy`` applies to a file that was refused with this error.
    ///
    /// It never applies to a file that is newer, busy, inaccessible or another application's, or while the disk is full.
    var mayBeRecreated: Bool { [.modelMismatch, .damaged, .notADatabase].contains(code) }
}

extension OpeningCheck {
    /// Runs the check on a connection.
    ///
    /// - Returns: What SQLite found; `nil` if the file is intact or nothing is to be checked.
    func finding(_ statements: StatementCache) throws -> String? {
        let name: String
        switch self {
        case .schema: return nil
        case .quick: name = "quick_check"
        case .full: name = "integrity_check"
        }
        guard case .text(let line)? = try statements.rows("PRAGMA \(name)(1)", [], { $0.value(at: 0) }).first else {
            return "no answer"
        }
        return line == "ok" ? nil : line
    }
}
#endif
