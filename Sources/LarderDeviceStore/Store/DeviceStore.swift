public import LarderCore
import LarderFiles
import Synchronization

/// A fast, crash-safe store in one local file, which several processes can share.
///
/// The file is a log of commits, and the index is kept in memory (`Documentation/Formats/device-log-v1.md`). Reads make no system call. A
/// buffered commit stores to mapped memory or makes one system call.
///
/// - **Atomic commits.** After a crash, each commit is either complete or absent, and the commits that are present are a prefix of the
///   commit order.
/// - **Durability.** A completed **buffered** commit survives a crash or termination of the process. It also survives a power loss after a
///   process has had the store open for another second, after a clean `close()`, or after the store is opened again. A completed **synced**
///   commit survives a power loss, provided that the drive honors syncs.
/// - **Corruption.** Corruption of the file is detected when the store is opened, and corrupt data is never overwritten unless a backup
///   copy was made. See ``DeviceStoreOptions/DamagePolicy``.
/// - **Several processes.** Several processes can have the store open without any configuration. Each process sees commits made by other
///   processes at its next read. An operation that waits for another process fails after about 5 seconds with `busy`.
/// - **Forks.** After `fork`, the child must reopen the store. The parent's instance throws `closed` in the child.
///
/// Instances for the same file in the same process share all state except their observers.
public final class DeviceStore: KeyValueStore {
    /// The capabilities of the store.
    public let capabilities = StoreCapabilities(
        survivesProcess: true,
        hasCrashAtomicTransactions: true,
        isSharedBetweenProcesses: true,
        reportsOtherProcesses: true,
        writeCost: .entry
    )

    let engine: DeviceEngine
    /// The view of the index that lock-free reads use.
    ///
    /// The view is valid for as long as the engine exists.
    let view: IndexView
    private let hub: StoreChangeHub
    private let process = OpeningProcess()
    private let isClosed = Atomic<Bool>(false)

    /// Opens or creates the store at `path`.
    ///
    /// This initializer blocks the current thread while it reads and checks the entire store, which takes about 30 ns per entry, plus one
    /// sync if the store was not closed cleanly.
    ///
    /// - Parameters:
    ///   - path: The path of the file. Missing folders are created with mode 0700. In the same folder, the store keeps a control file with
    ///     the suffix `.ctl`, and temporarily a file with the suffix `.larder-new`. The name of a store must not end with either suffix.
    ///   - options: The options of the store.
    /// - Throws: `StoreError`, leaving the content of the store unchanged. The code is `damaged` if the file is corrupt,
    ///   `invalidConfiguration` if the path or the file system is unsuitable, or `newerFormat`, `busy`, `notPermitted`, `diskFull`,
    ///   `inputOutput`, `tooManyOpenFiles` or `tooManyThreads`.
    public init(path: String, options: DeviceStoreOptions = DeviceStoreOptions()) throws {
        let engine: DeviceEngine
        do {
            let resolved = try options.environment.fileSystem.resolvingLinks(in: path)
            engine = try DeviceEngines.engine(for: resolved, options)
        } catch {
            throw StoreError.device(error, path)
        }
        self.engine = engine
        hub = StoreChangeHub { difference in engine.enter { Watching.countObservers(difference, &$0) } }
        view = engine.view
        engine.enter { $0.observers.add(hub) }
    }

    deinit {
        guard beginClosing() else { return }
        do {
            try DeviceEngines.release(engine)
        } catch {
            engine.issues.report(
                LarderIssue(
                    .degraded,
                    "The store \(path.debugDescription) could not be synced when it was closed, so its most recent commits may be lost if the power fails. Check the disk for errors and free space.",
                    underlying: error
                )
            )
        }
    }

    /// The path of the file, with all symbolic links resolved.
    public var path: String { engine.path }
    /// The path of the file, which identifies the store in inspection tools.
    public var inspectionName: String { engine.path }
    /// The kind of the store for inspection tools, which is `"device store"`.
    public var inspectionKind: String { "device store" }
    /// The channel for issues that can't be thrown as errors, such as a torn last commit, a late sync, or a failed compaction.
    public var issues: IssueChannel { engine.issues }
    /// The I/O method in use, which may differ from the requested method.
    ///
    /// If the requested method is not safe on the file system, the store uses ``DeviceStoreOptions/IO/systemCalls``.
    public var io: DeviceStoreOptions.IO { engine.io }
    /// The corruption that was found when the store was opened, or `nil` if the file was intact.
    public var damage: DeviceStoreDamage? { engine.damage }

    private func beginClosing() -> Bool {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        engine.enter { $0.observers.remove(hub) }
        hub.finish()
        return true
    }

    func checkOpen() throws {
        if isClosed.load(ordering: .relaxed) { throw StoreError.closedLog(engine.path, "was closed") }
    }

    /// Whether this instance is open and the current process is the one that opened it, not a forked child.
    var isPlainlyOpen: Bool { !isClosed.load(ordering: .relaxed) && process.isThisOne }

    // MARK: Closing

    /// Closes this instance, blocking the current thread on disk I/O.
    ///
    /// If this is the last instance in the process, all commits are synced first. Every later call throws `closed`.
    /// Closing the instance again has no effect.
    ///
    /// - Throws: `StoreError` if the commits could not be synced. The instance is closed even if an error is thrown.
    @available(
        *,
        noasync,
        message: "This call blocks on disk I/O. Use `try await close()`. At top level, call it in a function."
    )
    public func close() throws {
        if beginClosing() { try DeviceEngines.release(engine) }
    }

    /// Closes this instance, suspending the current task during disk I/O.
    ///
    /// - Throws: `StoreError` if the commits could not be synced. The instance is closed even if an error is thrown.
    public func close() async throws {
        guard beginClosing() else { return }
        let engine = engine
        try await withBlockingWork { try DeviceEngines.release(engine) }
    }

    // MARK: Observing

    /// Returns a sequence of the commits made after this call, in commit order, including commits made by other processes.
    ///
    /// While an observer is registered, a thread waits for commits made by other processes, so that they arrive immediately. On platforms
    /// that can't wait for changes to shared memory, they arrive at this process's next read or write, or within half a second.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the keys to observe, compared bytewise. An empty string matches all keys.
    ///   - buffering: The policy for commits that the reader has not read yet.
    /// - Returns: A sequence for one reader, which ends when this instance is closed.
    public func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        hub.changes(prefix: prefix, buffering: buffering)
    }

    /// Calls `handler` for every commit made after this call, in commit order, one call at a time.
    ///
    /// No lock is held during a call.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the keys to observe, compared bytewise. An empty string matches all keys.
    ///   - handler: A closure that is called with one event per commit.
    /// - Returns: The observation, which ends when it is cancelled or released.
    public func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        hub.observe(prefix: prefix, handler)
    }
}
