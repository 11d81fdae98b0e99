#if Objects
internal import Foundation
internal import GRDB
internal import LarderFiles

/// Opens the database of a model, or makes it; a file that is not one, or of another model, is left as it is.
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

    /// The open database, and the lock that keeps other writing processes out if this SQLite needs it.
    func open() throws -> (pool: DatabasePool, lock: HeldLock?) {
        do {
            try SQLiteVersion.current.check()
            try checkPlace()
            let lock = try takeLock()
            let look = FirstLook(path: path)
            let pool = try withExtendedLifetime(look) { try openAsItIs(look) ?? openMadeToFit() }
            return (pool, SQLiteVersion.current.needsExclusiveFile ? lock : nil)
        } catch let error as FileError {
            let code: ObjectError.Code =
                error.code == .busy ? .busy : error.code == .diskFull ? .diskFull : .inaccessible
            throw ObjectError(
                code,
                "The database can't be opened or made here: check the path, its permissions and who else has it open.",
                path: path,
                underlying: error
            )
        } catch {
            throw ObjectError.wrapping(error, path: path)
        }
    }

    /// The database, if it was made for exactly this model, as it mostly was.
    ///
    /// The connection that will be the writer looks for itself, so that SQLite reads the schema only once.
    ///
    /// - Returns: `nil` where there is more to do or to say; nothing was changed then.
    private func openAsItIs(_ look: FirstLook) throws -> DatabasePool? {
        guard try isOwnByItsHeader() else { return nil }
        let fingerprint = try SchemaDescription(model).fingerprint()
        let version = model.version
        var configuration = Self.configuration()
        configuration.prepareDatabase { database in
            try look.take { path in
                let stored = try StoredSchema.read(StatementCache(database), path: path)
                return stored.fingerprint == fingerprint && stored.version == version
            }
        }
        // What went wrong goes wrong again where nothing is changed, and is said there.
        return try? DatabasePool(path: path, configuration: configuration)
    }

    /// Whether the first page says that the file is a database of object storage with a log beside it.
    private func isOwnByItsHeader() throws -> Bool {
        guard try files.information(at: path, followingLinks: true) != nil else { return false }
        let file = try files.open(path, .reading)
        // It was only read: closing it can lose nothing.
        defer { try? file.close() }
        let header = try file.read(at: 0, count: 72)
        let own = withUnsafeBytes(of: UInt32(StoredSchema.applicationID).bigEndian) { Array($0) }
        return header.count == 72 && header[18...19] == [2, 2] && Array(header[68...]) == own
    }

    /// The database after a look that changes nothing, and after whatever the model adds; or a new one.
    private func openMadeToFit() throws -> DatabasePool {
        if let stored = try inspect() {
            try prepare(stored)
        } else {
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

    private func checkPlace() throws {
        try files.createDirectory(at: (path as NSString).deletingLastPathComponent)
        guard try files.information(at: path, followingLinks: true) != nil else { return }
        try Self.check(path)
    }

    /// Whether there is a SQLite database at a path; throws what else there is.
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
        let magic = Array("SQLite format 3\0".utf8)
        let file = try files.open(path, .reading)
        // It was only read: closing it can lose nothing.
        defer { try? file.close() }
        guard try file.read(at: 0, count: magic.count) == magic else {
            throw ObjectError(
                .notADatabase,
                information.size == 0
                    ? "The file is empty, and no database: remove it to have one made in its place."
                    : "The file is no SQLite database: nothing was changed, choose another file.",
                path: path
            )
        }
    }

    private func takeLock() throws -> HeldLock {
        try LockFile(at: path + "-lock").acquire(.exclusive, within: .milliseconds(100))
    }

    /// What the database says about its model; `nil` when there is none.
    ///
    /// Opens it for reading only.
    private func inspect() throws -> StoredSchema? {
        guard try files.information(at: path, followingLinks: true) != nil else { return nil }
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
        if !change.refusals.isEmpty {
            guard onMismatch == .quarantineAndRecreate else {
                throw ObjectError(
                    .modelMismatch,
                    "The file was made for another model, and the difference is more than what can be added; "
                        + "nothing was changed:",
                    problems: change.refusals,
                    path: path
                )
            }
            try quarantine()
            try create()
            return
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
        let unfinished = path + "-unfinished"
        for suffix in ["", "-wal", "-shm", "-journal"] { try files.removeIfPresent(unfinished + suffix) }
        do {
            let queue = try DatabaseQueue(path: unfinished, configuration: Self.configuration())
            try queue.writeWithoutTransaction { try StoredSchema.create(model, StatementCache($0)) }
            try queue.close()
        }
        try files.rename(unfinished, to: path)
        try files.synchronizeDirectory(at: (path as NSString).deletingLastPathComponent)
    }

    /// Moves the database and what belongs to it aside, under the first number that is free.
    private func quarantine() throws {
        var number = 1
        while try files.information(at: "\(path).quarantined-\(number)", followingLinks: false) != nil { number += 1 }
        for suffix in ["-wal", "-shm", ""] {
            guard try files.information(at: path + suffix, followingLinks: false) != nil else { continue }
            try files.rename(path + suffix, to: "\(path).quarantined-\(number)\(suffix)")
        }
    }
}
#endif
