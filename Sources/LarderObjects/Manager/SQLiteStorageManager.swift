#if Objects
public import Foundation
internal import GRDB
public import LarderCore
internal import LarderFiles
internal import Synchronization

/// A manager that stores objects in a SQLite database, comparable to a Core Data stack.
///
/// The view and ``fetchValues(_:_:)`` read through separate connections. Writes run serially on a background queue.
public final class SQLiteStorageManager: StorageManagerType {
    /// The URL of the database file.
    public let url: URL
    /// The channel that reports failures of calls that can't throw an error.
    public let issues: IssueChannel
    /// A counter of the queries that this manager executes, for use in tests.
    public let queries = QueryCounter()

    /// The cached path of ``url``.
    let path: String
    let model: ResolvedModel
    let pool: DatabasePool
    let reuse = StatementReuse()
    let valueReaders: ValueReaders
    let foreignIDs: ForeignIDs
    let trimming: TrimmingSchedule
    /// The triggers in the file, on the connection of `performAndSave`.
    let triggers = FileTriggers()
    let rawConnection: RawConnection
    let writerThread: WriterThread
    let writerQueue = DispatchQueue(label: "larder.objects.writer", qos: .userInitiated)
    /// The queue on which unused objects are deallocated.
    let releaseQueue = DispatchQueue(label: "larder.objects.release", qos: .userInitiated)
    let viewQueue: DispatchQueue
    let valuesQueue = DispatchQueue(label: "larder.objects.values", attributes: .concurrent)
    let sequence = ObjectIDSequence()
    /// The name under which saves are recorded.
    let author: String?
    /// The names by which saves are recorded.
    let saveNames: SaveNames
    /// The columns whose old values can be recorded.
    let historyColumns: HistoryColumns
    /// The source of the times at which saves are recorded.
    let time: any TimeSource
    let health: DatabaseHealth
    /// The differences between the stored schema and the model, or `nil` if the manager was not opened read-only.
    let readOnly: ReadOnlyFile?
    let place: DatabasePlace
    private let writerLock: WriterLock
    let hub = ChangeHub()
    /// What inspections learned of the file.
    let inspectedKnowledge = InspectedKnowledge()
    /// The saves that the view has not merged.
    let inbox: SaveInbox
    private let fileWatch = Mutex<SharedFileWatch?>(nil)
    // This is safe because the view's context admits one thread at a time.
    nonisolated(unsafe) private let view: ViewContext
    private let resources: Mutex<Resources>

    private struct Resources: Sendable {
        var lock: HeldLock?
        var registration: OpenDatabases.Registration?
        var temporaryFolder: String?
        var isClosed = false
    }

    /// Opens the database at a URL, or creates the database if the file does not exist.
    ///
    /// A file that can't be opened is left unchanged, unless the configuration's ``MismatchPolicy`` replaces it.
    ///
    /// - Parameters:
    ///   - model: The model that describes the entities.
    ///   - url: The URL of the database file. A missing folder is created.
    ///   - configuration: The settings to use.
    /// - Throws: ``ObjectError`` if the model is invalid or the file can't be opened. For an invalid model, the error lists every problem,
    ///   and no file is accessed.
    public convenience init(model: ObjectModel, url: URL, configuration: ObjectStorageConfiguration = .init()) throws {
        try self.init(model: model, url: url, configuration: configuration, control: nil)
    }

    convenience init(
        model: ObjectModel,
        url: URL,
        configuration: ObjectStorageConfiguration,
        control: MigrationControl?
    ) throws {
        let model = try model.resolved()
        let opened = try DatabaseOpening(model: model, path: url.path, configuration, control: control).open()
        try self.init(model: model, opened, path: url.path, temporaryFolder: nil, configuration)
    }

    /// Opens the database file `NAME.sqlite` in a folder, or creates the file if it does not exist.
    ///
    /// - Parameters:
    ///   - model: The model that describes the entities.
    ///   - name: The file's name without its extension.
    ///   - directory: The folder. The default, `nil`, selects the user's documents folder.
    ///   - configuration: The settings to use.
    /// - Throws: ``ObjectError`` if the model is invalid or the file can't be opened. For an invalid model, the error lists every problem,
    ///   and no file is accessed.
    public convenience init(
        model: ObjectModel,
        name: String,
        in directory: URL? = nil,
        configuration: ObjectStorageConfiguration = .init()
    ) throws {
        let documents = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).first
        let folder = directory ?? documents ?? URL(fileURLWithPath: NSHomeDirectory())
        try self.init(model: model, url: folder.appendingPathComponent(name + ".sqlite"), configuration: configuration)
    }

    /// Creates a database in a private temporary file, which is deleted when the manager is closed.
    ///
    /// - Parameters:
    ///   - model: The model that describes the entities.
    ///   - configuration: The settings to use.
    /// - Throws: ``ObjectError`` if the model is invalid or the file can't be created. For an invalid model, the error lists every problem.
    public convenience init(inMemory model: ObjectModel, configuration: ObjectStorageConfiguration = .init()) throws {
        let model = try model.resolved()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "larder-objects-\(UUID().uuidString)"
        )
        let path = folder.appendingPathComponent("objects.sqlite").path
        let opened = try DatabaseOpening(model: model, path: path, configuration, isPrivate: true).open()
        try self.init(model: model, opened, path: path, temporaryFolder: folder.path, configuration)
    }

    init(
        model: ResolvedModel,
        _ opened: OpenedDatabase,
        path: String,
        temporaryFolder: String?,
        _ configuration: ObjectStorageConfiguration
    ) throws {
        readOnly = opened.readOnly
        let model = opened.readOnly.map { model.reading($0) } ?? model
        self.model = model
        author = configuration.author
        let names = SaveNames(model)
        saveNames = names
        historyColumns = HistoryColumns(model)
        time = configuration.time
        url = URL(fileURLWithPath: path)
        self.path = url.path
        issues = IssueChannel(label: "larder.objects")
        health = DatabaseHealth(path: path, issues: issues)
        pool = opened.pool
        let inbox = try Self.opening(path) { try SaveInbox(opened, names) }
        self.inbox = inbox
        foreignIDs = ForeignIDs(model, after: inbox.opened.newest)
        trimming = TrimmingSchedule(newest: inbox.opened.newest, trimmed: inbox.opened.trimmed)
        place = opened.place
        writerLock = opened.writer
        writerThread = WriterThread(opened.writer, within: configuration.writingTimeout)
        valueReaders = ValueReaders(path: path, DatabaseOpening.readOnly(opened.readOnly?.statements ?? []))
        rawConnection = RawConnection(model, historyColumns, path: path) { [sequence] in try sequence.nextOfBlock() }
        viewQueue = configuration.viewQueue
        resources = Mutex(
            Resources(lock: opened.lock, registration: opened.registration, temporaryFolder: temporaryFolder)
        )
        view = ViewContext(
            ObjectContext(
                model: model,
                source: CommittedRows(pool, reuse),
                isWritable: false,
                issues: issues,
                path: path,
                queries: queries,
                health: health,
                nextRowID: {
                    throw ObjectError(
                        .expired,
                        "Objects can't be inserted into the view, which is read-only. Insert them in performAndSave."
                    )
                }
            ),
            queue: configuration.viewQueue
        )
        if let issue = opened.issue { issues.report(issue) }
        if readOnly == nil {
            try Self.opening(path) {
                try raiseHistoryPolicy(to: configuration.history, within: configuration.openingTimeout)
            }
        }
        if temporaryFolder == nil { try Self.opening(path) { try watchFile(place.log, opened.files) } }
    }

    /// Runs a part of the opening, and throws its errors as ``ObjectError``.
    private static func opening<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as FileError {
            throw DatabaseOpening.error(error, path)
        } catch {
            throw ObjectError.wrapping(error, path: path)
        }
    }

    /// Begins to follow the saves of other managers, processes and programs.
    private func watchFile(_ log: String, _ files: any FileSystem) throws {
        guard inbox.isFollowing else { return }
        let watch = try SharedFileWatch(
            log: log,
            files: files,
            isWriting: { [place] in WriterLock.isHeld(at: place.file, files) },
            read: { [weak self] in self?.followOthers() }
        )
        fileWatch.withLock { $0 = watch }
        if let error = watch.failure {
            issues.report(
                LarderIssue(
                    .degraded,
                    "Saves of other processes are noticed up to 0.5 s later, because the system can't watch \"\(log)\". "
                        + "Resolve the underlying error, then open the database again.",
                    underlying: error
                )
            )
        }
        // A save may have been written before the watch began, and become visible later.
        watch.noteWrite()
    }

    deinit {
        do { try close() } catch {
            issues.report(
                LarderIssue(
                    .degraded,
                    "The database could not be closed when its manager was released. To handle the error, call close() first.",
                    underlying: error
                )
            )
        }
    }

    /// The read-only view of all saved objects.
    ///
    /// The property returns the same instance for the lifetime of the manager.
    public var viewStorage: any StorageType { view }

    /// The view for use on the main thread.
    ///
    /// The compiler ensures that the view's objects stay on the main thread.
    @MainActor public var viewContext: ViewContext { view }

    var viewObjects: ObjectContext { view.context }

    /// Runs `body` with the view on ``ObjectStorageConfiguration/viewQueue``, so that no merge occurs while `body` runs.
    ///
    /// - Parameter body: A closure that reads from the view.
    /// - Returns: The result of `body`.
    /// - Throws: The error that `body` throws.
    public func withView<T: Sendable>(_ body: @escaping @Sendable (ViewContext) throws -> T) async throws -> T {
        let handler = InheritedIssueHandler()
        return try await withCheckedThrowingContinuation { continuation in
            viewQueue.async {
                self.view.context.exclusively { self.view.context.watchRepetitions() }
                defer { self.view.context.exclusively { self.view.context.ignoreRepetitions() } }
                continuation.resume(with: handler.during { Result { try body(self.view) } })
            }
        }
    }

    /// Whether ``close()`` was called.
    var isClosed: Bool { resources.withLock(\.isClosed) }

    /// Throws ``ObjectError`` if the database is read-only or corrupt, or if one of its files was moved or removed.
    func checkWritable() throws {
        if let readOnly { throw readOnly.error(path: path) }
        // A file that was replaced may look corrupt.
        try place.check()
        try health.checkWritable()
    }

    /// Closes the database.
    ///
    /// After this call, the view can no longer be read, and the file can be opened again.
    ///
    /// Releasing the last reference to the manager also closes the database. A second call has no effect. Calls to ``fetchValues(_:_:)``
    /// and ``verify()`` that are in progress are not interrupted.
    ///
    /// - Throws: ``ObjectError`` if the database could not be closed, or if the file of an in-memory database could not be deleted. A call
    ///   inside `performAndSave` throws ``ObjectError`` and has no effect.
    public func close() throws {
        guard !writerThread.isCurrent else {
            throw ObjectError(
                .busy,
                "close can't be called inside performAndSave. Call it after performAndSave has finished.",
                path: url.path
            )
        }
        let held = resources.withLock { resources -> Resources? in
            guard !resources.isClosed else { return nil }
            defer {
                resources.isClosed = true
                resources.lock = nil
                resources.registration = nil
            }
            return resources
        }
        guard let held else { return }
        fileWatch.withLock(\.self)?.end()
        view.context.end()
        view.context.finishLists()
        hub.finish()
        let isRead = valueReaders.close()
        // The registration is closed before the file, because a new file may reuse the inode of a closed file.
        held.registration?.close()
        // The lock is exclusive only if no other manager has the database open, and is released last.
        let isAlone = readOnly == nil && held.lock?.becomeExclusive() == true
        defer { held.lock?.release() }
        let guardian = health.isDamaged ? FirstLook.guardian(of: url.path) : nil
        let closingRaw = Result { try rawConnection.close() }
        // The checkpoint makes the file complete without the log. If the checkpoint fails, SQLite retries later.
        // A running read still needs the log, and close does not wait for the read. Other managers still need the log, too.
        if isAlone, guardian == nil {
            try? writerThread.writing(pool) { _ = try $0.checkpoint(isRead ? .passive : .truncate) }
        }
        // SQLite removes the log only if the last connection that is closed is writable.
        pool.invalidateReadOnlyConnections()
        let closing = Result {
            try pool.close()
            try closingRaw.get()
        }
        writerLock.close()
        // The connection is read-only, so a failed close loses no data.
        try? guardian?.close()
        if let folder = held.temporaryFolder { try remove(folder) }
        do { try closing.get() } catch { throw ObjectError.wrapping(error, path: url.path) }
    }

    private func remove(_ folder: String) throws {
        do {
            try FileManager.default.removeItem(atPath: folder)
        } catch {
            throw ObjectError(
                .inaccessible,
                "The temporary file of an in-memory database could not be deleted. Delete the folder that contains it.",
                path: folder,
                underlying: error
            )
        }
    }
}
#endif
