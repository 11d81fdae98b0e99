import LarderCore
import LarderFiles
import Synchronization

/// The control file of a store: its lock, what it belongs to, and the page that is mapped of it.
///
/// See "Several processes" of `device-log-v1.md`.
final class ControlFile: Sendable {
    private let file: any OpenFile
    /// `nil` where the lock is that of the file.
    private let sharedLock: SharedLock?
    private let handOver = SharedLock.HandOver()
    private let region: any MappedRegion
    /// Whether the log beside it may be written through a map.
    let allowsMapping: Bool
    /// Which file it is, as it was opened.
    let identity: FileInformation
    /// The mapped page; valid as long as `region`.
    let page: ControlPage

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
        guard let base = region.bytes.baseAddress else {
            throw FileError(.unsupported, .map, path, detail: "the mapping is empty")
        }
        // In a layout that is not known nothing may be written, not even the lock.
        guard !Self.isOfNewerVersion(base) else { throw Self.newer(log) }
        let volume = try fileSystem.volume(at: path)
        do {
            sharedLock =
                volume.isNetwork == true
                ? nil
                : try SharedLock(
                    word: (base + Field.lockWord).assumingMemoryBound(to: Atomic<UInt32>.self),
                    lastMember: (base + Field.lastMember).assumingMemoryBound(to: Atomic<UInt32>.self),
                    file: file
                )
        } catch let error as FileError where error.code == .unsupported {
            sharedLock = nil
        }
        page = ControlPage(base, sharedLock?.attempt)
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
        page[Self.place(of: sharedLock.member)] = UInt64(sharedLock.member) << 32 | Self.thisProcess
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
        page.tryLock() ? false : try waitForLock(within: environment.lockLimit, environment.time, path)
    }

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
            if Self.isOfNewerVersion(page.base) {
                try unlock()
                throw Self.newer(path)
            }
            guard page.isLost else { return }
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
        return try page[Self.place(of: UInt32(found))] >> 32 != UInt64(found)
            || isMemberUnknown(in: numbers.lowerBound..<found)
            || isMemberUnknown(in: found + 1..<numbers.upperBound)
    }

    /// Whether the lock that was taken is one that others see, for an opener: what it has written itself is no proof.
    var hasLock: Bool { !region.isLost && sharedLock?.isMine != false }

    private static var thisProcess: UInt64 { UInt64(UInt32(truncatingIfNeeded: CurrentProcess.identifier)) }

    /// Where a member says which process it is.
    private static func place(of member: UInt32) -> Int {
        Field.members + Int(member) % Field.memberCount * MemoryLayout<UInt64>.size
    }

    /// The process that has the lock; 0 when that is not known, or nobody has it any more.
    private func holder(of lock: SharedLock) -> UInt64 {
        let holder = lock.holder
        let entry = page[Self.place(of: holder)]
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
                throw StoreError.busyLog(path, holder: page[Field.holder])
            }
            CurrentProcess.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(2))
        }
        page[Field.holder] = Self.thisProcess
        return false
    }

    /// Lets go of it, and wakes other processes that wait for a commit.
    func unlock() throws {
        guard let sharedLock else {
            try file.unlock()
            // Nobody else was let in by that lock; but they don't know of what was written.
            if page.isLost { throw FileError(.closed, .lock, file.path, detail: "it was cut") }
            return
        }
        try sharedLock.unlock(handOver)
        page.wakeWatchersIfAny(sharedLock.member)
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
        get { Subject(page: UnsafeRawBufferPointer(start: page.base, count: Field.size)) }
        set {
            guard let newValue else { return }
            page.base.storeBytes(of: Field.version.littleEndian, toByteOffset: Field.versionField, as: UInt32.self)
            set(Field.bootField, newValue.boot)
            set(Field.fileIdentifierField, newValue.fileIdentifier)
            page[Field.deviceField] = newValue.device
            page[Field.inodeField] = newValue.inode
            // Last: it says that the rest is there.
            page[Field.magicField] = Self.magic
        }
    }

    private func set(_ offset: Int, _ bytes: [UInt8]) {
        (page.base + offset).copyMemory(from: bytes, byteCount: bytes.count)
    }
}
