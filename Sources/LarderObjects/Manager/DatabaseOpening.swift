#if Objects
internal import Foundation
internal import GRDB
internal import LarderCore
internal import LarderFiles

/// Opens the database of a model, or creates it.
///
/// Nothing but SQLite opens the file, not even for reading: see ``DatabaseHeader``.
struct DatabaseOpening {
    let model: ResolvedModel
    let path: String
    let onMismatch: ModelMismatchPolicy
    private let files: any FileSystem = LocalFileSystem()

    init(model: ResolvedModel, path: String, onMismatch: ModelMismatchPolicy) {
        self.model = model
        self.path = path
        self.onMismatch = onMismatch
    }

    /// Opens the database.
    func open() throws -> OpenedDatabase {
        do {
            try SQLiteVersion.current.check()
            try files.createDirectory(at: (path as NSString).deletingLastPathComponent)
            try refuseSeveralNames()
            try refuseIfOpenHere()
            let lock = try takeLock()
            let look = FirstLook(path: path)
            var issue: LarderIssue?
            // GRDB frees what its configuration holds some time later, on a queue of Dispatch.
            defer { look.end() }
            let pool = try openAsItIs(look) ?? openMadeToFit(look, &issue)
            let information = try files.information(at: path, followingLinks: true)
            return try OpenedDatabase(
                pool: pool,
                lock: SQLiteVersion.current.needsExclusiveFile ? lock : nil,
                registration: information.map(OpenDatabases.shared.register),
                place: DatabasePlace(of: path),
                issue: issue
            )
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
                "The database can't be opened or created, because the disk is full: free some space and try again.",
                path: path,
                underlying: error
            )
        default:
            ObjectError(
                .inaccessible,
                "The database can't be opened or created here: check the path and its permissions.",
                path: path,
                underlying: error
            )
        }
    }

    /// The database, if it was made for exactly this model, as it mostly was.
    ///
    /// The connection that will be the writer looks for itself, so that SQLite reads the schema only once.
    ///
    /// - Returns: `nil` where there is more to do or to say; nothing was changed then.
    private func openAsItIs(_ look: FirstLook) throws -> DatabasePool? {
        guard try files.information(at: path, followingLinks: true)?.kind == .file else { return nil }
        let fingerprint = try SchemaDescription(model).fingerprint()
        let version = model.version
        var configuration = Self.configuration()
        configuration.prepareDatabase { database in
            try look.take(database) { path in
                let stored = try StoredSchema.read(StatementCache(database), path: path)
                return stored.fingerprint == fingerprint && stored.version == version
            }
        }
        // What went wrong goes wrong again where nothing is changed, and is said there.
        return try? DatabasePool(path: path, configuration: configuration)
    }

    /// The database after a look that changes nothing, and after whatever the model adds; or a new one.
    private func openMadeToFit(_ look: FirstLook, _ issue: inout LarderIssue?) throws -> DatabasePool {
        do {
            if let stored = try inspect() {
                try prepare(stored)
            } else {
                issue = try moveLogAside()
                try create()
            }
        } catch {
            let error = ObjectError.wrapping(error, path: path)
            guard onMismatch == .quarantineAndRecreate, let reason = error as? ObjectError, reason.mayBeQuarantined,
                try files.information(at: path, followingLinks: true)?.kind == .file
            else { throw error }
            look.end()
            issue = try quarantine(reason)
            try create()
        }
        return try DatabasePool(path: path, configuration: Self.configuration())
    }

    static func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.label = "larder.objects"
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { try SQLFunctions.register(on: $0) }
        return configuration
    }

    /// Throws what is at a path if it can't be a database; does not open it.
    ///
    /// What SQLite alone can tell is an error of its first read.
    static func check(_ path: String) throws {
        let files: any FileSystem = LocalFileSystem()
        guard let information = try files.information(at: path, followingLinks: true) else {
            throw ObjectError(.inaccessible, "There is no file at this path: check its spelling.", path: path)
        }
        guard information.kind == .file else {
            throw ObjectError(
                .notADatabase,
                "There is no file at this path but something else: choose another.",
                path: path
            )
        }
        guard information.size > 0 else {
            throw ObjectError(
                .notADatabase,
                "The file is empty, and no database: remove it to have one created in its place.",
                path: path
            )
        }
    }

    /// Throws when a manager of this process has the file open, by this name or another, and SQLite can't have two.
    private func refuseIfOpenHere() throws {
        guard SQLiteVersion.current.needsExclusiveFile else { return }
        if try isOpenHere() { throw Self.openHere(path) }
    }

    /// Throws when the file has a second name (a hard link).
    ///
    /// Each name has a write-ahead log and a lock file of its own, so two processes would overwrite what the other one wrote.
    private func refuseSeveralNames() throws {
        guard let information = try files.information(at: path, followingLinks: true), information.kind == .file,
            information.links > 1
        else { return }
        throw ObjectError(
            .inaccessible,
            "The database file has \(information.links) names (hard links), and each would have a write-ahead log of its own, so that "
                + "saves would be lost: nothing was changed. Keep one name, the one with a file ending in -wal beside it if there is one, "
                + "and remove the others; make copies with backup(to:).",
            path: path
        )
    }

    private func isOpenHere() throws -> Bool {
        try files.information(at: path, followingLinks: true).map(OpenDatabases.shared.contains) ?? false
    }

    private static func openHere(_ path: String) -> ObjectError {
        ObjectError(
            .busy,
            "This process has the database open in another SQLiteStorageManager: use that manager, or close it first.",
            path: path
        )
    }

    /// The path of the file itself, where ``path`` may be a symbolic link; SQLite follows links too.
    private func place() throws -> String { try files.resolvingLinks(in: path) }

    /// Acquires the lock of the file.
    private func takeLock() throws -> HeldLock {
        do {
            return try LockFile(at: place() + "-lock").acquire(.exclusive, within: .milliseconds(100))
        } catch let error as FileError where error.code == .busy {
            if try isOpenHere() { throw Self.openHere(path) }
            throw ObjectError(
                .busy,
                "The database is open in another process, or is being opened: close it there, or try again later.",
                path: path,
                underlying: error
            )
        }
    }

    /// What the database says about its model; `nil` when there is none.
    ///
    /// Opens it for reading only.
    private func inspect() throws -> StoredSchema? {
        guard try files.information(at: path, followingLinks: true) != nil else { return nil }
        try Self.check(path)
        var configuration = Self.configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        // It was only read: closing it can lose nothing, and what does not close here does when the queue goes.
        defer { try? queue.close() }
        return try queue.read { try StoredSchema.read(StatementCache($0), path: path) }
    }

    /// Makes an existing database fit the model, or refuses.
    private func prepare(_ stored: StoredSchema) throws {
        if stored.version > model.version {
            throw ObjectError(
                .storeIsNewer,
                "The file has version \(stored.version) of the model, this program has version \(model.version): nothing was changed, "
                    + "update the program.",
                path: path
            )
        }
        let current = try SchemaDescription(model).fingerprint()
        if stored.fingerprint == current, stored.version == model.version { return }
        let change = SchemaChange(from: try stored.description(), to: model)
        guard change.refusals.isEmpty else {
            throw ObjectError(
                .modelMismatch,
                "The file was made for another model, and the difference is more than what can be added; "
                    + "nothing was changed:",
                problems: change.refusals,
                path: path
            )
        }
        let queue = try DatabaseQueue(path: path, configuration: Self.configuration())
        // What was committed is in the log, and stays; what does not close here does when the queue goes.
        defer { try? queue.close() }
        try queue.inTransaction(.immediate) { database in
            try StoredSchema.apply(change, model, StatementCache(database))
            return .commit
        }
    }

    /// Makes the database beside its place and moves it there when it is whole.
    private func create() throws {
        let place = try place()
        let unfinished = place + "-unfinished"
        for suffix in ["", "-wal", "-shm", "-journal"] { try files.removeIfPresent(unfinished + suffix) }
        do {
            let queue = try DatabaseQueue(path: unfinished, configuration: Self.configuration())
            try queue.writeWithoutTransaction { try StoredSchema.create(model, StatementCache($0)) }
            try queue.close()
        }
        try files.rename(unfinished, to: place)
        try files.synchronizeDirectory(at: FilePath.folder(of: place))
    }

    /// Moves the database and what belongs to it aside, under the first number that is free.
    ///
    /// - Returns: The report of it.
    private func quarantine(_ reason: ObjectError) throws -> LarderIssue {
        if try isOpenHere() { throw Self.openHere(path) }
        // Who has it open would go on writing to the file that was moved.
        guard !DatabaseUse.isInUse(path) else {
            throw ObjectError(
                .busy,
                "The database can't be moved aside, because another program has it open: close it there, and try again.",
                path: path,
                underlying: reason
            )
        }
        if reason.code == .modelMismatch { try emptyLog() }
        let place = try place()
        let aside = try moveAside(place)
        return LarderIssue(
            reason.code == .modelMismatch ? .earlierValues : .damaged,
            "The file \(place) can't be used, and was moved to \(aside); an empty database took its place.",
            underlying: reason
        )
    }

    /// Moves what belongs to a database that is gone aside: SQLite would take its log for that of the database that is made in its place,
    /// and overwrite pages of that with pages of the other.
    ///
    /// - Returns: The report of it, if there was a log.
    private func moveLogAside() throws -> LarderIssue? {
        let place = try place()
        guard
            try ["-wal", "-journal"].contains(where: {
                try (files.information(at: place + $0, followingLinks: false)?.size ?? 0) > 0
            })
        else { return nil }
        let aside = try moveAside(place)
        return LarderIssue(
            .earlierValues,
            "There is no file \(place), but a log of one: the log was moved beside \(aside), and an empty database was created. To get "
                + "earlier values back, put the missing file and its log together."
        )
    }

    /// Moves a database and what belongs to it aside, as far as it is there, under the first number that is free.
    ///
    /// - Returns: The name of the database there.
    private func moveAside(_ place: String) throws -> String {
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

    /// Writes the log of an intact database into its file, so that moving it is one rename.
    private func emptyLog() throws {
        let queue = try DatabaseQueue(path: path, configuration: Self.configuration())
        try queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try queue.close()
    }
}

/// A database that was opened for a manager.
struct OpenedDatabase {
    let pool: DatabasePool
    /// Keeps other processes out, if this SQLite needs it.
    let lock: HeldLock?
    /// Tells other managers of this process that the file is open.
    let registration: OpenDatabases.Registration?
    /// Where its files are.
    let place: DatabasePlace
    /// What was done with the file that was there, if it could not be used.
    let issue: LarderIssue?
}

extension ObjectError {
    /// Whether `quarantineAndRecreate` is for a file that was refused with this error.
    fileprivate var mayBeQuarantined: Bool { [.modelMismatch, .damaged, .notADatabase].contains(code) }
}
#endif
