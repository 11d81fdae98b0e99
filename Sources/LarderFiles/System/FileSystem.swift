/// The seam between Larder's engines and the operating system: everything they ask of a disk.
///
/// `LocalFileSystem` asks the real one; the lying file system of `LarderTestSupport` records, fails and forgets on purpose.
/// Every call throws ``FileError`` with the path, the operation and the errno; none retries anything but EINTR and short
/// reads and writes.
package protocol FileSystem: Sendable {
    /// Opens a file; anything else at the path, such as a folder, is `wrongKind`. Programs started later do not inherit it.
    func open(_ path: String, _ mode: FileOpenMode) throws -> any OpenFile

    /// What is at `path`, or `nil` when nothing is. A symbolic link is followed unless `followingLinks` is false.
    func information(at path: String, followingLinks: Bool) throws -> FileInformation?

    /// Creates the folder and any missing parent with mode 0700; what it created survives power loss when it returns. An
    /// existing folder is left as it is.
    func createDirectory(at path: String) throws

    /// The names in a folder, without "." and "..", sorted by their bytes.
    func contentsOfDirectory(at path: String) throws -> [String]

    /// Gives the file at `source` the name `destination`, replacing what is there in one step.
    func rename(_ source: String, to destination: String) throws

    /// Gives the file at `source` the name `destination` in one step, unless something has that name: then this throws ``FileError``
    /// with the code `alreadyExists`. Where the file system can't do it in one step, the name is looked for just before.
    func renameExclusively(_ source: String, to destination: String) throws

    /// Removes a file, not a folder. Throws ``FileError`` with code `notFound` when there is none.
    func remove(_ path: String) throws

    /// Makes creations, renames and removals in a folder survive power loss.
    func synchronizeDirectory(at path: String) throws

    /// The path with every symbolic link in it followed; the last part need not exist.
    func resolvingLinks(in path: String) throws -> String

    /// What kind of file system the path, which must exist, is on.
    func volume(at path: String) throws -> VolumeInformation

    /// Another text after every start of the machine: while it is the same, whatever any process wrote is still readable,
    /// synced or not. Throws `unsupported` where there is no such thing.
    func bootIdentifier() throws -> String
}

/// An open file.
///
/// Closed when the last reference to it goes, or by ``close()``.
package protocol OpenFile: AnyObject, Sendable {
    /// The path it was opened by, or was renamed to since. Errors name the file by it.
    var path: String { get }

    /// Notes that the file has been renamed to `path`, which this call does not do.
    func noteRename(to path: String)

    /// Size, identity and kind now.
    func information() throws -> FileInformation

    /// Fills `buffer` from `offset` and returns how many bytes it put there; fewer than fit only at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int

    /// Writes all of `bytes` at `offset`, growing the file where needed.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws

    /// Cuts the file, or grows it by zeros that are not reserved on the disk.
    func truncate(to size: Int) throws

    /// Reserves room on the disk, so that later writes below `size` can't meet a full disk. Grows the file to `size` by zeros.
    func reserve(_ size: Int) throws

    /// Sets the permission bits, whatever the process's mask for new files is.
    func setPermissions(_ permissions: UInt16) throws

    /// Gives the file to another user, unless that is `nil`, and group. The first only a privileged process may, the second whoever belongs
    /// to the group.
    func setOwner(_ owner: UInt32?, group: UInt32) throws

    /// Waits until the disk has confirmed every earlier write to this file. `.data` may leave out times that are of no
    /// use for reading it. A failure must never be answered by calling this again.
    func synchronize(_ scope: SyncScope) throws

    /// Takes the lock that is shared by everybody who opens the same file: it belongs to this open file, and dies with it or
    /// its process; two opens in one process exclude one another. `false` when somebody else has it and `wait` is false.
    /// A held lock of the other kind is exchanged, and may be lost for a moment meanwhile.
    func lock(_ kind: LockKind, wait: Bool) throws -> Bool

    /// Lets go of the lock. Harmless when it is not held.
    func unlock() throws

    /// Acquires the lock of that number, from 1 on, which has nothing to do with ``lock(_:wait:)``, for as long as the file is
    /// open; it is released with it or its process. `false` if another open file has a lock of that number that excludes this one.
    /// Throws `unsupported` where there are no such locks.
    func hold(_ number: Int, _ kind: LockKind) throws -> Bool

    /// Lets go of it before the file is closed. To the operating system a file that is mapped stays open until it is not any more.
    func letGo(_ number: Int) throws

    /// One of `numbers` whose lock, of whichever kind, another open file has; `nil` when there is none.
    func anyHeld(_ numbers: Range<Int>) throws -> Int?

    /// Maps `count` bytes at `offset` (a multiple of the page size) for sharing with other processes.
    func map(offset: Int, count: Int, writable: Bool) throws -> any MappedRegion

    /// Closes the file, and with it the lock. A second call does nothing; any other call then throws `closed`.
    func close() throws
}

extension OpenFile {
    /// ``hold(_:_:)`` for a lock that excludes every other of that number.
    package func hold(_ number: Int) throws -> Bool { try hold(number, .exclusive) }

    /// Whether another open file has the lock of that number.
    package func isHeld(_ number: Int) throws -> Bool { try anyHeld(number..<number + 1) != nil }

    /// Lets the same users read and write it as the file that it is to take the place of, as far as this process may: it gets that one's
    /// owner and group, where it may give files away, and its permission bits, but those of a group that is another one.
    package func takeOver(_ former: FileInformation) throws {
        var mine = try information()
        if mine.owner != former.owner || mine.group != former.group {
            // A file that its user may write can well be somebody else's; then it becomes theirs, and the group's that it was.
            if (try? setOwner(former.owner, group: former.group)) == nil { try? setOwner(nil, group: former.group) }
            mine = try information()
        }
        let permissions = former.permissions & (mine.group == former.group ? 0o777 : 0o707)
        if mine.permissions != permissions { try setPermissions(permissions) }
    }

    /// Reads up to `count` bytes at `offset`; fewer only at the end of the file.
    package func read(at offset: Int, count: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
        }
    }

    /// Writes all of `bytes` at `offset`, growing the file where needed.
    package func write(_ bytes: [UInt8], at offset: Int) throws {
        try bytes.withUnsafeBytes { try write($0, at: offset) }
    }
}

/// Bytes of a file that this process and others share; unmapped when the last reference to it goes.
package protocol MappedRegion: AnyObject, Sendable {
    /// Where they are. Valid as long as the region is.
    var bytes: UnsafeMutableRawBufferPointer { get }

    /// Waits until the disk has confirmed what was stored in `range`.
    func synchronize(_ range: Range<Int>) throws

    /// Stores `bytes` at `offset` in the region, which must hold them: what a plain store does, but when the region has lost a page this
    /// throws. Then any part of them may have been stored.
    func store(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws

    /// Where ``store(_:at:)`` may be replaced by ``MappedMemory/store(_:at:)``, a call less; `nil` where somebody wants to know
    /// of every store.
    var plainMemory: MappedMemory? { get }

    /// Whether a page was lost: whoever accessed it when the operating system could not give it, because the file was cut or its disk
    /// failed, found zeros of this process alone in its place, which does not end the process. It stays lost.
    var isLost: Bool { get }

    /// Makes the pages of `range` present and writable now, where the platform can: what would be met at the first store to
    /// them, work or failure, is met here.
    func populate(_ range: Range<Int>) throws
}

extension MappedRegion {
    package var plainMemory: MappedMemory? { nil }
    package var isLost: Bool { false }
}

/// The memory of a ``MappedRegion``, for its owner, as long as that is kept.
package struct MappedMemory: Sendable {
    /// Handing the address to another thread is safe; what is stored there is for the owner to guard.
    nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer
    /// Not zero once a page was lost; written by the handler of the signal alone, and read by atomic loads.
    nonisolated(unsafe) private let lossWord: UnsafePointer<UInt32>

    init(_ bytes: UnsafeMutableRawBufferPointer, isLost: UnsafePointer<UInt32>) {
        self.bytes = bytes
        lossWord = isLost
    }

    var isLost: Bool { SystemCalls.isLost(lossWord) }

    /// Stores `source` at `offset`, where there must be room for it; `false` where ``MappedRegion/store(_:at:)`` throws.
    package func store(_ source: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        guard let address = bytes.baseAddress else { return false }
        return SystemCalls.store(source, to: address + offset, lossWord)
    }
}

/// What the operating system maps as a whole.
package enum MemoryPage {
    /// In bytes, a power of two.
    package static let size = SystemCalls.pageSize
    /// What many systems can map as a whole where memory is large: in bytes, a power of two.
    package static let largeSize = 2 << 20

    /// Asks for large pages behind memory that is about to be used.
    package static func preferLarge(_ memory: UnsafeMutableRawBufferPointer) { SystemCalls.preferLargePages(memory) }
}

/// How to open a file.
package struct FileOpenMode: Sendable, Hashable {
    /// May be read only.
    package var isWritable: Bool
    /// What to do when the file is missing or there.
    package var creation: Creation
    /// Permission bits of a file that is created.
    package var permissions: UInt16
    /// Whether a symbolic link in the last place of the path is followed; if not, it is an error.
    package var followsLinks: Bool

    /// What to do when the file is missing or there.
    package enum Creation: Sendable, Hashable {
        /// It must be there.
        case never
        /// It is created when missing.
        case ifMissing
        /// It must not be there.
        case always
    }

    package init(
        isWritable: Bool,
        creation: Creation = .never,
        permissions: UInt16 = 0o600,
        followsLinks: Bool = true
    ) {
        self.isWritable = isWritable
        self.creation = creation
        self.permissions = permissions
        self.followsLinks = followsLinks
    }

    /// For reading what is there.
    package static let reading = FileOpenMode(isWritable: false)
    /// For reading and writing what is there.
    package static let writing = FileOpenMode(isWritable: true)
}

/// What a file is.
package struct FileInformation: Sendable, Hashable {
    package enum Kind: Sendable, Hashable { case file, directory, link, other }

    package var kind: Kind
    /// In bytes.
    package var size: Int
    /// The device it is on: with `inode`, which file it is, whatever it is called.
    package var device: UInt64
    /// Its number on that device.
    package var inode: UInt64
    /// Permission bits.
    package var permissions: UInt16
    /// Numbers of the user and the group that it belongs to.
    package var owner: UInt32
    package var group: UInt32
    /// When its content was last changed, in nanoseconds since 1970.
    package var modified: Int64
    /// How many names it has: more than one where there are hard links, none once it was removed.
    package var links: Int

    package init(
        kind: Kind,
        size: Int,
        device: UInt64,
        inode: UInt64,
        permissions: UInt16,
        owner: UInt32 = 0,
        group: UInt32 = 0,
        modified: Int64,
        links: Int = 1
    ) {
        self.kind = kind
        self.size = size
        self.device = device
        self.inode = inode
        self.permissions = permissions
        self.owner = owner
        self.group = group
        self.modified = modified
        self.links = links
    }
}

/// What a sync waits for.
package enum SyncScope: Sendable, Hashable {
    /// Content, and what is needed to read it.
    case data
    /// Content and everything about the file.
    case everything
}

/// Who else may hold a lock at the same time.
package enum LockKind: Sendable, Hashable {
    /// Other sharers.
    case shared
    /// Nobody.
    case exclusive
}
