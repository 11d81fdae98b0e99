import Foundation
import LarderCore
import LarderFiles
import Synchronization

/// What all instances of ``DeviceStore`` over one file in this process share.
///
/// Locks are taken in this order: ``compacting``, ``writer``, the lock between processes, ``memory``. None is held while a
/// caller's code runs that may use the store.
final class DeviceEngine: Sendable {
    /// What reads need.
    struct Memory: ~Copyable {
        var index: DeviceIndex
        /// What the index reflects.
        ///
        /// Setting it ends a change: readers without a lock see the index again.
        var word: StateWord { didSet { index.publish(word) } }
        var log: DeviceLog
        /// Commits seen so far, by whomever.
        var commits: UInt64 = 0
        /// Where the last commit lies in the log; empty where that is not known.
        var lastFrame = 0..<0
        /// A commit that ``DeviceEngine/checkContent()`` found in the log.
        var checkedFrame = 0..<0
    }

    /// What writes need besides.
    struct Writer: ~Copyable {
        var log: DeviceLog
        /// Where the next frame goes, and its number.
        var end: LogReader.Stop
        /// How far room is known to be reserved.
        var reservedEnd: Int
        /// How far this process has reserved room itself: nothing beyond is mapped.
        var allocatedEnd = 0
        /// Where commits are stored, when they are.
        var tail: MappedTail?
        /// Whether this commit is written by a system call whatever the store's way.
        var isWrittenByCall = false
        /// The synced mark that the header states.
        var mark: Int
        /// What memory reflects.
        var word: StateWord
        /// What the entries in memory take in a snapshot.
        var live: Int
        var builder = LogFrameBuilder()
        var plan = CommitPlan()
        /// Why nothing more may be written.
        var failure: StoreError? {
            didSet {
                hasFailed.isSet = failure != nil
                // Processes with another control file need not wait for one that writes nothing more, unless it has to tell them why.
                if failure != nil, unconfirmed == nil { log.owner?.release() }
            }
        }
        /// The generation of the log that the disk failed to confirm, for as long as nobody else may know of it.
        var unconfirmed: UInt64?
        let hasFailed: FailureFlag
    }

    /// Whether there is a ``Writer/failure``, for those who don't need the writer's lock otherwise.
    final class FailureFlag: Sendable {
        private let value = Atomic(false)

        var isSet: Bool {
            get { value.load(ordering: .acquiring) }
            set { value.store(newValue, ordering: .releasing) }
        }
    }

    let path: String
    let environment: DeviceEnvironment
    /// How commits are written.
    let io: DeviceStoreOptions.IO
    /// `nil` for a store that is only read.
    let control: DeviceControl?
    let memory: Lock<Memory>
    let writer: Lock<Writer>
    let hasFailed: FailureFlag
    /// Held by what copies the log, unless it ``isTelling``.
    let compacting = Mutex(())
    /// Whether the log is being copied by a call that tells a caller how far it is; set under ``compacting``, which is not held
    /// meanwhile.
    let isTelling = Atomic<Bool>(false)
    /// Kept apart: asked by commits while a compaction runs.
    let compactionPause = Mutex(CompactionPause())
    let syncs: SyncQueue
    let issues: IssueChannel
    /// What is to be reported once no lock is held.
    let heldIssues = Mutex<[LarderIssue]>([])
    let hash = KeyHash.process
    /// What readers without a lock look at.
    let view: IndexView
    /// Keeps what they may be looking at.
    let indexMemory: IndexMemory
    /// What salvage found when the store was opened.
    let damage: DeviceStoreDamage?
    /// What the control file said about failures when the store was opened.
    let failuresAtOpening: UInt64

    /// The shared state word, or one of this engine's own that never changes when it is only read.
    ///
    /// Valid as long as this engine: `control` keeps the page, and `deinit` frees what is its own.
    nonisolated(unsafe) let stateWord: UnsafeMutablePointer<Atomic<UInt64>>
    private let forkGeneration: UInt64
    /// Valid for ever.
    nonisolated(unsafe) private let forkCounter = CurrentProcess.forkCounter
    private let hubs = Mutex<[StoreChangeHub]>([])
    let vainWaitCount = Atomic<Int>(0)
    let observers = Atomic<Int>(0)
    let isWatching = Atomic<Bool>(false)
    /// Whether no thread could be started to watch, and an issue said so.
    let lacksWatcher = Atomic<Bool>(false)
    private let isClosing = Atomic<Bool>(false)
    private let isClosed = Atomic<Bool>(false)
    let isMaintaining = Atomic<Bool>(false)

    init(_ opened: consuming Opened, environment: DeviceEnvironment) {
        path = opened.path
        self.environment = environment
        io = opened.io
        control = opened.control
        damage = opened.damage
        issues = opened.issues
        failuresAtOpening = opened.failures
        let word = StateWord(generation: opened.log.generation, end: opened.end.offset)
        if let control = opened.control {
            stateWord = control.stateWord
        } else {
            stateWord = .allocate(capacity: 1)
            stateWord.initialize(to: Atomic(word.rawValue))
        }
        let hasFailed = FailureFlag()
        self.hasFailed = hasFailed
        writer = Lock(
            Writer(
                log: opened.log,
                end: opened.end,
                reservedEnd: opened.fileSize,
                mark: opened.mark,
                word: word,
                live: opened.index.liveBytes,
                hasFailed: hasFailed
            )
        )
        indexMemory = opened.index.memory
        view = IndexView(indexMemory, hash, shared: stateWord)
        var index = opened.index
        index.show(through: view, word)
        memory = Lock(Memory(index: index, word: word, log: opened.log, lastFrame: opened.lastFrame))
        syncs = SyncQueue(isSynced: opened.mark >= opened.end.offset)
        forkGeneration = CurrentProcess.forkGeneration
    }

    deinit {
        if control == nil {
            stateWord.deinitialize(count: 1)
            stateWord.deallocate()
        }
    }

    // MARK: Whether it may be used

    /// Whether calls have a chance.
    var isUsable: Bool { isInItsProcess && !isClosing.load(ordering: .relaxed) }

    /// Whether this is the process that opened the store.
    ///
    /// Costs two loads.
    @inline(__always)
    var isInItsProcess: Bool { forkCounter.pointee.load(ordering: .relaxed) == forkGeneration }

    /// Throws when the store was closed, or opened by the parent of this process.
    @inline(__always)
    func checkUsable() throws {
        guard isInItsProcess, !isClosed.load(ordering: .relaxed) else { throw unusable }
    }

    private var unusable: StoreError {
        isInItsProcess
            ? .closedLog(path, "was closed")
            : .closedLog(path, "was opened before this process was forked, and a child can't use it")
    }

    /// Notes that it is about to be closed; `false` when it was before.
    func beginClosing() -> Bool { !isClosing.exchange(true, ordering: .acquiringAndReleasing) }

    /// From here on every call throws.
    func endClosing() {
        guard isInItsProcess else { return isClosed.store(true, ordering: .releasing) }
        // Not while this process compacts: whoever opens the store next could not.
        compacting.withLock { _ in
            // Nor while somebody is writing: to the others a closed control is a dead process.
            writer.withLock { writer in
                isClosed.store(true, ordering: .releasing)
                writer.log.owner?.release()
                control?.close()
            }
        }
    }

    // MARK: Reading

    /// What a lookup in memory came to.
    enum Lookup {
        case found(StoredValue)
        case absent
        case inFile(DeviceLog.Value)
        /// Another process has written.
        case behind
        /// Whether it is there still depends on the time.
        case expiring(StoredValue, Int64)
        case expiringInFile(DeviceLog.Value, Int64)
    }

    /// The value under `key`, or `nil`.
    func get(_ key: StoreKey) throws -> StoredValue? {
        try checkUsable()
        return try key.withBytes { bytes in
            try key.check(bytes)
            let hash = hash(bytes)
            var lookup = memory.withLock { $0.find(bytes, hash, at: stateWord.pointee.load(ordering: .acquiring)) }
            while true {
                switch lookup {
                case .found(let value): return value
                case .absent: return nil
                case .inFile(let value): return try load(value)
                case .expiring(let value, let expiry): return isExpired(expiry) ? .none : .some(value)
                case .expiringInFile(let value, let expiry): return try isExpired(expiry) ? .none : load(value)
                case .behind: lookup = try followOthers(reading: { $0.find(bytes, hash, at: $0.word.rawValue) })
                }
            }
        }
    }

    /// The text of an entry that a look without a lock has found; `nil` when anything was changed since.
    func text(_ number: Int, at sequence: UInt64) -> StoredValue? {
        // Only the lock is needed, which keeps the text: what lies where, the view says.
        memory.withLock { _ in view.text(number, at: sequence) }
    }

    func load(_ value: DeviceLog.Value) throws -> StoredValue {
        do { return try value.load() } catch { throw StoreError.device(error, path) }
    }

    func isExpired(_ expiry: Int64) -> Bool { expiry != .max && expiry <= now }

    /// Milliseconds since 1970.
    var now: Int64 { environment.now }

    /// Runs `body` on a memory that reflects everything committed before the call, by any process.
    func withCurrentMemory<Result: Sendable>(_ body: (borrowing Memory) throws -> Result) throws -> Result {
        try checkUsable()
        let result: Result? = try memory.withLock { memory in
            guard memory.word.rawValue == stateWord.pointee.load(ordering: .acquiring) else { return nil }
            return try body(memory)
        }
        return try result ?? followOthers(reading: body)
    }

    // MARK: Observers

    func add(_ hub: StoreChangeHub) { hubs.withLock { $0.append(hub) } }

    /// Whether no other instance is left.
    func remove(_ hub: StoreChangeHub) -> Bool {
        hubs.withLock { hubs in
            hubs.removeAll { $0 === hub }
            return hubs.isEmpty
        }
    }

    /// Whether anybody listens, on any instance.
    var isObserved: Bool { observers.load(ordering: .relaxed) > 0 }

    /// Notes a change for all observers, under the writer's lock.
    func publish(_ change: StoreChange) {
        for hub in hubs.withLock(\.self) where hub.isObserved { hub.publish(change) }
    }

    /// Notes for all observers that they are not told of so many commits.
    @inline(never)
    func publishMissed(_ count: Int) {
        for hub in hubs.withLock(\.self) where hub.isObserved { hub.publishMissed(count) }
    }

    /// Runs the handlers of observers and issues, outside all locks.
    func deliver() {
        let held = heldIssues.withLock { held in
            defer { held = [] }
            return held
        }
        for issue in held { issues.report(issue) }
        for hub in hubs.withLock(\.self) where hub.isObserved { hub.deliver() }
    }
}

extension DeviceEngine.Memory {
    @inline(__always)
    borrowing func find(_ key: UnsafeRawBufferPointer, _ hash: UInt64, at current: UInt64) -> DeviceEngine.Lookup {
        guard word.rawValue == current else { return .behind }
        guard let number = index.find(key, hashed: hash) else { return .absent }
        let value = index.table.entry(number).value
        return value.box == nil ? .found(value.unboxed) : special(number)
    }

    @inline(never)
    private borrowing func special(_ number: Int) -> DeviceEngine.Lookup {
        let entry = index.entry(number)
        switch (entry.isInFile, entry.expiry) {
        case (true, .max): return .inFile(valueInFile(number))
        case (true, let expiry): return .expiringInFile(valueInFile(number), expiry)
        case (false, .max): return .found(entry.value)
        case (false, let expiry): return .expiring(entry.value, expiry)
        }
    }

    /// Where the value of an entry that left it in the file lies.
    borrowing func valueInFile(_ number: Int) -> DeviceLog.Value {
        let entry = index.entry(number)
        return DeviceLog.Value(
            log: log,
            position: index.position(number) + index.valueOffset(number),
            length: entry.length,
            checksum: entry.checksum
        )
    }

    /// Puts another index in the place of this one; readers without a lock see it at once.
    mutating func replaceIndex(with new: inout DeviceIndex) {
        let view = index.view
        swap(&index, &new)
        if let view { index.show(through: view, word) }
    }
}

extension DeviceEnvironment {
    /// Milliseconds since 1970.
    var now: Int64 { Int64((time.now.timeIntervalSince1970 * 1000).rounded(.down)) }
}
