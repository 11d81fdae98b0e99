public import LarderCore
import LarderFiles
import Synchronization

/// A store in one file on this machine: fast, safe against crashes, and shared between processes.
///
/// The file is a log of commits with an index in memory (`Documentation/Formats/device-log-v1.md`). Reading takes no system
/// call; a buffered commit is one store to memory or one write.
///
/// - **Atomic.** After any crash a commit is there whole or not at all, and what is there is a prefix of the commit order.
/// - **Buffered** commits survive the death of the process when the call returns, and power loss one second later as long as
///   any process has the store open, as well as after a clean ``close()-(Void)`` and the next opening. **Synced** commits
///   survive power loss when the call returns, if the drive tells the truth.
/// - **Damage** that befalls the file later is found when it is opened, and never overwritten; see
///   ``DeviceStoreOptions/DamagePolicy``.
/// - **Several processes** may have the store open; there is nothing to configure. Each sees the others' commits at its next
///   read. A wait for another process ends after at most about 5 seconds in ``StoreError/Code/busy``.
/// - After `fork` the child must open the store anew; its parent's throws ``StoreError/Code/closed``.
///
/// Instances over one file in one process share everything but their observers.
public final class DeviceStore: KeyValueStore {
    /// Everything a store can promise.
    public let capabilities = StoreCapabilities(
        survivesProcess: true,
        hasCrashAtomicTransactions: true,
        isSharedBetweenProcesses: true,
        reportsOtherProcesses: true,
        writeCost: .entry
    )

    let engine: DeviceEngine
    /// What ``get(_:)-(StoreKey)`` needs of the engine, which keeps it.
    let view: IndexView
    private let hub: StoreChangeHub
    private let process = OpeningProcess()
    private let isClosed = Atomic<Bool>(false)

    /// Opens the store at `path`, or creates it.
    ///
    /// Returns when everything in it was read and checked: about 30 ns for each entry, and one sync when it was not closed
    /// cleanly. Blocks the thread.
    ///
    /// - Parameters:
    ///   - path: The file; missing folders are created with mode 0700. Beside it lies a control file with `.ctl` added, and for a while
    ///     its successor with `.larder-new` added: no store may have a name that ends like these.
    ///   - options: What to do in special cases.
    /// - Throws: ``StoreError``: `damaged` with the offset, `newerFormat`, `busy`, `notPermitted`, `diskFull`, `inputOutput`,
    ///   `tooManyOpenFiles`, `tooManyThreads`, `invalidConfiguration` for a path or file system that can't be used. The file is then as it was.
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
                LarderIssue(.degraded, "\(path) could not be synced when it was closed.", underlying: error)
            )
        }
    }

    /// The file, with all symbolic links followed.
    public var path: String { engine.path }
    /// The file.
    public var inspectionName: String { engine.path }
    /// "device store".
    public var inspectionKind: String { "device store" }
    /// Where failures go that no call could throw: a crash's torn last commit, a late sync, a compaction that failed.
    public var issues: IssueChannel { engine.issues }
    /// How the store writes: what the options asked for, or ``DeviceStoreOptions/IO/systemCalls`` where only that is safe.
    public var io: DeviceStoreOptions.IO { engine.io }
    /// What was found damaged when the store was opened with a policy that allows it; `nil` when nothing was.
    public var damage: DeviceStoreDamage? { engine.damage }

    private func beginClosing() -> Bool {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        engine.enter { $0.observers.remove(hub) }
        hub.finish()
        return true
    }

    @inline(__always)
    func checkOpen() throws {
        if isClosed.load(ordering: .relaxed) { throw StoreError.closedLog(engine.path, "was closed") }
    }

    /// Whether reads may do without the checks that throw.
    @inline(__always)
    var isPlainlyOpen: Bool { !isClosed.load(ordering: .relaxed) && process.isThisOne }

    // MARK: Closing

    /// Ends the use of this instance.
    ///
    /// The last one of a process syncs everything.
    ///
    /// Every later call throws ``StoreError/Code/closed``; a second call of this one does nothing. Blocks the thread.
    ///
    /// - Throws: ``StoreError`` when the disk did not confirm; the instance is closed all the same.
    @available(*, noasync, message: "This call waits for the disk: use `try await close()`.")
    public func close() throws {
        if beginClosing() { try DeviceEngines.release(engine) }
    }

    /// The suspending form of ``close()-(Void)``.
    ///
    /// - Throws: ``StoreError`` when the disk did not confirm; the instance is closed all the same.
    public func close() async throws {
        guard beginClosing() else { return }
        let engine = engine
        try await withBlockingWork { try DeviceEngines.release(engine) }
    }

    // MARK: Observing

    /// The commits from now on, in commit order, those of other processes included.
    ///
    /// Another process's commits arrive as they are made: a thread of the store's own waits for them as long as anybody listens.
    /// Where the platform can't wait for shared memory they arrive when this process next reads or writes, and within half a
    /// second at most.
    ///
    /// - Parameters:
    ///   - prefix: Only changes of keys that begin with exactly these bytes.
    ///   - buffering: What to do when the reader falls behind.
    /// - Returns: A sequence for one reader. It ends when this instance is closed.
    public func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        hub.changes(prefix: prefix, buffering: buffering)
    }

    /// Calls `handler` for every commit from now on, in commit order, one call at a time, outside every lock.
    ///
    /// - Parameters:
    ///   - prefix: Only changes of keys that begin with exactly these bytes.
    ///   - handler: Called with one event a commit.
    /// - Returns: The observation; it ends when cancelled or released.
    public func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        hub.observe(prefix: prefix, handler)
    }
}
