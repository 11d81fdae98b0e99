#if Objects
internal import Foundation
internal import GRDB
internal import LarderCore
internal import LarderFiles

/// The procedure that opens or creates the database for a model.
struct DatabaseOpening {
    let model: ResolvedModel
    let path: String
    let onMismatch: MismatchPolicy
    let check: OpeningCheck
    /// The maximum time to wait while other managers migrate the database, or, to migrate it, while they have it open.
    let timeout: Duration
    let migration: MigrationOptions
    /// The name under which a migration is recorded.
    let author: String?
    /// The source of the time at which a migration is recorded.
    let time: any TimeSource
    let control: MigrationControl
    let files: any FileSystem

    /// Whether no other manager can have the database open, because the file is temporary.
    let isPrivate: Bool

    init(
        model: ResolvedModel,
        path: String,
        _ configuration: ObjectStorageConfiguration,
        control: MigrationControl? = nil,
        isPrivate: Bool = false,
        files: any FileSystem = LocalFileSystem()
    ) {
        self.model = model
        self.path = path
        onMismatch = configuration.onMismatch
        check = configuration.check
        timeout = configuration.openingTimeout
        migration = configuration.migration
        self.isPrivate = isPrivate
        author = configuration.author
        time = configuration.time
        self.files = files
        self.control = control ?? MigrationControl(configuration.migration.onProgress)
    }

    /// Opens the database, or creates it if the file does not exist.
    func open() throws -> OpenedDatabase {
        do {
            try SQLiteVersion.current.check()
            try files.createDirectory(at: (path as NSString).deletingLastPathComponent)
            try refuseSeveralNames()
            return try openInTurns()
        } catch let error as FileError {
            throw Self.error(error, path)
        } catch {
            throw ObjectError.wrapping(error, path: path)
        }
    }

    static func error(_ error: FileError, _ path: String) -> ObjectError {
        switch error.code {
        case .diskFull:
            ObjectError(
                .diskFull,
                "The database can't be opened or created because the disk is full. Free some space and try again.",
                path: path,
                underlying: error
            )
        default:
            ObjectError(
                .inaccessible,
                "The database can't be opened or created. Check its path and permissions.",
                path: path,
                underlying: error
            )
        }
    }

    static func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.label = "larder.objects"
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { try SQLFunctions.register(on: $0) }
        return configuration
    }

    /// Throws an error unless the path refers to a regular, nonempty file.
    ///
    /// The file is not opened.
    static func check(_ path: String) throws {
        let files: any FileSystem = LocalFileSystem()
        guard let information = try files.information(at: path, followingLinks: true) else {
            throw ObjectError(.inaccessible, "The database file does not exist. Check the path.", path: path)
        }
        guard information.kind == .file else {
            throw ObjectError(
                .notADatabase,
                "The path of the database refers to a folder or special file. Choose another path.",
                path: path
            )
        }
        guard information.size > 0 else {
            throw ObjectError(
                .notADatabase,
                "The database file is empty. Delete the file to create a new database.",
                path: path
            )
        }
    }

    /// Throws an error if the file has several hard links.
    ///
    /// Each link has its own write-ahead log, so processes that use different links would overwrite each other's commits.
    func refuseSeveralNames() throws {
        guard let information = try files.information(at: path, followingLinks: true), information.kind == .file,
            information.links > 1
        else { return }
        throw ObjectError(
            .inaccessible,
            "The database file has \(information.links) hard links, which would each have a separate write-ahead log and lose commits. "
                + "Keep the link that has a \"-wal\" file, if any, and remove the others; to copy a database, use backup(to:).",
            path: path
        )
    }

    func isOpenHere() throws -> Bool {
        try files.information(at: path, followingLinks: true).map(OpenDatabases.shared.contains) ?? false
    }

    static func openHere(_ path: String) -> ObjectError {
        ObjectError(
            .busy,
            "This process has the database open in another SQLiteStorageManager. Use that manager, or close it first.",
            path: path
        )
    }

    /// Returns ``path`` with symbolic links resolved the way SQLite resolves them.
    func place() throws -> String { try files.resolvingLinks(in: path) }

    /// Returns the lock that coordinates the managers that open the database.
    func openingLock() throws -> OpeningLock {
        try OpeningLock(place: place(), path: path, timeout: timeout, files: files, isOpenHere: isOpenHere)
    }

    /// Reads the stored schema on a read-only connection, or returns `nil` if the file does not exist.
    func inspect() throws -> StoredSchema? {
        guard try files.information(at: path, followingLinks: true) != nil else { return nil }
        try Self.check(path)
        var configuration = Self.configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        // The connection is read-only. If closing it fails, no data is lost, and it is closed when the queue is released.
        defer { try? queue.close() }
        return try queue.read { database in
            let statements = StatementCache(database)
            let stored = try StoredSchema.read(statements, path: path)
            guard let finding = try check.finding(statements) else { return stored }
            throw ObjectError(
                .damaged,
                "The database is corrupt (\(ErrorCause.bounded(finding))), so nothing was changed. Restore a backup, or salvage the "
                    + "database.",
                path: path
            )
        }
    }

    /// Creates the database under a temporary name, then renames the complete file.
    func create() throws {
        let place = try place()
        let unfinished = place + "-unfinished"
        for suffix in ["", "-wal", "-shm", "-journal"] { try files.removeIfPresent(unfinished + suffix) }
        do {
            // The model is frozen before the connection opens, because freezing calls the program's code for defaults.
            let frozen = try model.frozen()
            let queue = try DatabaseQueue(path: unfinished, configuration: Self.configuration())
            try queue.writeWithoutTransaction { database in
                try StoredSchema.create(frozen, StatementCache(database))
                try database.execute(sql: "PRAGMA journal_mode = WAL")
            }
            try queue.close()
        }
        try files.rename(unfinished, to: place)
        try files.synchronizeDirectory(at: FilePath.folder(of: place))
    }

    /// Renames an unusable database and its companion files with ``moveAside(_:)``.
    ///
    /// - Returns: The issue to report.
    func quarantine(_ reason: ObjectError) throws -> LarderIssue {
        try refuseIfInUse(reason)
        if reason.code == .modelMismatch { try emptyLog() }
        let place = try place()
        let aside = try moveAside(place)
        return LarderIssue(
            reason.code == .modelMismatch ? .earlierValues : .damaged,
            "The database \"\(place)\" can't be used, so it was renamed to \"\(aside)\" and replaced with an empty database. "
                + "Recover the data from the renamed file.",
            underlying: reason
        )
    }

    /// Throws an error if another connection has the database open.
    func refuseIfInUse(_ reason: ObjectError) throws {
        if try isOpenHere() { throw Self.openHere(path) }
        guard !DatabaseUse.isInUse(path) else {
            throw ObjectError(
                .busy,
                "The database can't be renamed because another program has it open. Close it in that program and try again.",
                path: path,
                underlying: reason
            )
        }
    }

    /// Renames the leftover write-ahead log or rollback journal of a missing database.
    ///
    /// SQLite would otherwise apply the leftover file to the new database and corrupt it.
    ///
    /// - Returns: The issue to report, or `nil` if there is no leftover file.
    func moveLogAside() throws -> LarderIssue? {
        let place = try place()
        guard
            try ["-wal", "-journal"].contains(where: {
                try (files.information(at: place + $0, followingLinks: false)?.size ?? 0) > 0
            })
        else { return nil }
        let aside = try moveAside(place)
        return LarderIssue(
            .earlierValues,
            "The database \"\(place)\" is missing, so an empty database was created and the leftover log was renamed to match "
                + "\"\(aside)\". Move the missing file to \"\(aside)\" and open it there to recover the data."
        )
    }

    /// Renames a database and its companion files to `NAME.quarantined-N`, where N is the first unused number.
    ///
    /// - Returns: The database's new path.
    func moveAside(_ place: String) throws -> String {
        let suffixes = ["-wal", "-shm", "-journal", ""]
        var number = 1
        while try suffixes.contains(where: {
            try files.information(at: "\(place).quarantined-\(number)\($0)", followingLinks: false) != nil
        }) { number += 1 }
        let aside = "\(place).quarantined-\(number)"
        for suffix in suffixes {
            guard try files.information(at: place + suffix, followingLinks: false) != nil else { continue }
            try files.rename(place + suffix, to: aside + suffix)
        }
        return aside
    }

    /// Checkpoints and truncates the write-ahead log, so that renaming the database file moves all data.
    func emptyLog() throws {
        let queue = try DatabaseQueue(path: path, configuration: Self.configuration())
        try queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try queue.close()
    }
}

/// An open database with its file lock and its entry in ``OpenDatabases``.
struct OpenedDatabase {
    let pool: DatabasePool
    /// The shared lock that keeps other managers from migrating or replacing the database.
    let lock: HeldLock
    /// The lock for writers.
    let writer: WriterLock
    /// The database's entry in ``OpenDatabases``, or `nil` if the file does not exist.
    let registration: OpenDatabases.Registration?
    /// The device and inode numbers of the database's files, used to detect removed or replaced files.
    let place: DatabasePlace
    /// The file system that contains the database.
    let files: any FileSystem
    /// The issue to report, or `nil` if no file was renamed.
    let issue: LarderIssue?
    /// The differences between the stored schema and the model, or `nil` if the database was not opened read-only.
    var readOnly: ReadOnlyFile?
}
#endif
