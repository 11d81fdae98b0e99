import LarderCore
import LarderFiles
import Synchronization

/// The registry of the engines that are open in this process.
///
/// Each file has one engine. Failed engines stay registered while they are in use.
enum DeviceEngines {
    private struct Identity: Hashable {
        var device: UInt64
        var inode: UInt64
        /// The fork generation of the process that opened the engine.
        ///
        /// A forked child has another generation, so it ignores its parent's engines.
        var forks = CurrentProcess.forkGeneration

        init(_ control: FileInformation) { (device, inode) = (control.device, control.inode) }
    }

    private final class Shared {
        let engine: DeviceEngine
        var users = 1
        let maintenance: BackgroundThreads.Repetition?
        let identity: Identity

        init(_ engine: DeviceEngine, _ identity: Identity, _ maintenance: BackgroundThreads.Repetition?) {
            self.engine = engine
            self.identity = identity
            self.maintenance = maintenance
        }
    }

    /// A lock that serializes calls that open the store at a given path.
    private final class PathLock: Sendable {
        let mutex = Mutex(())
    }

    private struct Path: Hashable {
        let path: String
        /// The fork generation of the process that opens the store.
        ///
        /// A forked child has another generation, so it ignores its parent's locks.
        let forks = CurrentProcess.forkGeneration
    }

    private struct Table {
        var engines: [ObjectIdentifier: Shared] = [:]
        /// The lock for each path that is being opened, with the number of threads that hold the lock or wait for it.
        var openings: [Path: (lock: PathLock, threads: Int)] = [:]
    }

    /// The registry of engines, protected by a lock.
    ///
    /// The lock is not held during file operations, so that a slow store doesn't block the opening of other stores.
    private static let table = Mutex(Table())

    /// Returns the engine for the file at `path`, opening it if necessary.
    static func engine(for path: String, _ options: DeviceStoreOptions) throws -> DeviceEngine {
        guard options.environment.isShared, !options.isReadOnly else { return try Opening.open(path, options) }
        let key = Path(path: path)
        let lock = table.withLock { table in
            let lock = table.openings[key]?.lock ?? PathLock()
            table.openings[key, default: (lock, 0)].threads += 1
            return lock
        }
        defer {
            table.withLock { table in
                table.openings[key]?.threads -= 1
                if table.openings[key]?.threads == 0 { table.openings[key] = nil }
            }
        }
        // Issues that are reported during opening are delivered after the locks are released.
        return try IssueChannel.holdingBack {
            try lock.mutex.withLock { _ in
                if let engine = try openEngine(for: path, options) { return engine }
                return try newEngine(for: path, options)
            }
        }
    }

    /// Returns the open engine for the file at `path` and increments its user count, or returns `nil` if there is none.
    private static func openEngine(for path: String, _ options: DeviceStoreOptions) throws -> DeviceEngine? {
        let identity = identity(of: path, options)
        let engines = table.withLock { table in
            table.engines.values.filter { $0.identity == identity || $0.engine.path == path }
                .map { (engine: $0.engine, isOfThisFile: $0.identity == identity) }
        }
        // Every engine is checked, because an engine that has failed or uses another control file may have to release the file first.
        let fit = engines.filter { $0.engine.enter { Names.areUsable(&$0) } && $0.isOfThisFile }.map(\.engine)
        return table.withLock { table in
            // The last user of the engine may have released it in the meantime.
            let shared = fit.first { table.engines[ObjectIdentifier($0)] != nil }
            if let shared { table.engines[ObjectIdentifier(shared)]?.users += 1 }
            return shared
        }
    }

    private static func newEngine(for path: String, _ options: DeviceStoreOptions) throws -> DeviceEngine {
        let engine = try Opening.open(path, options)
        guard let file = engine.identity else { return engine }
        let identity = Identity(file)
        let maintenance: BackgroundThreads.Repetition?
        do {
            let tick = options.environment.isAutomatic ? options.environment.tick : nil
            // The closure retains the engine, because an object that ever had a weak reference has slower reference counting, which would
            // slow down every read.
            maintenance = try tick.map {
                try BackgroundThreads.shared.repeat(every: $0) { engine.enter { Maintenance.run(&$0) } }
            }
        } catch {
            // Without maintenance, commits would not be synced in time, so opening fails. Any error from closing is ignored in favor of
            // this error.
            try? engine.enter { try Life.close(&$0) }
            throw StoreError.device(error, path)
        }
        table.withLock { $0.engines[ObjectIdentifier(engine)] = Shared(engine, identity, maintenance) }
        return engine
    }

    /// Decrements the user count of `engine`, and closes the engine if the count reaches zero.
    static func release(_ engine: DeviceEngine) throws {
        let (isLast, maintenance) = table.withLock { table -> (Bool, BackgroundThreads.Repetition?) in
            guard let shared = table.engines[ObjectIdentifier(engine)] else { return (true, nil) }
            shared.users -= 1
            guard shared.users == 0 else { return (false, nil) }
            table.engines[ObjectIdentifier(engine)] = nil
            return (true, shared.maintenance)
        }
        // Ends maintenance outside the lock, because a run may be in progress.
        maintenance?.end()
        if isLast { try engine.enter { try Life.close(&$0) } }
    }

    /// Returns the device and inode of the control file, or `nil` if they can't be determined.
    ///
    /// Compactions do not change the control file's inode.
    private static func identity(of path: String, _ options: DeviceStoreOptions) -> Identity? {
        // If the file can't be inspected, opening the store fails too and reports the cause.
        let file = try? options.environment.fileSystem.information(
            at: path + LogFormat.controlSuffix,
            followingLinks: false
        )
        return file.map { Identity($0) }
    }
}
