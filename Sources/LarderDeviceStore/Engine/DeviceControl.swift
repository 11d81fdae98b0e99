import LarderCore
import LarderFiles
import Synchronization

/// The control file of a store, mapped: the lock between processes and the words they share.
///
/// See "Several processes" of `device-log-v1.md`.
final class DeviceControl: Sendable {
    private let file: any OpenFile
    /// `nil` where the lock is that of the file.
    private let sharedLock: SharedLock?
    private let handOver = SharedLock.HandOver()
    private let region: any MappedRegion
    /// Whether the log beside it may be written through a map.
    let allowsMapping: Bool
    /// Which file it is, as it was opened.
    let identity: FileInformation
    /// The mapped page.
    ///
    /// Set once, valid as long as `region` is, and accessed through atomics only, but for the fields that say what it
    /// belongs to, which the holder of the lock reads and writes.
    nonisolated(unsafe) private let page: UnsafeMutableRawPointer

    private let forkGeneration = CurrentProcess.forkGeneration
    private let hasLeft = Atomic<Bool>(false)

    private typealias Field = LogFormat.Control

    /// Opens or creates the control file of the log at `path`.
    ///
    /// Which lock is used is the same for everybody on one machine: it depends on the platform and the kind of file system.
    init(beside log: String, on fileSystem: any FileSystem) throws {
        let path = log + LogFormat.controlSuffix
        file = try fileSystem.open(path, FileOpenMode(isWritable: true, creation: .ifMissing, followsLinks: false))
        try Self.makeRoom(in: file)
        identity = try file.information()
        region = try file.map(offset: 0, count: Field.size, writable: true)
        guard let page = region.bytes.baseAddress else {
            throw FileError(.unsupported, .map, path, detail: "the mapping is empty")
        }
        self.page = page
        // In a layout that is not known nothing may be written, not even the lock.
        guard !Self.isOfNewerVersion(page) else { throw Self.newer(log) }
        let volume = try fileSystem.volume(at: path)
        do {
            sharedLock =
                volume.isNetwork == true
                ? nil
                : try SharedLock(
                    word: (page + Field.lockWord).assumingMemoryBound(to: Atomic<UInt32>.self),
                    lastMember: (page + Field.lastMember).assumingMemoryBound(to: Atomic<UInt32>.self),
                    file: file
                )
        } catch let error as FileError where error.code == .unsupported {
            sharedLock = nil
        }
        allowsMapping = sharedLock != nil && volume.isSafeForSharedMaps && volume.keepsReservedRoom
        introduce()
    }

    /// Closing the file lets go only with the last copy of the descriptor, and a program that is being started has one until it runs.
    deinit { if CurrentProcess.forkGeneration == forkGeneration { close() } }

    /// Sees to it that the page can be stored to: one that nobody has begun may have no place on the disk yet.
    private static func makeRoom(in file: any OpenFile) throws {
        let page = try file.read(at: 0, count: Field.size)
        let isWhole = page.count == Field.size
        // Others may do the same at this moment, or store to the page already: it is made longer first, for what has its length is
        // never written by reserving it.
        if !isWhole { try file.truncate(to: Field.size) }
        if !isWhole || !page[Field.magicField...].starts(with: Field.magic) { try file.reserve(Field.size) }
    }

    /// Says in the page which process this member is.
    private func introduce() {
        guard let sharedLock else { return }
        self[Self.place(of: sharedLock.member)] = UInt64(sharedLock.member) << 32 | Self.thisProcess
    }

    /// Whether it still has its name beside the log at `path`.
    func isInPlace(beside path: String, on fileSystem: any FileSystem) throws -> Bool {
        let there = try fileSystem.information(at: path + LogFormat.controlSuffix, followingLinks: false)
        return there?.inode == identity.inode && there?.device == identity.device
    }

    /// Acquires the owner lock of this control file on `log`; `nil` where files have no such locks.
    func acquireOwnerLock(on log: any OpenFile) throws -> LogOwnerLock? {
        sharedLock == nil ? nil : try LogOwnerLock.acquire(on: log, for: identity)
    }

    // MARK: The lock

    /// Takes the lock between processes, waiting as long as the environment allows.
    ///
    /// - Returns: Whether its last holder is known to have died while it had it.
    private func lock(_ environment: DeviceEnvironment, _ path: String) throws -> Bool {
        tryLock() ? false : try waitForLock(within: environment.lockLimit, environment.time, path)
    }

    /// Takes it if that can be done at once; `false` where it can't, or can't be told.
    @inline(__always)
    func tryLock() -> Bool { sharedLock?.tryLock() == true }

    /// Takes it to open the store; the page may be new.
    ///
    /// Or it was cut while others have the store open: a page that nobody has begun, though there are members that it does not
    /// know. They may be writing, whatever the lock says, until they have noticed and let go of the file.
    func lockForOpening(_ environment: DeviceEnvironment, _ path: String) throws {
        let deadline = environment.time.monotonic + environment.lockLimit
        while true {
            // What a holder that died may have left is a torn tail to whoever opens.
            _ = try lock(environment, path)
            // It was made only just now, while this process waited.
            if Self.isOfNewerVersion(page) {
                try unlock()
                throw Self.newer(path)
            }
            guard isLost else { return }
            // Others would wait for this member, and it for them, when the page was cut since it said who it is.
            if region.isLost { throw StoreError.lostControl(path, by: nil) }
            introduce()
            guard try isMemberUnknown(in: 1..<Field.memberLimit) else { return }
            // They may have to take the lock to notice.
            try unlock()
            guard environment.time.monotonic < deadline else { throw StoreError.survivedControl(path) }
            CurrentProcess.sleep(for: .milliseconds(2))
        }
    }

    /// Whether another member lives of whom this page does not say which process it is.
    private func isMemberUnknown(in numbers: Range<Int>) throws -> Bool {
        guard sharedLock != nil, !numbers.isEmpty, let found = try file.anyHeld(numbers) else { return false }
        return try self[Self.place(of: UInt32(found))] >> 32 != UInt64(found)
            || isMemberUnknown(in: numbers.lowerBound..<found)
            || isMemberUnknown(in: found + 1..<numbers.upperBound)
    }

    /// Whether the lock that was taken is one that others see, for an opener: what it has written itself is no proof.
    var hasLock: Bool { !region.isLost && sharedLock?.isMine != false }

    /// Whether the page is one that no opener has begun.
    ///
    /// To whoever has the store open: the file was cut, or its disk failed, while it was mapped. Then the page is zeros, this
    /// process's own or those of a file that was made longer again; nothing but a commit that was under way writes to it.
    var isLost: Bool { self[Field.magicField] == 0 || self[Field.stateWord] == 0 }

    private static var thisProcess: UInt64 { UInt64(UInt32(truncatingIfNeeded: CurrentProcess.identifier)) }

    /// Where a member says which process it is.
    private static func place(of member: UInt32) -> Int {
        Field.members + Int(member) % Field.memberCount * MemoryLayout<UInt64>.size
    }

    /// The process that has the lock; 0 when that is not known, or nobody has it any more.
    private func holder(of lock: SharedLock) -> UInt64 {
        let holder = lock.holder
        let entry = self[Self.place(of: holder)]
        return entry >> 32 == UInt64(holder) ? entry & UInt64(UInt32.max) : 0
    }

    /// Takes the lock between processes, waiting up to `limit`.
    ///
    /// - Returns: Whether its last holder is known to have died while it had it.
    @inline(never)
    func waitForLock(within limit: Duration, _ time: any TimeSource, _ path: String) throws -> Bool {
        do {
            guard let sharedLock else { return try waitForFileLock(within: limit, time, path) }
            switch try sharedLock.lock(within: limit, time: time) {
            case .acquired: return false
            case .holderDied: return true
            case .timedOut: throw StoreError.busyLog(path, holder: holder(of: sharedLock))
            }
        } catch {
            throw StoreError.device(error, path)
        }
    }

    private func waitForFileLock(within limit: Duration, _ time: any TimeSource, _ path: String) throws -> Bool {
        let deadline = time.monotonic + limit
        var pause = Duration.microseconds(20)
        while try !file.lock(.exclusive, wait: false) {
            guard time.monotonic < deadline else {
                throw StoreError.busyLog(path, holder: self[Field.holder])
            }
            CurrentProcess.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(2))
        }
        self[Field.holder] = Self.thisProcess
        return false
    }

    /// Lets go of it, and wakes other processes that wait for a commit.
    func unlock() throws {
        guard let sharedLock else {
            try file.unlock()
            // Nobody else was let in by that lock; but they don't know of what was written.
            if isLost { throw FileError(.closed, .lock, file.path, detail: "it was cut") }
            return
        }
        try sharedLock.unlock(handOver)
        wakeWatchersIfAny(sharedLock.member)
    }

    /// ``unlock()`` where nobody waits for the lock; `false`, and nothing done, where somebody does or that can't be told.
    @inline(__always)
    func tryUnlock() -> Bool {
        guard sharedLock?.tryUnlock() == true else { return false }
        let watcher = watcher.pointee.load(ordering: .sequentiallyConsistent)
        if watcher != 0, let sharedLock { wakeWatchersIfAny(sharedLock.member) }
        return true
    }

    @inline(never)
    private func wakeWatchersIfAny(_ member: UInt32) {
        let watcher = watcher.pointee.load(ordering: .sequentiallyConsistent)
        if watcher != 0, watcher != member { wakeWatchers() }
    }

    /// Tells every process that has the store open to write nothing more to it.
    func noteFailure() { _ = word(Field.failures).pointee.wrappingAdd(1, ordering: .acquiringAndReleasing) }

    /// The same, and to whoever opens it next that what is shown of that generation may not be what is on the disk.
    func noteFailure(of generation: UInt64) {
        // Another process may have met a failure in a later one.
        word(Field.failedGeneration).pointee.max(generation, ordering: .acquiringAndReleasing)
        noteFailure()
    }

    /// Whether nothing failed, nothing was left unfinished, and nobody has written since `known`.
    @inline(__always)
    func isQuiet(_ failures: UInt64, _ known: StateWord) -> Bool {
        self[Field.failures] == failures && self[Field.pendingEnd] == 0
            && stateWord.pointee.load(ordering: .acquiring) == known.rawValue
    }

    // MARK: Waiting for commits

    private var watcher: UnsafeMutablePointer<Atomic<UInt32>> {
        (page + Field.watcher).assumingMemoryBound(to: Atomic<UInt32>.self)
    }

    /// Whether ``watch(_:within:)`` can be of use.
    var canBeWatched: Bool { sharedLock != nil }

    /// Blocks the thread until the state word may be another one than `known`, or another process has woken it, or the time is
    /// up.
    func watch(_ known: UInt64, within limit: Duration) throws {
        guard let sharedLock else { return }
        let (isFirst, other) = watcher.pointee.compareExchange(
            expected: 0,
            desired: sharedLock.member,
            ordering: .sequentiallyConsistent
        )
        if !isFirst, other != sharedLock.member {
            watcher.pointee.store(Field.severalWatchers, ordering: .sequentiallyConsistent)
        }
        guard stateWord.pointee.load(ordering: .sequentiallyConsistent) == known else { return }
        // The lower half, which every commit changes: it is where numbers with the lower byte first have it.
        _ = try SharedWord.wait(
            on: page + Field.stateWord,
            while: UInt32(truncatingIfNeeded: known.littleEndian),
            within: limit
        )
    }

    /// Wakes whoever watches: they then say again that they do, so that a burst of commits wakes them but once.
    @inline(never)
    private func wakeWatchers() {
        watcher.pointee.store(0, ordering: .sequentiallyConsistent)
        // Should that fail, they look by themselves before long.
        try? SharedWord.wake(page + Field.stateWord)
    }

    /// Ends the membership; a second call does nothing.
    ///
    /// Not for a child that was forked, whose locks are its parent's.
    func close() {
        guard !hasLeft.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // Closing the file is not enough: the map keeps it open, and with it its locks.
        if let sharedLock { try? sharedLock.leave() } else { try? file.unlock() }
        // Nothing in it outlives the machine's start, and whoever can't let go lets go when the engine does.
        try? file.close()
    }

    // MARK: Shared words

    /// The shared word at `offset`.
    func word(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (page + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    var stateWord: UnsafeMutablePointer<Atomic<UInt64>> { word(Field.stateWord) }

    subscript(offset: Int) -> UInt64 {
        get { word(offset).pointee.load(ordering: .acquiring) }
        set { word(offset).pointee.store(newValue, ordering: .releasing) }
    }

    // MARK: What it belongs to; under the lock

    /// The mark of such a page, as it stands in memory.
    private static let magic = Field.magic.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }

    /// Whether the page was written by a version whose layout this one does not know.
    private static func isOfNewerVersion(_ page: UnsafeMutableRawPointer) -> Bool {
        let bytes = UnsafeRawBufferPointer(start: page, count: Field.size)
        return bytes.loadUnaligned(fromByteOffset: Field.magicField, as: UInt64.self) == magic
            && bytes.number(UInt32.self, at: Field.versionField) > Field.version
    }

    private static func newer(_ log: String) -> StoreError { .newerLog(log, "its control file is newer") }

    /// What the words speak of; `nil` for a new page or one that makes no sense.
    var subject: Subject? {
        get { Subject(page: UnsafeRawBufferPointer(start: page, count: Field.size)) }
        set {
            guard let newValue else { return }
            page.storeBytes(of: Field.version.littleEndian, toByteOffset: Field.versionField, as: UInt32.self)
            set(Field.bootField, newValue.boot)
            set(Field.fileIdentifierField, newValue.fileIdentifier)
            self[Field.deviceField] = newValue.device
            self[Field.inodeField] = newValue.inode
            // Last: it says that the rest is there.
            self[Field.magicField] = Self.magic
        }
    }

    private func set(_ offset: Int, _ bytes: [UInt8]) {
        (page + offset).copyMemory(from: bytes, byteCount: bytes.count)
    }
}
