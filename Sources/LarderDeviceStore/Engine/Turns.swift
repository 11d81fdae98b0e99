import LarderCore
import LarderFiles
import Synchronization

// The locks of an engine, and every function that acquires one. See decision 0054.
//
// A turn stands for an acquired lock. It can't be copied, and whoever acquires an inner turn can't use the outer one meanwhile: the
// order of the locks is what compiles.

/// The state of an engine: a type for each lock, in one allocation.
///
/// Only turns lead to it.
struct Rooms: ~Copyable {
    struct Content: ~Copyable {
        let place: Place
        let life: Life
        let sharing: Sharing
        let observers: Observers
        let schedule: CompactionSchedule
        let syncs: SyncQueue
        let checked: CheckedCommit
        /// Looks at the index without its lock.
        let view: IndexView
        let writer: Locked<Writing>
        /// Only who has the writer's lock too changes what is stored.
        let index: Locked<Index>
    }

    /// What the writer's lock is for.
    struct Writing: ~Copyable {
        var log: LogWriter
        /// Why nothing more may be written; set by ``Failing`` alone.
        var failure: StoreError?
        /// The generation of the log that the disk failed to confirm, while no other process may know of it; with ``failure``.
        var unconfirmed: UInt64?

        init(_ log: consuming LogWriter) { self.log = log }
    }

    /// A lock and what it is for, each in memory of its own.
    struct Locked<Value: ~Copyable>: ~Copyable {
        fileprivate let lock = SpinningMutex()
        fileprivate let value: UnsafeMutablePointer<Value>

        init(_ value: consuming Value) {
            self.value = .allocate(capacity: 1)
            self.value.initialize(to: value)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
        }
    }

    /// Where the state lies.
    struct Address {
        fileprivate let content: UnsafeMutablePointer<Content>
        // Apart from `content`: a change of what they lead to is none of it, and they are not loaded again after each change.
        fileprivate let writing: UnsafeMutablePointer<Writing>
        fileprivate let index: UnsafeMutablePointer<Index>
    }

    fileprivate let address: Address

    init(_ content: consuming Content) {
        let (writing, index) = (content.writer.value, content.index.value)
        address = Address(content: .allocate(capacity: 1), writing: writing, index: index)
        address.content.initialize(to: content)
    }

    deinit {
        address.content.deinitialize(count: 1)
        address.content.deallocate()
    }

    /// What can be told without a turn.
    var constants: (IndexView, String, DeviceStoreOptions.IO, DeviceStoreDamage?, IssueChannel, FileInformation?) {
        let content = address.content
        let place = content.pointee.place
        return (
            content.pointee.view, place.path, place.io, place.damage, content.pointee.observers.issues,
            content.pointee.sharing.control?.identity
        )
    }
}

// Sound: what is in it is constant, has a lock of its own, or is reached by turns alone, which hold the lock.
extension Rooms: @unchecked Sendable {}

/// The right to use an engine, with or without a lock.
protocol Turn: ~Copyable {
    var rooms: Rooms.Address { get }
}

/// A turn that the writer's lock can be acquired in.
protocol BeforeWriter: Turn, ~Copyable {}

// MARK: The turns, outermost first

/// This call uses the engine and holds none of its locks.
///
/// Whatever runs a caller's code, or blocks on another call, requires it.
struct Entrance: BeforeWriter, ~Copyable {
    // Alive as long as the call of `enter` that made this: its caller has it.
    fileprivate unowned(unsafe) let owner: DeviceEngine

    fileprivate init(_ owner: DeviceEngine) { self.owner = owner }

    var rooms: Rooms.Address { @inline(__always) get { owner.rooms.address } }

    /// For closures that outlive the call: they enter anew.
    var engine: DeviceEngine { owner }

    /// Runs `body` as a use of `engine`, by a thread that holds none of its locks.
    @inline(__always)
    static func enter<Result: ~Copyable, Failure: Error>(
        _ engine: DeviceEngine,
        _ body: (inout Entrance) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(engine) {} }
        var entrance = Entrance(engine)
        return try body(&entrance)
    }
}

/// No other call of this process copies the log.
struct CompactionTurn: BeforeWriter, ~Copyable {
    let rooms: Rooms.Address
    private let progress: ((StoreProgress) -> Void)?

    fileprivate init(_ rooms: Rooms.Address, telling progress: ((StoreProgress) -> Void)?) {
        self.rooms = rooms
        self.progress = progress
    }

    /// Notifies the caller that asked for it; no lock is held meanwhile.
    mutating func tell(_ progress: StoreProgress) { self.progress?(progress) }
}

/// No other thread of this process writes, or follows other processes.
struct WriterTurn: Turn, ~Copyable {
    let rooms: Rooms.Address
    /// How many waits for other processes had failed when this was asked for.
    let vainWaits: Int

    fileprivate init(_ rooms: Rooms.Address, vainWaits: Int) {
        self.rooms = rooms
        self.vainWaits = vainWaits
    }

    var log: LogWriter {
        @inline(__always) _read { yield rooms.writing.pointee.log }
        @inline(__always) _modify { yield &rooms.writing.pointee.log }
    }

    /// What the index reflects; only the holder of this turn changes it, so that the index's lock is not needed.
    var word: StateWord { @inline(__always) get { rooms.index.pointee.word } }

    /// What the index's entries take in a snapshot; as ``word``.
    var liveBytes: Int { @inline(__always) get { rooms.index.pointee.entries.liveBytes } }

    /// Why nothing more may be written; set by ``Failing`` alone.
    var failure: StoreError? {
        @inline(__always) _read { yield rooms.writing.pointee.failure }
        @inline(__always) _modify { yield &rooms.writing.pointee.failure }
    }

    /// The generation of the log that the disk failed to confirm, while no other process may know of it; set by ``Failing`` alone.
    var unconfirmed: UInt64? {
        get { rooms.writing.pointee.unconfirmed }
        set { rooms.writing.pointee.unconfirmed = newValue }
    }
}

/// No process writes, and everything that other processes wrote has been read.
struct SharedTurn: Turn, ~Copyable {
    var writer: WriterTurn

    fileprivate init(_ writer: consuming WriterTurn) { self.writer = writer }

    var rooms: Rooms.Address { @inline(__always) get { writer.rooms } }
}

/// The lock between processes is held, for a store that this call opens or repairs.
struct OpeningTurn: ~Copyable {
    let log: OwnedLog

    fileprivate init(_ log: OwnedLog) { self.log = log }

    /// Runs `body` with the log at `path`, which `open` opens, and with the lock between processes.
    static func open<Result>(
        _ path: String,
        _ environment: DeviceEnvironment,
        by open: () throws -> (file: any OpenFile, isNew: Bool),
        _ body: (inout OpeningTurn) throws -> Result
    ) throws -> Result {
        let log = try Ownership.acquire(at: path, environment, open: open)
        // Should that fail, the next commit finds out, and closing the control file releases it. The owner lock is held as long.
        defer { withExtendedLifetime(log.owner) { try? log.control.unlock() } }
        var turn = OpeningTurn(log)
        return try body(&turn)
    }
}

// MARK: What every turn may look at

extension Turn where Self: ~Copyable {
    var place: Place { @inline(__always) _read { yield rooms.content.pointee.place } }
    var life: Life { @inline(__always) _read { yield rooms.content.pointee.life } }
    var sharing: Sharing { @inline(__always) _read { yield rooms.content.pointee.sharing } }
    var observers: Observers { @inline(__always) _read { yield rooms.content.pointee.observers } }
    var schedule: CompactionSchedule { @inline(__always) _read { yield rooms.content.pointee.schedule } }
    var checked: CheckedCommit { @inline(__always) _read { yield rooms.content.pointee.checked } }
    var syncs: SyncQueue { @inline(__always) _read { yield rooms.content.pointee.syncs } }
    var view: IndexView { @inline(__always) get { rooms.content.pointee.view } }

    /// The words that processes share; `nil` for a read-only store.
    var page: ControlPage? { @inline(__always) get { rooms.content.pointee.sharing.page } }

    /// Where the store stands, for all processes.
    var stateWord: UnsafeMutablePointer<Atomic<UInt64>> {
        @inline(__always) get { rooms.content.pointee.sharing.stateWord }
    }

    /// Throws if the store was closed, or opened by the parent of this process.
    @inline(__always)
    func checkUsable() throws {
        guard rooms.content.pointee.life.isOpen else { throw life.error(place.path) }
    }

    /// Runs `body` while the index does not change.
    @inline(__always)
    mutating func look<Result: ~Copyable, Failure: Error>(
        _ body: (borrowing Index) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        rooms.content.pointee.index.lock.take()
        defer { rooms.content.pointee.index.lock.release() }
        return try body(rooms.index.pointee)
    }
}

// MARK: Acquiring

extension Entrance {
    /// Runs `body` while no other call of this process copies the log.
    ///
    /// Waits for the call that does, but never for a caller's code.
    ///
    /// - Returns: What `body` returns; `nil` without running it while another call notifies a caller of its progress.
    mutating func compact<Result: Sendable>(_ body: (inout CompactionTurn) throws -> Result) throws -> Result? {
        let content = rooms.content
        return try content.pointee.schedule.mutex.withLock { _ in
            guard !content.pointee.schedule.isTelling.load(ordering: .acquiring) else { return nil }
            var turn = CompactionTurn(rooms, telling: nil)
            return try body(&turn)
        }
    }

    /// ``compact(_:)`` for `body` that notifies a caller of its progress, by ``CompactionTurn/tell(_:)``.
    ///
    /// Holds no lock, so that whatever the caller's code does, and whatever it waits for, it does not end up waiting for itself.
    mutating func compact<Result: Sendable>(
        telling progress: (StoreProgress) -> Void,
        _ body: (inout CompactionTurn) throws -> Result
    ) throws -> Result? {
        let content = rooms.content
        let isFirst = content.pointee.schedule.mutex.withLock { _ in
            !content.pointee.schedule.isTelling.exchange(true, ordering: .acquiringAndReleasing)
        }
        guard isFirst else { return nil }
        defer { content.pointee.schedule.isTelling.store(false, ordering: .releasing) }
        return try withoutActuallyEscaping(progress) { progress in
            var turn = CompactionTurn(rooms, telling: progress)
            return try body(&turn)
        }
    }

    /// Runs `body`, which closes the engine, while no other call of this process writes, or compacts without notifying a caller.
    mutating func close(_ body: (inout WriterTurn) -> Void) {
        let content = rooms.content
        content.pointee.schedule.mutex.withLock { _ in write(body) }
    }
}

extension BeforeWriter where Self: ~Copyable {
    /// Runs `body` while no other thread of this process writes or follows.
    @inline(__always)
    mutating func write<Result: ~Copyable, Failure: Error>(
        _ body: (inout WriterTurn) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Counted before the lock is waited for: what fails meanwhile need not be waited for again.
        let vainWaits = rooms.content.pointee.sharing.vainWaits.load(ordering: .acquiring)
        rooms.content.pointee.writer.lock.take()
        defer { rooms.content.pointee.writer.lock.release() }
        var turn = WriterTurn(rooms, vainWaits: vainWaits)
        return try body(&turn)
    }

    /// Runs `body` while no process writes, with everything read that other processes wrote before.
    @inline(__always)
    mutating func commit<Result: ~Copyable>(_ body: (inout SharedTurn) throws -> Result) throws -> Result {
        try write { writer throws(any Error) in try writer.share(body) }
    }
}

extension Entrance {
    /// ``commit(_:)`` for a call that must not wait.
    ///
    /// - Returns: `nil` without running `body` if a thread or process has one of the locks, or another process has written.
    mutating func commitIfFree<Result>(_ body: (inout SharedTurn) throws -> Result) throws -> Result? {
        guard rooms.content.pointee.writer.lock.takeIfFree() else { return nil }
        defer { rooms.content.pointee.writer.lock.release() }
        var writer = WriterTurn(rooms, vainWaits: 0)
        guard try Sharing.acquireIfFree(&writer) else { return nil }
        defer { Sharing.release(&writer) }
        var turn = SharedTurn(WriterTurn(rooms, vainWaits: 0))
        return try Sharing.isCaughtUp(turn) ? body(&turn) : nil
    }
}

extension WriterTurn {
    /// Runs `body` while no process writes, with everything read that other processes wrote before.
    ///
    /// - Throws: `busy`, `closed`, `readOnly` or the store's failure, besides what `body` throws.
    @inline(__always)
    mutating func share<Result: ~Copyable>(_ body: (inout SharedTurn) throws -> Result) throws -> Result {
        let holderDied = try Sharing.acquire(&self)
        defer { Sharing.release(&self) }
        var turn = SharedTurn(WriterTurn(rooms, vainWaits: vainWaits))
        try Sharing.catchUp(&turn, holderDied)
        return try body(&turn)
    }

    /// Runs `body` while nothing else looks at the index under its lock.
    @inline(__always)
    mutating func change<Result: ~Copyable, Failure: Error>(
        _ body: (inout Index, borrowing LogWriter) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        rooms.content.pointee.index.lock.take()
        defer { rooms.content.pointee.index.lock.release() }
        return try body(&rooms.index.pointee, rooms.writing.pointee.log)
    }
}

extension Rooms {
    /// Runs `body` with rooms that no engine has yet: no other thread can wait for them, so nothing is acquired.
    mutating func alone<Result>(
        _ opening: inout OpeningTurn,
        _ body: (inout SharedTurn) throws -> Result
    ) throws -> Result {
        var turn = SharedTurn(WriterTurn(address, vainWaits: 0))
        return try body(&turn)
    }
}
