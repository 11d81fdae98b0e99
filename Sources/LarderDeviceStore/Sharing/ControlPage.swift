import LarderFiles
import Synchronization

/// The memory-mapped page of a control file, which holds the state that processes share.
///
/// A control page is valid only while its ``ControlFile`` exists. The type contains only pointers and numbers, to avoid reference counting
/// in each commit. See "Several processes" in `device-log-v1.md`.
struct ControlPage: Sendable {
    /// The address of the page.
    ///
    /// The fields that describe the log are accessed only while holding the lock. All other fields are accessed atomically.
    nonisolated(unsafe) let base: UnsafeMutableRawPointer
    /// The lock in shared memory, or `nil` if the store uses a file lock instead.
    private let lock: SharedLock.Attempt?

    private typealias Field = LogFormat.Control

    init(_ base: UnsafeMutableRawPointer, _ lock: SharedLock.Attempt?) {
        self.base = base
        self.lock = lock
    }

    // MARK: Words

    /// Returns the shared word at `offset`.
    func word(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    subscript(offset: Int) -> UInt64 {
        get { word(offset).pointee.load(ordering: .acquiring) }
        nonmutating set { word(offset).pointee.store(newValue, ordering: .releasing) }
    }

    /// The shared 64-bit word that encodes the log's generation and end offset.
    var stateWord: UnsafeMutablePointer<Atomic<UInt64>> { word(Field.stateWord) }

    /// The offset in the log at which the commit in progress will end, or 0 if no commit is in progress.
    ///
    /// If the writing process dies, the next writer uses this value for recovery.
    var pendingEnd: UInt64 {
        get { self[Field.pendingEnd] }
        nonmutating set { self[Field.pendingEnd] = newValue }
    }

    /// Whether a compaction is about to replace the log with the compacted file.
    var isSwitching: Bool { pendingEnd == Field.pendingSwitch }

    /// The number of failures recorded in the control file.
    ///
    /// A process that opened the store before the last failure can no longer write to the store.
    var failures: UInt64 { self[Field.failures] }

    /// The position up to which the log is known to be synced.
    var syncedWord: StateWord { StateWord(rawValue: self[Field.syncedWord]) }

    // MARK: The interprocess lock

    /// Tries to acquire the interprocess lock without waiting.
    ///
    /// Returns `false` if the lock is held or its state is unknown.
    func tryLock() -> Bool { lock?.tryLock() == true }

    /// Tries to release the interprocess lock.
    ///
    /// Returns `false` without releasing the lock if the lock has waiters or its state is unknown.
    func tryUnlock() -> Bool {
        guard let lock, lock.tryUnlock() else { return false }
        wakeWatchersIfAny(lock.member)
        return true
    }

    /// Returns whether the page still contains the failure count `failures` and the state `known`, and no commit is in progress.
    func isQuiet(_ failures: UInt64, _ known: StateWord) -> Bool {
        self.failures == failures && pendingEnd == 0
            && stateWord.pointee.load(ordering: .acquiring) == known.rawValue
    }

    /// Whether the page is uninitialized, which happens to an open store if the file is truncated or a disk error occurs.
    var isLost: Bool { self[Field.magicField] == 0 || self[Field.stateWord] == 0 }

    // MARK: Notifications between processes

    /// Prevents all processes that have the store open from writing to it, by incrementing the failure count.
    func noteFailure() { _ = word(Field.failures).pointee.wrappingAdd(1, ordering: .acquiringAndReleasing) }

    /// Records that commits in the log of the given generation may not be synced, and notifies all processes that have the store open.
    ///
    /// The record is also checked when the store is next opened.
    func noteFailure(of generation: UInt64) {
        // Another process may have recorded a failure of a later generation.
        word(Field.failedGeneration).pointee.max(generation, ordering: .acquiringAndReleasing)
        noteFailure()
    }

    /// Records for all processes that the log of the given generation is synced up to the offset in `word`.
    ///
    /// The caller must hold the interprocess lock.
    func noteConfirmed(_ word: StateWord, generation: UInt64) {
        guard !syncedWord.isOf(generation: generation) || syncedWord.end < word.end else { return }
        self[Field.syncedWord] = word.rawValue
    }

    /// Records the device and inode numbers of the log file.
    ///
    /// The caller must hold the interprocess lock.
    func noteFile(of log: DeviceLog) {
        self[Field.inodeField] = log.inode
        self[Field.deviceField] = log.device
    }

    /// Returns whether processes now share a different log file of the same generation as `log`.
    func isReplaced(_ log: DeviceLog) -> Bool {
        let word = StateWord(rawValue: stateWord.pointee.load(ordering: .acquiring))
        guard
            word.isOf(generation: log.generation),
            self[Field.inodeField] != log.inode || self[Field.deviceField] != log.device
        else { return false }
        // The order of the loads matters, because a pending switch is recorded before the inode changes, and cleared after the state word
        // changes.
        return !isSwitching && stateWord.pointee.load(ordering: .acquiring) == word.rawValue
    }

    // MARK: Waiting for commits

    private var watcher: UnsafeMutablePointer<Atomic<UInt32>> {
        (base + Field.watcher).assumingMemoryBound(to: Atomic<UInt32>.self)
    }

    /// Whether ``watch(_:within:)`` is supported.
    var canBeWatched: Bool { lock != nil }

    /// Blocks the current thread until another process may have committed or `limit` has passed.
    ///
    /// `known` is the value of ``stateWord`` that the caller last read. If the word has changed since then, the call returns immediately.
    func watch(_ known: UInt64, within limit: Duration) throws {
        guard let lock else { return }
        var registered = lock.member
        let (isFirst, other) = watcher.pointee.compareExchange(
            expected: 0,
            desired: registered,
            ordering: .sequentiallyConsistent
        )
        if !isFirst, other != registered {
            registered = Field.severalWatchers
            watcher.pointee.store(registered, ordering: .sequentiallyConsistent)
        }
        guard stateWord.pointee.load(ordering: .sequentiallyConsistent) == known else { return }
        // Waiting on this word rather than on the state word detects a writer that has since removed the registration and woken the
        // watchers.
        _ = try SharedWord.wait(on: base + Field.watcher, while: registered, within: limit)
    }

    /// Wakes all other processes that watch for commits.
    func wakeWatchersIfAny(_ member: UInt32) {
        let watcher = watcher.pointee.load(ordering: .sequentiallyConsistent)
        if watcher != 0, watcher != member { wakeWatchers() }
    }

    /// Wakes the processes that watch for commits.
    ///
    /// Each process registers again after it wakes up, so that a burst of commits wakes it only once.
    private func wakeWatchers() {
        watcher.pointee.store(0, ordering: .sequentiallyConsistent)
        // If waking them fails, watchers time out soon.
        try? SharedWord.wake(base + Field.watcher)
    }
}
