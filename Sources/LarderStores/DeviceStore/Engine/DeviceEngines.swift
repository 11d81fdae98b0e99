import Dispatch
import LarderCore
import LarderFiles
import Synchronization

/// The engines that are open in this process, one for each file.
enum DeviceEngines {
    private struct Identity: Hashable {
        var device: UInt64
        var inode: UInt64
        /// A child process starts with none.
        var forks: UInt64
    }

    private final class Shared {
        let engine: DeviceEngine
        var users = 1
        let timer: (any DispatchSourceTimer)?
        let identity: Identity

        init(_ engine: DeviceEngine, _ identity: Identity, _ timer: (any DispatchSourceTimer)?) {
            self.engine = engine
            self.identity = identity
            self.timer = timer
        }
    }

    /// Held while a store is opened or closed, so that two instances over one file can't each make an engine.
    private static let open = Mutex<[Identity: Shared]>([:])

    /// The engine for the file at `path`, opened if it is not yet.
    static func engine(for path: String, _ options: DeviceStoreOptions) throws -> DeviceEngine {
        guard options.environment.isShared, !options.isReadOnly else { return try DeviceEngine.open(path, options) }
        // Opening may have much to report.
        return try IssueChannel.holdingBack { try open.withLock { try engine(for: path, options, in: &$0) } }
    }

    private static func engine(
        for path: String,
        _ options: DeviceStoreOptions,
        in open: inout [Identity: Shared]
    ) throws -> DeviceEngine {
        if let identity = identity(of: path, options), let shared = open[identity], shared.engine.isUsable {
            shared.users += 1
            return shared.engine
        }
        let engine = try DeviceEngine.open(path, options)
        guard engine.control != nil, let identity = identity(of: path, options) else { return engine }
        let tick = options.environment.isAutomatic ? options.environment.tick : nil
        open[identity] = Shared(engine, identity, tick.map { timer(for: identity, every: $0) })
        return engine
    }

    /// Lets go of an engine; the last one who does closes it.
    static func release(_ engine: DeviceEngine) throws {
        let isLast = open.withLock { open in
            guard let shared = open.values.first(where: { $0.engine === engine }) else { return true }
            shared.users -= 1
            guard shared.users == 0 else { return false }
            shared.timer?.cancel()
            open[shared.identity] = nil
            return true
        }
        if isLast { try engine.close() }
    }

    /// Which file it is: told by the control file, which stays the same when the log is compacted.
    private static func identity(of path: String, _ options: DeviceStoreOptions) -> Identity? {
        // What can't be looked at can't be opened either, and opening it says why.
        let file = try? options.environment.fileSystem.information(
            at: path + LogFormat.controlSuffix,
            followingLinks: false
        )
        return file.map {
            Identity(device: $0.device, inode: $0.inode, forks: CurrentProcess.forkGeneration)
        }
    }

    /// It looks the engine up instead of holding it weakly: an object that ever had a weak reference pays for it with every
    /// strong one, and so with every read.
    private static func timer(for identity: Identity, every tick: Duration) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue.global(qos: .utility))
        let (seconds, attoseconds) = tick.components
        let interval = DispatchTimeInterval.milliseconds(Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
        timer.schedule(
            deadline: .now() + interval,
            repeating: interval,
            leeway: .milliseconds(100)
        )
        timer.setEventHandler { open.withLock { $0[identity]?.engine }?.maintain() }
        timer.resume()
        return timer
    }
}
