#if Objects
internal import LarderCore
internal import LarderFiles

extension InspectedSource {
    /// Returns facts about the file.
    ///
    /// - Parameters:
    ///   - health: A description of the health of the file.
    ///   - file: The path of the file that programs use, which may differ from the one that is read.
    /// - Returns: The facts.
    /// - Throws: ``ObjectError`` if the database can't be read.
    func facts(health: String, file: String) throws -> [InspectionFact] {
        // Asking the system takes long, so it comes before the snapshot.
        let (sizes, processes) = (FileSizes(of: file), OpenProcesses.description(of: file))
        return try querying { statements, stored, schema in
            func number(_ pragma: String) throws -> Int64 { try statements.integers("PRAGMA \(pragma)").first ?? 0 }
            var facts = [
                InspectionFact("file", file), InspectionFact("file bytes", String(sizes.database)),
                InspectionFact("log bytes", String(sizes.log)),
                InspectionFact("page bytes", String(try number("page_size"))),
                InspectionFact("pages", String(try number("page_count"))),
                InspectionFact("free pages", String(try number("freelist_count"))),
                InspectionFact("SQLite", SQLiteVersion.current.description),
                InspectionFact("format", String(stored.format)),
                InspectionFact("model version", String(stored.version)),
                InspectionFact("fingerprint", stored.fingerprint),
                InspectionFact("entities", String(schema.entities.count)), InspectionFact("health", health),
                InspectionFact("open in processes", processes),
                InspectionFact("history", try history(statements)),
            ]
            if SQLiteVersion.current.hasLogResetRace {
                facts.append(InspectionFact("limitation", ObjectDatabase.engine))
            }
            return facts
        }
    }

    private func history(_ statements: StatementCache) throws -> String {
        guard try SharingSchema.exists(statements) else {
            return "none, because an earlier version of Larder wrote the file"
        }
        let policy = try StoredHistoryPolicy.read(statements)
        let count = try statements.interrupted(after: inspectionLimits.counting) {
            try statements.integers("SELECT count(*) FROM larder_save WHERE last <> 0").first ?? 0
        }
        let saves = count.map { counted(Int($0), "save") } ?? "many saves"
        guard policy.isKept else { return "\(saves), of which only the last are kept for merging" }
        return "\(saves) kept" + (policy.hasOldValues ? " with old values" : "")
    }
}

/// The sizes of the files of a database.
struct FileSizes {
    let database: Int
    let log: Int

    /// Reads the sizes, which are 0 for a file that does not exist.
    init(of path: String) {
        let files: any FileSystem = LocalFileSystem()
        func size(_ path: String) -> Int {
            ((try? files.information(at: path, followingLinks: true)) ?? nil)?.size ?? 0
        }
        let place = (try? files.resolvingLinks(in: path)) ?? path
        (database, log) = (size(place), size(place + "-wal"))
    }
}
#endif
