/// The interface through which Larder's stores access files.
///
/// Every failed call throws ``FileError`` with the path, the operation and the errno value. Calls are retried only after EINTR and after
/// short reads and writes. In tests, `SimulatedFileSystem` replaces `LocalFileSystem` to inject failures and lose unsynced data.
package protocol FileSystem: Sendable {
    /// Opens the regular file at `path`.
    ///
    /// Child processes do not inherit the descriptor.
    ///
    /// Throws ``FileError`` with code `wrongKind` if `path` points to anything other than a regular file, such as a folder.
    func open(_ path: String, _ mode: FileOpenMode) throws -> any OpenFile

    /// Returns the attributes of the file or folder at `path`, or `nil` if nothing exists there.
    ///
    /// A symbolic link is followed unless `followingLinks` is `false`.
    func information(at path: String, followingLinks: Bool) throws -> FileInformation?

    /// Durably creates the folder at `path` and its missing parents, with mode 0700.
    ///
    /// An existing folder is left unchanged.
    func createDirectory(at path: String) throws

    /// Returns the names of all entries in a folder except "." and "..", sorted bytewise.
    func contentsOfDirectory(at path: String) throws -> [String]

    /// Atomically renames `source` to `destination`, replacing any existing file.
    func rename(_ source: String, to destination: String) throws

    /// Renames `source` to `destination`, or throws ``FileError`` with code `alreadyExists` if `destination` exists.
    ///
    /// On file systems without an atomic exclusive rename, the call checks whether `destination` exists just before renaming.
    func renameExclusively(_ source: String, to destination: String) throws

    /// Removes a file, but not a folder.
    ///
    /// Throws ``FileError`` with code `notFound` if the file does not exist.
    func remove(_ path: String) throws

    /// Makes earlier creations, renames and removals of files in a folder durable.
    func synchronizeDirectory(at path: String) throws

    /// Returns `path` with all symbolic links resolved.
    ///
    /// The last component of the path need not exist.
    func resolvingLinks(in path: String) throws -> String

    /// Returns information about the volume that contains `path`.
    ///
    /// The path must exist.
    func volume(at path: String) throws -> VolumeInformation

    /// Calls `onChange` after each write to the file at `path`, by any process.
    ///
    /// See ``FileWatcher/watch(_:_:)``. Throws ``FileError`` with code `unsupported` if the file can't be watched.
    func watch(_ path: String, _ onChange: @escaping @Sendable () -> Void) throws -> FileWatch

    /// Returns an identifier that changes each time the machine boots.
    ///
    /// As long as the identifier is unchanged, all bytes that a process has written can be read, even if they were not synced. Throws
    /// ``FileError`` with code `unsupported` on systems without a boot identifier.
    func bootIdentifier() throws -> String
}

/// An open file, which is closed when ``close()`` is called or the last reference to it is released.
package protocol OpenFile: AnyObject, Sendable {
    /// The path at which the file was opened or to which it was last renamed, for error messages.
    var path: String { get }

    /// Records that the file has been renamed to `path`.
    func noteRename(to path: String)

    /// Returns the current attributes of the file.
    func information() throws -> FileInformation

    /// Reads bytes from `offset` into `buffer`, and returns the number of bytes read.
    ///
    /// The result is smaller than the buffer only at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int

    /// Writes all of `bytes` at `offset`, extending the file if needed.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws

    /// Truncates the file to `size`, or extends it with zeros without reserving disk space.
    func truncate(to size: Int) throws

    /// Extends the file to `size` with zeros, and reserves disk space for later writes below `size`.
    func reserve(_ size: Int) throws

    /// Sets the permission bits of the file, regardless of the process's umask.
    func setPermissions(_ permissions: UInt16) throws

    /// Changes the group of the file, and its owner unless `owner` is `nil`.
    ///
    /// Only a privileged process may change the owner. Other processes may choose any group that they belong to.
    func setOwner(_ owner: UInt32?, group: UInt32) throws

    /// Blocks the current thread until all earlier writes to this file are durable.
    ///
    /// With `.data`, timestamps may not be synced. Do not retry a failed sync, because a second call may succeed even though the data was
    /// lost.
    func synchronize(_ scope: SyncScope) throws

    /// Acquires a lock that excludes other open handles of the same file, in this and other processes.
    ///
    /// The lock is released when the handle is closed or its process ends. Returns `false` if another handle holds a conflicting lock and
    /// `wait` is `false`. Changing the kind of a held lock may briefly release the lock.
    func lock(_ kind: LockKind, wait: Bool) throws -> Bool

    /// Releases the lock that ``lock(_:wait:)`` acquired.
    ///
    /// The call has no effect if the lock is not held.
    func unlock() throws

    /// Acquires the byte-range lock with the given number, which must be at least 1.
    ///
    /// Byte-range locks are independent of ``lock(_:wait:)``. The lock is released when the handle is closed or its process ends. Returns
    /// `false` if another handle holds a conflicting lock with the same number. Throws ``FileError`` with code `unsupported` on systems
    /// without byte-range locks.
    func hold(_ number: Int, _ kind: LockKind) throws -> Bool

    /// Releases byte-range lock `number` before the file is closed.
    ///
    /// A memory-mapped file must release its locks explicitly, because the operating system keeps them until the file is unmapped.
    func release(_ number: Int) throws

    /// Returns the number of a byte-range lock in `numbers` that another handle holds, or `nil` if there is none.
    func anyHeld(_ numbers: Range<Int>) throws -> Int?

    /// Maps `count` bytes of the file at `offset` into memory, shared with other processes.
    ///
    /// The offset must be a multiple of the page size.
    func map(offset: Int, count: Int, writable: Bool) throws -> any MappedRegion

    /// Closes the file and releases its locks.
    ///
    /// A second call has no effect. All other calls on a closed file throw ``FileError`` with code `closed`.
    func close() throws
}

extension OpenFile {
    /// Acquires byte-range lock `number` exclusively.
    ///
    /// See ``hold(_:_:)``.
    package func hold(_ number: Int) throws -> Bool { try hold(number, .exclusive) }

    /// Returns whether another handle holds byte-range lock `number`.
    package func isHeld(_ number: Int) throws -> Bool { try anyHeld(number..<number + 1) != nil }

    /// Copies the owner, group and permissions of the file that this file will replace, if this process is allowed to set them.
    ///
    /// If the group can't be set, this file's own group gets no permissions.
    package func takeOver(_ former: FileInformation) throws {
        var mine = try information()
        if mine.owner != former.owner || mine.group != former.group {
            // The former file may have belonged to another user, who becomes the owner again.
            if (try? setOwner(former.owner, group: former.group)) == nil { try? setOwner(nil, group: former.group) }
            mine = try information()
        }
        let permissions = former.permissions & (mine.group == former.group ? 0o777 : 0o707)
        if mine.permissions != permissions { try setPermissions(permissions) }
    }

    /// Reads `count` bytes at `offset`, or fewer bytes at the end of the file.
    package func read(at offset: Int, count: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
        }
    }

    /// Writes all of `bytes` at `offset`, extending the file if needed.
    package func write(_ bytes: [UInt8], at offset: Int) throws {
        try bytes.withUnsafeBytes { try write($0, at: offset) }
    }
}

/// A memory-mapped region of a file, shared with other processes.
///
/// The region is unmapped when the last reference to it is released.
package protocol MappedRegion: AnyObject, Sendable {
    /// The mapped memory, valid as long as this region exists.
    var bytes: UnsafeMutableRawBufferPointer { get }

    /// Blocks until the bytes stored in `range` are durable.
    func synchronize(_ range: Range<Int>) throws

    /// Copies `bytes` to `offset` in the region.
    ///
    /// The bytes must fit in the region. Throws an error if the region has lost a page. In that case, some of the bytes may have been
    /// copied.
    func store(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws

    /// The mapped memory for faster, direct stores, or `nil` if direct stores are not supported.
    var plainMemory: MappedMemory? { get }

    /// Whether a page of the region was lost because the file was truncated or its disk failed.
    ///
    /// Accessing a lost page does not crash the process. The page reads as zeros, and stores to it do not reach the file. Once a page is
    /// lost, this property remains `true`.
    var isLost: Bool { get }
}

extension MappedRegion {
    package var plainMemory: MappedMemory? { nil }
    package var isLost: Bool { false }
}

/// The memory of a ``MappedRegion``, valid as long as the region exists.
package struct MappedMemory: Sendable {
    /// The mapped bytes.
    ///
    /// The owner of the region synchronizes access to the bytes.
    nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer
    /// A word that becomes nonzero when a mapped page is lost, for example because the file was truncated.
    ///
    /// The signal handler writes the word, and readers load it atomically.
    nonisolated(unsafe) private let lossWord: UnsafePointer<UInt32>

    init(_ bytes: UnsafeMutableRawBufferPointer, isLost: UnsafePointer<UInt32>) {
        self.bytes = bytes
        lossWord = isLost
    }

    var isLost: Bool { SystemCalls.isLost(lossWord) }

    /// Copies `source` to `offset` in the memory.
    ///
    /// The bytes must fit in the memory. Returns `false` if the region has lost a page, in which case ``MappedRegion/store(_:at:)`` throws
    /// an error.
    package func store(_ source: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        guard let address = bytes.baseAddress else { return false }
        return SystemCalls.store(source, to: address + offset, lossWord)
    }
}

/// A namespace for the properties of memory pages.
package enum MemoryPage {
    /// The size of a memory page in bytes, which is a power of two.
    package static let size = SystemCalls.pageSize
}

/// The options for opening a file.
package struct FileOpenMode: Sendable, Hashable {
    /// Whether the file is opened for writing as well as reading.
    package var isWritable: Bool
    /// The policy for creating the file.
    package var creation: Creation
    /// The permission bits of the file if it is created.
    package var permissions: UInt16
    /// Whether a symbolic link in the last component of the path is followed.
    ///
    /// If `false`, opening a symbolic link fails.
    package var followsLinks: Bool

    /// A policy for creating a file that is being opened.
    package enum Creation: Sendable, Hashable {
        /// The file is not created and must exist.
        case never
        /// The file is created if it is missing.
        case ifMissing
        /// The file is created and must not exist.
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

    /// The mode that opens an existing file for reading.
    package static let reading = FileOpenMode(isWritable: false)
    /// The mode that opens an existing file for reading and writing.
    package static let writing = FileOpenMode(isWritable: true)
}

/// The attributes of a file.
package struct FileInformation: Sendable, Hashable {
    package enum Kind: Sendable, Hashable { case file, directory, link, other }

    package var kind: Kind
    /// The size of the file in bytes.
    package var size: Int
    /// The number of the device that contains the file.
    ///
    /// Together with ``inode``, the device number identifies the file regardless of its name.
    package var device: UInt64
    /// The inode number of the file.
    package var inode: UInt64
    /// The permission bits of the file.
    package var permissions: UInt16
    /// The user identifier of the file's owner.
    package var owner: UInt32
    package var group: UInt32
    /// The time at which the content was last modified, in nanoseconds since 1970.
    package var modified: Int64
    /// The number of hard links to the file, which is 0 after the last one has been removed.
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

/// The scope of a sync, which determines how much of a file is made durable.
package enum SyncScope: Sendable, Hashable {
    /// The content of the file, and the metadata that is needed to read it.
    case data
    /// The content of the file and all its metadata.
    case everything
}

/// The mode of a file lock, either shared or exclusive.
package enum LockKind: Sendable, Hashable {
    /// A shared lock, which excludes only exclusive locks.
    case shared
    /// An exclusive lock, which excludes all other locks.
    case exclusive
}
