import LarderCore
import LarderFiles
import Synchronization

/// The control file of a store.
///
/// The file provides the interprocess lock and a memory-mapped page that describes the log.
///
/// See "Several processes" in `device-log-v1.md`.
final class ControlFile: Sendable {
    private let file: any OpenFile
    /// The interprocess lock in shared memory, or `nil` if the store uses a file lock instead.
    private let sharedLock: SharedLock?
    private let handOver = SharedLock.HandOver()
    private let region: any MappedRegion
    /// Whether the log of this control file may be written through a memory mapping.
    let allowsMapping: Bool
    /// The attributes of the control file when it was opened, which include its device and inode.
    let identity: FileInformation
    /// The memory-mapped control page, valid for as long as `region` exists.
    let page: ControlPage

    private let forkGeneration = CurrentProcess.forkGeneration
    private let hasLeft = Atomic<Bool>(false)

    private typealias Field = LogFormat.Control

    /// Opens or creates the control file of the log at the path `log`.
    ///
    /// All processes on a machine use the same type of lock, which depends on the platform and the file system.
    init(beside log: String, on fileSystem: any FileSystem) throws {
        let path = log + LogFormat.controlSuffix
        file = try fileSystem.open(path, FileOpenMode(isWritable: true, creation: .ifMissing, followsLinks: false))
        try Self.makeRoom(in: file)
        identity = try file.information()
        region = try file.map(offset: 0, count: Field.size, writable: true)
        guard let base = region.bytes.baseAddress else {
            throw FileError(.unsupported, .map, path, detail: "the mapping is empty")
        }
        // If the layout is unknown, nothing may be written, not even the lock.
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

    /// Closes the file explicitly, because a child process keeps a copy of the descriptor until the child calls `exec`.
    deinit { if CurrentProcess.forkGeneration == forkGeneration { close() } }

    /// Reserves disk space for the control file's memory-mapped page.
    private static func makeRoom(in file: any OpenFile) throws {
        let page = try file.read(at: 0, count: Field.size)
        let isWhole = page.count == Field.size
        // Other processes may also be reserving space, or may already be storing to the page. The file is extended first, because reserving
        // never overwrites existing bytes.
        if !isWhole { try file.truncate(to: Field.size) }
        if !isWhole || !page[Field.magicField...].starts(with: Field.magic) { try file.reserve(Field.size) }
    }

    /// Records this process, with its member number, in the shared-memory control page.
    ///
    /// Every process that has the store open has a member number.
    private func introduce() {
        guard let sharedLock else { return }
        page[Self.place(of: sharedLock.member)] = UInt64(sharedLock.member) << 32 | Self.thisProcess
    }

    /// Returns whether the control file next to the log at `path` is still this file, and not a replacement.
    func isInPlace(beside path: String, on fileSystem: any FileSystem) throws -> Bool {
        let there = try fileSystem.information(at: path + LogFormat.controlSuffix, followingLinks: false)
        return there?.inode == identity.inode && there?.device == identity.device
    }

    /// Acquires the owner lock on `log` for processes that use this control file.
    ///
    /// Returns `nil` if the file system does not support owner locks.
    func acquireOwnerLock(on log: any OpenFile) throws -> LogOwnerLock? {
        sharedLock == nil ? nil : try LogOwnerLock.acquire(on: log, for: identity)
    }

    // MARK: The lock

    /// Acquires the interprocess lock, waiting for at most the time limit of `environment`.
    ///
    /// - Returns: `true` if the last holder is known to have died while holding the lock.
    private func lock(_ environment: DeviceEnvironment, _ path: String) throws -> Bool {
        page.tryLock() ? false : try waitForLock(within: environment.lockLimit, environment.time, path)
    }

    /// Acquires the interprocess lock to open the store.
    ///
    /// If the control file was truncated while other processes had the store open, waits until these processes have released the file.
    func lockForOpening(_ environment: DeviceEnvironment, _ path: String) throws {
        let deadline = environment.time.monotonic + environment.lockLimit
        while true {
            // A holder that died may have left a torn write at the end of the log, which opening handles.
            _ = try lock(environment, path)
            // The file may have been created while this process waited.
            if Self.isOfNewerVersion(page.base) {
                try unlock()
                throw Self.newer(path)
            }
            guard page.isLost else { return }
            // If the page was truncated after this member registered, this member and the others would wait for one another.
            if region.isLost { throw StoreError.lostControl(path, by: nil) }
            introduce()
            guard try isMemberUnknown(in: 1..<Field.memberLimit) else { return }
            // The other members may need the lock to detect the truncation.
            try unlock()
            guard environment.time.monotonic < deadline else { throw StoreError.truncatedControl(path) }
            CurrentProcess.sleep(for: .milliseconds(2))
        }
    }

    /// Returns whether a live process with a member number in `numbers` is not recorded in the shared-memory control page.
    private func isMemberUnknown(in numbers: Range<Int>) throws -> Bool {
        guard sharedLock != nil, !numbers.isEmpty, let found = try file.anyHeld(numbers) else { return false }
        return try page[Self.place(of: UInt32(found))] >> 32 != UInt64(found)
            || isMemberUnknown(in: numbers.lowerBound..<found)
            || isMemberUnknown(in: found + 1..<numbers.upperBound)
    }

    /// Whether the interprocess lock that this process holds is visible to other processes.
    ///
    /// The value is not reliable while this process is opening the store.
    var hasLock: Bool { !region.isLost && sharedLock?.isMine != false }

    private static var thisProcess: UInt64 { UInt64(UInt32(truncatingIfNeeded: CurrentProcess.identifier)) }

    /// Returns the byte offset of the control page's entry for the process with the given member number.
    private static func place(of member: UInt32) -> Int {
        Field.members + Int(member) % Field.memberCount * MemoryLayout<UInt64>.size
    }

    /// Returns the identifier of the process that holds the lock, or 0 if the process is unknown or the lock is free.
    private func holder(of lock: SharedLock) -> UInt64 {
        let holder = lock.holder
        let entry = page[Self.place(of: holder)]
        return entry >> 32 == UInt64(holder) ? entry & UInt64(UInt32.max) : 0
    }

    /// Acquires the interprocess lock, waiting for at most `limit`.
    ///
    /// - Returns: `true` if the last holder is known to have died while holding the lock.
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

    /// Releases the interprocess lock, and wakes the processes that wait for commits.
    func unlock() throws {
        guard let sharedLock else {
            try file.unlock()
            // The lock excluded all other processes, but they can't see what this process wrote to the page.
            if page.isLost { throw FileError(.closed, .lock, file.path, detail: "the control file was truncated") }
            return
        }
        try sharedLock.unlock(handOver)
        page.wakeWatchersIfAny(sharedLock.member)
    }

    /// Removes this process from the members of the control file, and releases its locks.
    ///
    /// A second call has no effect. Do not call this method in a forked child, whose locks belong to its parent.
    func close() {
        guard !hasLeft.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // Closing the file is not enough, because the mapping keeps it open, including its locks.
        if let sharedLock { try? sharedLock.leave() } else { try? file.unlock() }
        // The page is meaningless after a restart of the machine. If closing fails, the file is released with the engine.
        try? file.close()
    }

    /// Returns the identifiers of the processes that have the store open, or `nil` if the store uses a file lock instead.
    func processes() throws -> Set<UInt64>? {
        guard sharedLock != nil else { return nil }
        var found: Set<UInt64> = [Self.thisProcess]
        try collectProcesses(in: 1..<Field.memberLimit, &found)
        return found
    }

    private func collectProcesses(in numbers: Range<Int>, _ processes: inout Set<UInt64>) throws {
        guard !numbers.isEmpty, let found = try file.anyHeld(numbers) else { return }
        let entry = page[Self.place(of: UInt32(found))]
        // Another process with the same place may have opened the store later.
        if entry >> 32 == UInt64(found) { processes.insert(entry & UInt64(UInt32.max)) }
        try collectProcesses(in: numbers.lowerBound..<found, &processes)
        try collectProcesses(in: found + 1..<numbers.upperBound, &processes)
    }

    // MARK: The log that the page describes. The lock must be held.

    /// The magic number of a control file, as a 64-bit word.
    private static let magic = Field.magic.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }

    /// Returns whether a newer version of Larder wrote the control file.
    private static func isOfNewerVersion(_ page: UnsafeMutableRawPointer) -> Bool {
        let bytes = UnsafeRawBufferPointer(start: page, count: Field.size)
        return bytes.loadUnaligned(fromByteOffset: Field.magicField, as: UInt64.self) == magic
            && bytes.number(UInt32.self, at: Field.versionField) > Field.version
    }

    private static func newer(_ log: String) -> StoreError { .newerLog(log, "its control file is newer") }

    /// The identity of the log that the control file describes, or `nil` if the control file is new or invalid.
    var subject: Subject? {
        get { Subject(page: UnsafeRawBufferPointer(start: page.base, count: Field.size)) }
        set {
            guard let newValue else { return }
            page.base.storeBytes(of: Field.version.littleEndian, toByteOffset: Field.versionField, as: UInt32.self)
            set(Field.bootField, newValue.boot)
            set(Field.fileIdentifierField, newValue.fileIdentifier)
            page[Field.deviceField] = newValue.device
            page[Field.inodeField] = newValue.inode
            // The magic number is written last, because it marks the page as complete.
            page[Field.magicField] = Self.magic
        }
    }

    private func set(_ offset: Int, _ bytes: [UInt8]) {
        (page.base + offset).copyMemory(from: bytes, byteCount: bytes.count)
    }
}
