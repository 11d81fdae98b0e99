import LarderFiles
import Synchronization

/// The page of a control file, mapped: the words that processes share.
///
/// Addresses and numbers alone, for a commit asks it several times: an object's references would be counted each time. Valid as long as
/// the ``ControlFile`` that it is part of. See "Several processes" of `device-log-v1.md`.
struct ControlPage: Sendable {
    /// Accessed through atomics only, but for the fields that say what the page belongs to, which the holder of the lock reads and
    /// writes.
    nonisolated(unsafe) let base: UnsafeMutableRawPointer
    /// `nil` where the lock is that of the file.
    private let lock: SharedLock.Attempt?

    private typealias Field = LogFormat.Control

    init(_ base: UnsafeMutableRawPointer, _ lock: SharedLock.Attempt?) {
        self.base = base
        self.lock = lock
    }

    // MARK: Words

    /// The shared word at `offset`.
    @inline(__always)
    func word(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    @inline(__always)
    subscript(offset: Int) -> UInt64 {
        get { word(offset).pointee.load(ordering: .acquiring) }
        nonmutating set { word(offset).pointee.store(newValue, ordering: .releasing) }
    }

    /// Where the store stands.
    @inline(__always)
    var stateWord: UnsafeMutablePointer<Atomic<UInt64>> { word(Field.stateWord) }

    /// Where a writer has begun to store a commit, which a later one finds if it dies; 0 while none has.
    @inline(__always)
    var pendingEnd: UInt64 {
        get { self[Field.pendingEnd] }
        nonmutating set { self[Field.pendingEnd] = newValue }
    }

    /// Whether a compaction is about to put its file in the place of the log.
    var isSwitching: Bool { pendingEnd == Field.pendingSwitch }

    /// How many failures processes have met.
    @inline(__always)
    var failures: UInt64 { self[Field.failures] }

    /// Up to where the disk is known to have confirmed the log.
    var syncedWord: StateWord { StateWord(rawValue: self[Field.syncedWord]) }

    // MARK: The lock between processes

    /// Acquires it if that can be done at once; `false` if it can't, or that can't be told.
    @inline(__always)
    func tryLock() -> Bool { lock?.tryLock() == true }

    /// Releases it if no member waits for it; `false`, and it is not released, if one does or that can't be told.
    @inline(__always)
    func tryUnlock() -> Bool {
        guard let lock, lock.tryUnlock() else { return false }
        wakeWatchersIfAny(lock.member)
        return true
    }

    /// Whether nothing failed, nothing was left unfinished, and no other process has written since `known`.
    @inline(__always)
    func isQuiet(_ failures: UInt64, _ known: StateWord) -> Bool {
        self.failures == failures && pendingEnd == 0
            && stateWord.pointee.load(ordering: .acquiring) == known.rawValue
    }

    /// Whether the page is one that no opener has begun.
    ///
    /// To a process that has the store open: the file was cut, or its disk failed, while it was mapped. Then the page is zeros, this
    /// process's own or those of a file that was made longer again; nothing but a commit that was under way writes to it.
    var isLost: Bool { self[Field.magicField] == 0 || self[Field.stateWord] == 0 }

    // MARK: What processes tell each other

    /// Tells every process that has the store open to write nothing more to it.
    func noteFailure() { _ = word(Field.failures).pointee.wrappingAdd(1, ordering: .acquiringAndReleasing) }

    /// The same, and to the next opener that what is shown of that generation may not be what is on the disk.
    func noteFailure(of generation: UInt64) {
        // Another process may have met a failure in a later one.
        word(Field.failedGeneration).pointee.max(generation, ordering: .acquiringAndReleasing)
        noteFailure()
    }

    /// Notes for every process that the disk has confirmed the log of that generation up to `word`; under the lock.
    func noteConfirmed(_ word: StateWord, generation: UInt64) {
        guard !syncedWord.isOf(generation: generation) || syncedWord.end < word.end else { return }
        self[Field.syncedWord] = word.rawValue
    }

    /// States which file the log is; under the lock.
    func noteFile(of log: DeviceLog) {
        self[Field.inodeField] = log.inode
        self[Field.deviceField] = log.device
    }

    /// Whether processes share another file of the same generation as `log` now.
    func isReplaced(_ log: DeviceLog) -> Bool {
        let word = StateWord(rawValue: stateWord.pointee.load(ordering: .acquiring))
        guard
            word.isOf(generation: log.generation),
            self[Field.inodeField] != log.inode || self[Field.deviceField] != log.device
        else { return false }
        // Looked at in this order: a switch is stated to be pending before the inode is, and withdrawn after the word.
        return !isSwitching && stateWord.pointee.load(ordering: .acquiring) == word.rawValue
    }

    // MARK: Waiting for commits

    private var watcher: UnsafeMutablePointer<Atomic<UInt32>> {
        (base + Field.watcher).assumingMemoryBound(to: Atomic<UInt32>.self)
    }

    /// Whether ``watch(_:within:)`` can be of use.
    var canBeWatched: Bool { lock != nil }

    /// Blocks the thread until the state word may be another one than `known`, or another process has woken it, or the time is
    /// up.
    func watch(_ known: UInt64, within limit: Duration) throws {
        guard let lock else { return }
        let (isFirst, other) = watcher.pointee.compareExchange(
            expected: 0,
            desired: lock.member,
            ordering: .sequentiallyConsistent
        )
        if !isFirst, other != lock.member {
            watcher.pointee.store(Field.severalWatchers, ordering: .sequentiallyConsistent)
        }
        guard stateWord.pointee.load(ordering: .sequentiallyConsistent) == known else { return }
        // The lower half, which every commit changes: it is where numbers with the lower byte first have it.
        _ = try SharedWord.wait(
            on: base + Field.stateWord,
            while: UInt32(truncatingIfNeeded: known.littleEndian),
            within: limit
        )
    }

    /// Wakes those that watch, but this process.
    @inline(__always)
    func wakeWatchersIfAny(_ member: UInt32) {
        let watcher = watcher.pointee.load(ordering: .sequentiallyConsistent)
        if watcher != 0, watcher != member { wakeWatchers() }
    }

    /// Wakes those that watch: they then say again that they do, so that a burst of commits wakes them but once.
    @inline(never)
    private func wakeWatchers() {
        watcher.pointee.store(0, ordering: .sequentiallyConsistent)
        // Should that fail, they look by themselves before long.
        try? SharedWord.wake(base + Field.stateWord)
    }
}
