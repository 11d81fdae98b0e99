#if Objects
public import Foundation
internal import GRDB
public import LarderCore
internal import LarderFiles
internal import Synchronization

/// Object storage in a SQLite database: what `CoreDataManager` with its persistent container is to Core Data.
///
/// It reads for the view on connections of its own, and writes on one background queue, one work after another.
public final class SQLiteStorageManager: StorageManagerType {
    /// The database file.
    public let url: URL
    /// What went wrong in calls that could not throw.
    public let issues: IssueChannel
    /// Counts the queries of this manager, for tests.
    public let queries = QueryCounter()

    let model: ResolvedModel
    let pool: DatabasePool
    let reuse = StatementReuse()
    let valueReaders: ValueReaders
    let writerThread = WriterThread()
    let writerQueue = DispatchQueue(label: "larder.objects.writer", qos: .userInitiated)
    /// Where objects are let go that nobody needs any more.
    let releaseQueue = DispatchQueue(label: "larder.objects.release", qos: .userInitiated)
    let viewQueue: DispatchQueue
    let valuesQueue = DispatchQueue(label: "larder.objects.values", attributes: .concurrent)
    let sequence = ObjectIDSequence()
    let health: DatabaseHealth
    private let place: DatabasePlace
    let hub = ChangeHub()
    // The context behind it lets one thread in at a time.
    nonisolated(unsafe) private let view: ViewContext
    private let resources: Mutex<Resources>

    private struct Resources: Sendable {
        var lock: HeldLock?
        var registration: OpenDatabases.Registration?
        var temporaryFolder: String?
        var isClosed = false
    }

    /// Opens the database at a place, or makes it.
    ///
    /// A file that can't be used, whatever the reason, is left as it is.
    ///
    /// - Parameters:
    ///   - model: The entities.
    ///   - url: The file; its folder is made if need be.
    ///   - configuration: How to work.
    /// - Throws: ``ObjectError`` that lists every fault of the model, before any file is touched, or says why the file can't
    ///   be opened.
    public convenience init(model: ObjectModel, url: URL, configuration: ObjectStorageConfiguration = .init()) throws {
        try self.init(model: model.resolved(), path: url.path, temporaryFolder: nil, configuration)
    }

    /// Opens the database of a name, which is the file `NAME.sqlite`, or makes it.
    ///
    /// - Parameters:
    ///   - model: The entities.
    ///   - name: The name.
    ///   - directory: The folder; the documents folder of the user by default.
    ///   - configuration: How to work.
    /// - Throws: ``ObjectError`` that lists every fault of the model, before any file is touched, or says why the file can't
    ///   be opened.
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

    /// A database that is gone when it is closed: a private file in the folder for temporary files.
    ///
    /// - Parameters:
    ///   - model: The entities.
    ///   - configuration: How to work.
    /// - Throws: ``ObjectError`` that lists every fault of the model, or says why the file can't be made.
    public convenience init(inMemory model: ObjectModel, configuration: ObjectStorageConfiguration = .init()) throws {
        let model = try model.resolved()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "larder-objects-\(UUID().uuidString)"
        )
        try self.init(
            model: model,
            path: folder.appendingPathComponent("objects.sqlite").path,
            temporaryFolder: folder.path,
            configuration
        )
    }

    private init(
        model: ResolvedModel,
        path: String,
        temporaryFolder: String?,
        _ configuration: ObjectStorageConfiguration
    ) throws {
        let opened = try DatabaseOpening(model: model, path: path, onMismatch: configuration.onMismatch).open()
        self.model = model
        url = URL(fileURLWithPath: path)
        issues = IssueChannel(label: "larder.objects")
        health = DatabaseHealth(path: path, issues: issues)
        pool = opened.pool
        place = opened.place
        valueReaders = ValueReaders(path: path)
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
                    throw ObjectError(.expired, "The view is for reading: insert objects inside performAndSave.")
                }
            ),
            queue: configuration.viewQueue
        )
        if let issue = opened.issue { issues.report(issue) }
    }

    deinit {
        do { try close() } catch {
            issues.report(
                LarderIssue(
                    .degraded,
                    "The database was let go and could not be closed in order: call close() to be told in code.",
                    underlying: error
                )
            )
        }
    }

    /// The view, always the same one.
    public var viewStorage: any StorageType { view }

    /// The view, for the main thread: the compiler keeps its objects there.
    @MainActor public var viewContext: ViewContext { view }

    var viewObjects: ObjectContext { view.context }

    /// Runs `body` with the view, where it merges, so that nothing changes meanwhile.
    ///
    /// - Parameter body: What to do with the view. It runs on another thread.
    /// - Returns: What `body` returned.
    /// - Throws: What `body` threw.
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

    /// Throws ``ObjectError`` if nothing may be written: SQLite found damage, or a file is no longer in its place.
    func checkWritable() throws {
        try health.checkWritable()
        try place.check()
    }

    /// Ends the manager: the view reads nothing more, and the file can be opened by others.
    ///
    /// A second call does nothing.
    ///
    /// Without it the same happens when the last reference to the manager goes. ``fetchValues(_:_:)`` and ``verify()`` that have begun
    /// go on to their end.
    ///
    /// - Throws: ``ObjectError`` when the database could not be closed, or one in memory left its file behind; or when called inside
    ///   `performAndSave`, which changes nothing.
    public func close() throws {
        guard !writerThread.isCurrent else {
            throw ObjectError(.busy, "close was called inside performAndSave: call it outside.", path: url.path)
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
        view.context.end()
        hub.finish()
        let isRead = valueReaders.close()
        // Before the file is closed: a new file may then have its inode.
        held.registration?.close()
        defer { held.lock?.release() }
        let guardian = health.isDamaged ? FirstLook.guardian(of: url.path) : nil
        // What is left in the log goes into the file, so that the file is whole by itself; SQLite does it later if it can't now.
        // A read that goes on needs the log, and is not waited for.
        if guardian == nil {
            try? pool.writeWithoutTransaction { _ = try $0.checkpoint(isRead ? .passive : .truncate) }
        }
        let closing = Result { try pool.close() }
        // It was only read: closing it can lose nothing.
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
                "The file of a database in memory could not be deleted: delete its folder.",
                path: folder,
                underlying: error
            )
        }
    }
}
#endif
