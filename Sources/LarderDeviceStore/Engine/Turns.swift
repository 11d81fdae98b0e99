import LarderCore
import LarderFiles
import Synchronization

// The locks of an engine, and every function that acquires one. See decision 0054.
//
// A "turn" is a token that proves that a lock is held. A turn cannot be copied, and an outer turn cannot be used while an inner turn
// exists, so the compiler enforces the lock order.

/// The state of an engine, in manually allocated memory.
///
/// Code can access this state only through a token such as ``WriterTurn``, which proves that a lock is held.
struct Rooms: ~Copyable {
    struct Content: ~Copyable {
        let place: Place
        let life: Life
        let sharing: Sharing
        let observers: Observers
        let schedule: CompactionSchedule
        let syncs: SyncQueue
        let checked: CheckedCommit
        /// A view of the index that can be read without a lock.
        let view: IndexView
        let writer: Locked<Writing>
        /// The index and its lock.
        ///
        /// Changing the index requires the writer's lock as well.
        let index: Locked<Index>
    }

    /// The state that the writer's lock protects.
    struct Writing: ~Copyable {
        var log: LogWriter
        var failing = Failing.State()

        init(_ log: consuming LogWriter) { self.log = log }
    }

    /// A lock and the separately allocated state that it protects.
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

    struct Address {
        fileprivate let content: UnsafeMutablePointer<Content>
        // Separate from `content`, so that the compiler need not reload these addresses after each change to the memory that they point to.
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

    /// The engine's constant properties, which can be read without holding a lock.
    var constants: (IndexView, String, DeviceStoreOptions.IO, DeviceStoreDamage?, IssueChannel, FileInformation?) {
        let content = address.content
        let place = content.pointee.place
        return (
            content.pointee.view, place.path, place.io, place.damage, content.pointee.observers.issues,
            content.pointee.sharing.control?.identity
        )
    }
}

// This is safe, because every part is constant, has its own lock, or is accessed only through a token that proves that its lock is held.
extension Rooms: @unchecked Sendable {}

/// An open store, which all ``DeviceStore`` instances for the same file in this process share.
///
/// The engine owns the state of the store. Functions that receive a token for a held lock operate on the state. See decision 0054.
final class DeviceEngine: Sendable {
    let rooms: Rooms
    /// A view of the index that can be read without a lock.
    ///
    /// The view is valid as long as the engine exists.
    let view: IndexView
    let path: String
    let io: DeviceStoreOptions.IO
    let damage: DeviceStoreDamage?
    let issues: IssueChannel
    /// The identity of the control file, or `nil` for a read-only store.
    let identity: FileInformation?

    /// Creates an engine that owns the given state.
    init(_ rooms: consuming Rooms) {
        self.rooms = rooms
        (view, path, io, damage, issues, identity) = self.rooms.constants
    }

    /// Runs `body` with access to the engine.
    ///
    /// The calling thread must not hold any of the engine's locks.
    func enter<Result: ~Copyable, Failure: Error>(
        _ body: (inout Entrance) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        var entrance = Entrance(self)
        return try body(&entrance)
    }
}

/// A token that gives access to an engine.
///
/// Most tokens also prove that a lock is held.
protocol Turn: ~Copyable {
    var rooms: Rooms.Address { get }
}

/// A token whose holder may acquire the writer's lock.
protocol BeforeWriter: Turn, ~Copyable {}

// MARK: The tokens, outermost lock first

/// A token that gives access to the engine while this thread holds none of the engine's locks.
///
/// Functions that call client code or wait for another call take this type, so that they can't be called while a lock is held.
struct Entrance: BeforeWriter, ~Copyable {
    // The caller of `enter` keeps the engine alive.
    fileprivate unowned(unsafe) let owner: DeviceEngine

    fileprivate init(_ owner: DeviceEngine) { self.owner = owner }

    var rooms: Rooms.Address { owner.rooms.address }

    /// The engine, for use in closures that outlive the current call.
    var engine: DeviceEngine { owner }
}

/// A token that proves that this thread holds the lock for copying the log.
///
/// While the token exists, no other call in this process compacts or backs up the store.
struct CompactionTurn: BeforeWriter, ~Copyable {
    let rooms: Rooms.Address
    private let progress: ((StoreProgress) throws -> Void)?

    fileprivate init(_ rooms: Rooms.Address, telling progress: ((StoreProgress) throws -> Void)?) {
        self.rooms = rooms
        self.progress = progress
    }

    /// Calls the progress handler with `progress` while no lock is held.
    ///
    /// - Throws: The error with which the handler cancels the copying.
    mutating func tell(_ progress: StoreProgress) throws { try self.progress?(progress) }
}

/// A token that proves that this thread holds the writer's lock.
///
/// While the token exists, no other thread in this process writes to the store or reads commits made by other processes.
struct WriterTurn: Turn, ~Copyable {
    let rooms: Rooms.Address
    /// The number of interprocess lock timeouts that had occurred when this thread requested the writer's lock.
    let lockTimeouts: Int

    fileprivate init(_ rooms: Rooms.Address, lockTimeouts: Int) {
        self.rooms = rooms
        self.lockTimeouts = lockTimeouts
    }

    var log: LogWriter {
        _read { yield rooms.writing.pointee.log }
        _modify { yield &rooms.writing.pointee.log }
    }

    /// The state of the log that the index reflects.
    ///
    /// Only the holder of the writer's lock changes the state, so reading it doesn't require the index's lock.
    var word: StateWord { rooms.index.pointee.word }

    /// The total size in bytes of the index's entries if they were written to a snapshot.
    var liveBytes: Int { rooms.index.pointee.entries.liveBytes }

    /// The state that determines whether writing is allowed.
    ///
    /// Only ``Failing`` can change this state.
    var failing: Failing.State {
        _read { yield rooms.writing.pointee.failing }
        _modify { yield &rooms.writing.pointee.failing }
    }

    /// The error that writes throw, or `nil` if writing is allowed.
    var failure: StoreError? { _read { yield rooms.writing.pointee.failing.failure } }
}

/// A token that proves that this thread holds the interprocess lock.
///
/// While the token exists, no other process writes, and all commits made by other processes have been read.
struct SharedTurn: Turn, ~Copyable {
    var writer: WriterTurn

    fileprivate init(_ writer: consuming WriterTurn) { self.writer = writer }

    var rooms: Rooms.Address { writer.rooms }
}

/// A token that proves that this thread holds the interprocess lock of a store that is being opened or repaired.
struct OpeningTurn: ~Copyable {
    let log: OwnedLog

    fileprivate init(_ log: OwnedLog) { self.log = log }

    /// Opens the log at `path` by calling `open`, and then runs `body` while this thread holds the interprocess lock.
    static func open<Result>(
        _ path: String,
        _ environment: DeviceEnvironment,
        by open: () throws -> (file: any OpenFile, isNew: Bool),
        _ body: (inout OpeningTurn) throws -> Result
    ) throws -> Result {
        let log = try Ownership.acquire(at: path, environment, open: open)
        // If unlocking fails, the next commit detects that, and closing the control file releases the lock. Until then, the lock that lets
        // this process write to the log stays held.
        defer { withExtendedLifetime(log.owner) { try? log.control.unlock() } }
        var turn = OpeningTurn(log)
        return try body(&turn)
    }
}

// MARK: Access through every token

extension Turn where Self: ~Copyable {
    var place: Place { _read { yield rooms.content.pointee.place } }
    var life: Life { _read { yield rooms.content.pointee.life } }
    var sharing: Sharing { _read { yield rooms.content.pointee.sharing } }
    var observers: Observers { _read { yield rooms.content.pointee.observers } }
    var schedule: CompactionSchedule { _read { yield rooms.content.pointee.schedule } }
    var checked: CheckedCommit { _read { yield rooms.content.pointee.checked } }
    var syncs: SyncQueue { _read { yield rooms.content.pointee.syncs } }
    var view: IndexView { rooms.content.pointee.view }

    /// The shared-memory control page, or `nil` for a read-only store.
    var page: ControlPage? { rooms.content.pointee.sharing.page }

    /// The integer in shared memory that holds the log's generation and end offset.
    var stateWord: UnsafeMutablePointer<Atomic<UInt64>> {
        get { rooms.content.pointee.sharing.stateWord }
    }

    /// Throws an error if the store has been closed or was opened before this process was forked.
    func checkUsable() throws {
        guard rooms.content.pointee.life.isOpen else { throw life.error(place.path) }
    }

    /// Runs `body` while holding the index's lock for reading.
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
    /// Runs `body` while no other call in this process copies the log.
    ///
    /// Waits for another call to finish copying, unless that call has a progress handler.
    ///
    /// - Returns: The result of `body`, or `nil` without running `body` if a call with a progress handler is copying the log.
    mutating func compact<Result: Sendable>(_ body: (inout CompactionTurn) throws -> Result) throws -> Result? {
        let content = rooms.content
        return try content.pointee.schedule.mutex.withLock { _ in
            guard !content.pointee.schedule.isReporting.load(ordering: .acquiring) else { return nil }
            var turn = CompactionTurn(rooms, telling: nil)
            return try body(&turn)
        }
    }

    /// Runs ``compact(_:)`` with a `body` that reports its progress by calling ``CompactionTurn/tell(_:)``.
    ///
    /// No lock is held while the progress handler runs, so the handler can use the store without causing a deadlock.
    mutating func compact<Result: Sendable>(
        telling progress: (StoreProgress) throws -> Void,
        _ body: (inout CompactionTurn) throws -> Result
    ) throws -> Result? {
        let content = rooms.content
        let isFirst = content.pointee.schedule.mutex.withLock { _ in
            !content.pointee.schedule.isReporting.exchange(true, ordering: .acquiringAndReleasing)
        }
        guard isFirst else { return nil }
        defer { content.pointee.schedule.isReporting.store(false, ordering: .releasing) }
        return try withoutActuallyEscaping(progress) { progress in
            var turn = CompactionTurn(rooms, telling: progress)
            return try body(&turn)
        }
    }

    /// Runs `body`, which closes the engine, while no other call in this process writes to the log or compacts it.
    ///
    /// A compaction with a progress handler may still be running.
    mutating func close(_ body: (inout WriterTurn) -> Void) {
        let content = rooms.content
        content.pointee.schedule.mutex.withLock { _ in write(body) }
    }
}

extension BeforeWriter where Self: ~Copyable {
    /// Runs `body` while no other thread in this process writes to the store or reads commits made by other processes.
    mutating func write<Result: ~Copyable, Failure: Error>(
        _ body: (inout WriterTurn) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // The number is read before waiting for the lock, so that timeouts of other threads in the meantime shorten this thread's wait.
        let lockTimeouts = rooms.content.pointee.sharing.lockTimeouts.load(ordering: .acquiring)
        rooms.content.pointee.writer.lock.take()
        defer { rooms.content.pointee.writer.lock.release() }
        var turn = WriterTurn(rooms, lockTimeouts: lockTimeouts)
        return try body(&turn)
    }

    /// Reads all commits made by other processes, and then runs `body` while no other process writes.
    mutating func commit<Result: ~Copyable>(_ body: (inout SharedTurn) throws -> Result) throws -> Result {
        try write { writer throws(any Error) in try writer.share(body) }
    }
}

extension Entrance {
    /// Runs `body` like ``commit(_:)``, but never waits for a lock or for another process.
    ///
    /// - Returns: The result of `body`, or `nil` without running `body` if a lock is held or another process has written.
    mutating func commitIfFree<Result>(_ body: (inout SharedTurn) throws -> Result) throws -> Result? {
        guard rooms.content.pointee.writer.lock.takeIfFree() else { return nil }
        defer { rooms.content.pointee.writer.lock.release() }
        var writer = WriterTurn(rooms, lockTimeouts: 0)
        guard try Sharing.acquireIfFree(&writer) else { return nil }
        defer { Sharing.release(&writer) }
        var turn = SharedTurn(WriterTurn(rooms, lockTimeouts: 0))
        return try Sharing.isCaughtUp(turn) ? body(&turn) : nil
    }
}

extension WriterTurn {
    /// Reads all commits made by other processes, and then runs `body` while no other process writes.
    ///
    /// - Throws: `busy`, `closed`, `readOnly`, the error that made the store fail, or an error that `body` throws.
    mutating func share<Result: ~Copyable>(_ body: (inout SharedTurn) throws -> Result) throws -> Result {
        let holderDied = try Sharing.acquire(&self)
        defer { Sharing.release(&self) }
        var turn = SharedTurn(WriterTurn(rooms, lockTimeouts: lockTimeouts))
        try Sharing.catchUp(&turn, holderDied)
        return try body(&turn)
    }

    /// Runs `body` while holding the index's lock, so that `body` can change the index.
    mutating func change<Result: ~Copyable, Failure: Error>(
        _ body: (inout Index, borrowing LogWriter) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        rooms.content.pointee.index.lock.take()
        defer { rooms.content.pointee.index.lock.release() }
        return try body(&rooms.index.pointee, rooms.writing.pointee.log)
    }
}

extension Rooms {
    /// Runs `body` on state that is not yet part of an engine, so no lock is needed.
    mutating func alone<Result>(
        _ opening: inout OpeningTurn,
        _ body: (inout SharedTurn) throws -> Result
    ) throws -> Result {
        var turn = SharedTurn(WriterTurn(address, lockTimeouts: 0))
        return try body(&turn)
    }
}
