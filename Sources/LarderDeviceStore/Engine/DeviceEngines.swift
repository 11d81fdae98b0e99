import LarderCore
import LarderFiles
import Synchronization

/// The engines that are open in this process, one for each file, besides those that have failed and are still open.
enum DeviceEngines {
    private struct Identity: Hashable {
        var device: UInt64
        var inode: UInt64
        /// A child process starts with none.
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

    /// Held while the store at a path is opened, so that two instances can't each make an engine.
    private final class PathLock: Sendable {
        let mutex = Mutex(())
    }

    private struct Path: Hashable {
        let path: String
        /// What was being opened when this process was forked is opened by nobody in the child.
        let forks = CurrentProcess.forkGeneration
    }

    private struct Table {
        var engines: [ObjectIdentifier: Shared] = [:]
        /// With how many threads are at it.
        var openings: [Path: (lock: PathLock, threads: Int)] = [:]
    }

    /// Held for a moment only: what takes long for one store must not hold up the others.
    private static let table = Mutex(Table())

    /// The engine for the file at `path`, opened if it is not yet.
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
        // Opening may have much to report.
        return try IssueChannel.holdingBack {
            try lock.mutex.withLock { _ in
                if let engine = try openEngine(for: path, options) { return engine }
                return try newEngine(for: path, options)
            }
        }
    }

    /// An engine that is open, with one user more.
    private static func openEngine(for path: String, _ options: DeviceStoreOptions) throws -> DeviceEngine? {
        let identity = identity(of: path, options)
        let engines = table.withLock { table in
            table.engines.values.filter { $0.identity == identity || $0.engine.path == path }
                .map { (engine: $0.engine, isOfThisFile: $0.identity == identity) }
        }
        // All of them are asked: one that has failed, or whose control file is another one, may have to let go of the file first.
        let fit = engines.filter { $0.engine.enter { Names.areFit(&$0) } && $0.isOfThisFile }.map(\.engine)
        return table.withLock { table in
            // Unless the last one who used it has let go of it meanwhile.
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
            // It holds the engine, and not weakly: an object that ever had a weak reference pays for it with every strong one, and so
            // with every read.
            maintenance = try tick.map {
                try BackgroundThreads.shared.repeat(every: $0) { engine.enter { Maintenance.run(&$0) } }
            }
        } catch {
            // Without it nothing would be synced in time. That it can't be opened is what the caller is told.
            try? engine.enter { try Life.close(&$0) }
            throw StoreError.device(error, path)
        }
        table.withLock { $0.engines[ObjectIdentifier(engine)] = Shared(engine, identity, maintenance) }
        return engine
    }

    /// Lets go of an engine; the last one who does closes it.
    static func release(_ engine: DeviceEngine) throws {
        let (isLast, maintenance) = table.withLock { table -> (Bool, BackgroundThreads.Repetition?) in
            guard let shared = table.engines[ObjectIdentifier(engine)] else { return (true, nil) }
            shared.users -= 1
            guard shared.users == 0 else { return (false, nil) }
            table.engines[ObjectIdentifier(engine)] = nil
            return (true, shared.maintenance)
        }
        // It may be under way once more at this moment.
        maintenance?.end()
        if isLast { try engine.enter { try Life.close(&$0) } }
    }

    /// Which file it is: told by the control file, which stays the same when the log is compacted.
    private static func identity(of path: String, _ options: DeviceStoreOptions) -> Identity? {
        // What can't be looked at can't be opened either, and opening it says why.
        let file = try? options.environment.fileSystem.information(
            at: path + LogFormat.controlSuffix,
            followingLinks: false
        )
        return file.map { Identity($0) }
    }
}
