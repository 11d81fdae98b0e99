// This is the only Swift file of this module that imports the C library.
import CLarderPlatform
import LarderCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

/// A namespace for Swift wrappers of system calls, which throw the value of `errno` if the call fails.
///
/// Calls that a signal interrupts (EINTR) are retried.
enum SystemCalls {
    struct Failure: Error {
        let number: Int32
    }

    private static func checked<Number: FixedWidthInteger>(_ call: () -> Number) throws(Failure) -> Number {
        while true {
            let result = call()
            if result >= 0 { return result }
            let number = errno
            if number != EINTR { throw Failure(number: number) }
        }
    }

    // MARK: Files

    static func open(_ path: String, _ mode: FileOpenMode) throws(Failure) -> Int32 {
        // O_NONBLOCK keeps the call from blocking if the path is a named pipe. The flag has no effect on regular files.
        var flags = O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (mode.isWritable ? O_RDWR : O_RDONLY)
        switch mode.creation {
        case .never: break
        case .ifMissing: flags |= O_CREAT
        case .always: flags |= O_CREAT | O_EXCL
        }
        if !mode.followsLinks { flags |= O_NOFOLLOW }
        let permissions = mode_t(mode.permissions)
        #if canImport(Glibc)
        return try checked { Glibc.open(path, flags, permissions) }
        #elseif canImport(Musl)
        return try checked { Musl.open(path, flags, permissions) }
        #elseif canImport(Android)
        return try checked { Android.open(path, flags, permissions) }
        #else
        return try checked { Darwin.open(path, flags, permissions) }
        #endif
    }

    /// Closes a descriptor.
    ///
    /// The call is not retried after EINTR, because Linux has closed the descriptor and may have reused its number.
    static func close(_ descriptor: Int32) throws(Failure) {
        #if canImport(Glibc)
        let result = Glibc.close(descriptor)
        #elseif canImport(Musl)
        let result = Musl.close(descriptor)
        #elseif canImport(Android)
        let result = Android.close(descriptor)
        #else
        let result = Darwin.close(descriptor)
        #endif
        if result != 0, errno != EINTR { throw Failure(number: errno) }
    }

    static func read(
        _ descriptor: Int32,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) throws(Failure) -> Int {
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = try checked { pread(descriptor, rest.baseAddress, rest.count, off_t(offset + filled)) }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int) throws(Failure) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = try checked { pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + written)) }
            if count == 0 { throw Failure(number: EIO) }
            written += count
        }
    }

    static func truncate(_ descriptor: Int32, to size: Int) throws(Failure) {
        _ = try checked { ftruncate(descriptor, off_t(size)) }
    }

    static func setPermissions(_ descriptor: Int32, _ permissions: UInt16) throws(Failure) {
        _ = try checked { fchmod(descriptor, mode_t(permissions)) }
    }

    static func setOwner(_ descriptor: Int32, _ owner: UInt32?, group: UInt32) throws(Failure) {
        _ = try checked { fchown(descriptor, owner ?? .max, group) }
    }

    /// Reserves disk space for a file.
    ///
    /// Throws an error if the file system does not support the operation. In that case, the caller must write zeros.
    static func reserve(_ descriptor: Int32, from current: Int, to size: Int) throws(Failure) {
        #if canImport(Darwin)
        if size > current {
            var request = fstore_t(
                fst_flags: UInt32(F_ALLOCATEALL),
                fst_posmode: F_PEOFPOSMODE,
                fst_offset: 0,
                fst_length: off_t(size - current),
                fst_bytesalloc: 0
            )
            _ = try checked { fcntl(descriptor, F_PREALLOCATE, &request) }
            try truncate(descriptor, to: size)
        }
        #else
        // Space is reserved from the beginning of the file, because a sparse copy of a file has holes.
        _ = try checked { larder_reserve(descriptor, Int64(size)) }
        #endif
    }

    static func synchronize(_ descriptor: Int32, _ scope: SyncScope) throws(Failure) {
        #if canImport(Darwin)
        // On Apple platforms, fsync flushes only to the drive's cache. Some network volumes don't support a full sync, and fsync suffices
        // there.
        do {
            _ = try checked { fcntl(descriptor, F_FULLFSYNC) }
        } catch  where [ENOTSUP, EINVAL, ENOTTY].contains(error.number) {
            _ = try checked { fsync(descriptor) }
        }
        #else
        switch scope {
        case .data: _ = try checked { fdatasync(descriptor) }
        case .everything: _ = try checked { fsync(descriptor) }
        }
        #endif
    }

    static func lock(_ descriptor: Int32, _ kind: LockKind, wait: Bool) throws(Failure) -> Bool {
        let operation = (kind == .shared ? LOCK_SH : LOCK_EX) | (wait ? 0 : LOCK_NB)
        do {
            _ = try checked { flock(descriptor, operation) }
            return true
        } catch  where error.number == EWOULDBLOCK {
            return false
        }
    }

    static func unlock(_ descriptor: Int32) throws(Failure) {
        _ = try checked { flock(descriptor, LOCK_UN) }
    }

    static func hold(_ descriptor: Int32, _ number: Int, _ kind: LockKind) throws(Failure) -> Bool {
        try checked { larder_hold(descriptor, place(number), kind == .shared ? 1 : 0) } == 1
    }

    static func release(_ descriptor: Int32, _ number: Int) throws(Failure) {
        _ = try checked { larder_let_go(descriptor, place(number)) }
    }

    static func anyHeld(_ descriptor: Int32, _ numbers: Range<Int>) throws(Failure) -> Int? {
        let held = try checked { larder_held(descriptor, place(numbers.lowerBound), Int64(numbers.count)) }
        return held == 0 ? nil : Int(held - place(0))
    }

    private static func place(_ number: Int) -> Int64 { SharedLock.firstPlace + Int64(number) }

    static func information(of descriptor: Int32) throws(Failure) -> FileInformation {
        var status = stat()
        _ = try checked { fstat(descriptor, &status) }
        return information(status)
    }

    // MARK: Memory

    static func map(
        _ descriptor: Int32,
        offset: Int,
        count: Int,
        writable: Bool
    ) throws(Failure) -> UnsafeMutableRawBufferPointer {
        let protection = writable ? PROT_READ | PROT_WRITE : PROT_READ
        guard
            count > 0,
            let address = mmap(nil, count, protection, MAP_SHARED, descriptor, off_t(offset)),
            address != MAP_FAILED
        else { throw Failure(number: count > 0 ? errno : EINVAL) }
        return UnsafeMutableRawBufferPointer(start: address, count: count)
    }

    /// Prevents accesses to lost pages of mapped memory from crashing the process.
    ///
    /// A page that can no longer be read is replaced with zeros when it is accessed.
    ///
    /// Returns the address of a word that becomes nonzero when a page is lost. The address is valid until the memory is unmapped.
    static func watch(_ bytes: UnsafeMutableRawBufferPointer) throws(Failure) -> UnsafePointer<UInt32> {
        guard let isLost = larder_watch_map(bytes.baseAddress, bytes.count) else { throw Failure(number: ENOMEM) }
        return isLost
    }

    static func isLost(_ word: UnsafePointer<UInt32>) -> Bool { larder_map_is_lost(word) != 0 }

    static func unmap(_ bytes: UnsafeMutableRawBufferPointer) {
        larder_forget_map(bytes.baseAddress)
        munmap(bytes.baseAddress, bytes.count)
    }

    /// Blocks until all mapped pages that overlap `range` are durable.
    static func synchronize(_ bytes: UnsafeMutableRawBufferPointer, _ range: Range<Int>) throws(Failure) {
        let start = range.lowerBound / pageSize * pageSize
        guard let address = bytes.baseAddress, !range.isEmpty else { return }
        _ = try checked { msync(address + start, range.upperBound - start, MS_SYNC) }
    }

    /// Stores bytes in mapped memory that ``watch(_:)`` protects, or returns `false` if a page has been lost.
    static func store(
        _ source: UnsafeRawBufferPointer,
        to address: UnsafeMutableRawPointer,
        _ isLost: UnsafePointer<UInt32>
    ) -> Bool {
        larder_store(address, source.baseAddress, source.count, isLost) == 0
    }

    static let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))

    // MARK: Watching

    static func openWatcher() throws(Failure) -> Int32 { try checked { larder_watch_open() } }

    /// Watches the file at `path`, and returns the number of the watch.
    static func addWatch(_ descriptor: Int32, _ path: String) throws(Failure) -> Int32 {
        try checked { larder_watch_add(descriptor, path) }
    }

    static func removeWatch(_ descriptor: Int32, _ number: Int32) { larder_watch_remove(descriptor, number) }

    struct WatchEvent {
        /// The number of the file's watch, or `nil` if any watched file may have changed.
        let number: Int32?
        /// Whether the watch was removed, or its file no longer exists.
        let hasEnded: Bool
    }

    /// Waits for events of the watched files.
    static func readWatches(_ descriptor: Int32) throws(Failure) -> [WatchEvent] {
        var events = [larder_watch_event](repeating: larder_watch_event(), count: Int(LARDER_WATCH_EVENTS))
        let count = try checked { larder_watch_read(descriptor, &events) }
        return events.prefix(count).map {
            WatchEvent(number: $0.number < 0 ? nil : $0.number, hasEnded: $0.has_ended != 0)
        }
    }

    /// The error number that a watcher reports if the user has too many watches.
    static let tooManyWatches = ENOSPC

    #if canImport(Darwin)
    /// Opens a file to receive its events, without access to its content.
    static func openForEvents(_ path: String) throws(Failure) -> Int32 {
        try checked { Darwin.open(path, O_EVTONLY | O_CLOEXEC) }
    }
    #endif

    // MARK: Paths

    static func information(at path: String, followingLinks: Bool) throws(Failure) -> FileInformation? {
        var status = stat()
        do {
            _ = try checked { followingLinks ? stat(path, &status) : lstat(path, &status) }
        } catch  where error.number == ENOENT || error.number == ENOTDIR {
            return nil
        }
        return information(status)
    }

    /// Creates a directory, or returns `false` if `path` already exists.
    static func makeDirectory(_ path: String) throws(Failure) -> Bool {
        do {
            _ = try checked { mkdir(path, 0o700) }
            return true
        } catch  where error.number == EEXIST {
            return false
        }
    }

    static func contentsOfDirectory(_ path: String) throws(Failure) -> [String] {
        guard let directory = opendir(path) else { throw Failure(number: errno) }
        defer { closedir(directory) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(directory) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        if errno != 0 { throw Failure(number: errno) }
        return names
    }

    static func rename(_ source: String, to destination: String) throws(Failure) {
        #if canImport(Glibc)
        _ = try checked { Glibc.rename(source, destination) }
        #elseif canImport(Musl)
        _ = try checked { Musl.rename(source, destination) }
        #elseif canImport(Android)
        _ = try checked { Android.rename(source, destination) }
        #else
        _ = try checked { Darwin.rename(source, destination) }
        #endif
    }

    static func renameExclusively(_ source: String, to destination: String) throws(Failure) {
        _ = try checked { larder_rename_exclusively(source, destination) }
    }

    static func remove(_ path: String) throws(Failure) {
        _ = try checked { unlink(path) }
    }

    static func openDirectory(_ path: String) throws(Failure) -> Int32 {
        #if canImport(Glibc)
        try checked { Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        #elseif canImport(Musl)
        try checked { Musl.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        #elseif canImport(Android)
        try checked { Android.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        #else
        try checked { Darwin.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        #endif
    }

    static func synchronizeDirectory(_ descriptor: Int32) throws(Failure) {
        do {
            try synchronize(descriptor, .everything)
        } catch  where error.number == EINVAL || error.number == ENOTSUP {
            // The file system does not support syncing a directory.
        }
    }

    /// Returns `path` with all symbolic links resolved, or `nil` if one of its components does not exist.
    static func realPath(_ path: String) throws(Failure) -> String? {
        guard let resolved = realpath(path, nil) else {
            let number = errno
            if number == ENOENT { return nil }
            throw Failure(number: number)
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    static func targetOfLink(_ path: String) throws(Failure) -> String {
        let capacity = Int(PATH_MAX)
        var buffer = [CChar](repeating: 0, count: capacity)
        let count = try checked { readlink(path, &buffer, capacity) }
        return String(decoding: buffer[..<count].lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    // MARK: The process

    static var processIdentifier: Int32 { getpid() }

    /// Yields the processor to other threads.
    static func yield() { _ = sched_yield() }

    /// Blocks the current thread for `duration`.
    static func sleep(for duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var rest = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        var left = timespec()
        while nanosleep(&rest, &left) != 0, errno == EINTR { rest = left }
    }

    /// Starts a thread that runs `body` and does not receive signals sent to the process.
    ///
    /// `name` may have at most 15 bytes.
    static func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) throws(Failure) {
        let number = NewThread.start(name, body)
        if number != 0 { throw Failure(number: number) }
    }

    // MARK: The machine

    static func volume(at path: String) throws(Failure) -> VolumeInformation {
        #if canImport(Darwin)
        var status = statfs()
        _ = try checked { statfs(path, &status) }
        let name = withUnsafeBytes(of: &status.f_fstypename) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return VolumeInformation(
            name: name,
            isNetwork: status.f_flags & UInt32(MNT_LOCAL) == 0,
            isSafeForSharedMaps: ["apfs", "hfs"].contains(name)
        )
        #else
        return .linux(UInt32(truncatingIfNeeded: try checked { larder_volume_type(path) }))
        #endif
    }

    /// The boot identifier that a system call reports, or `nil` if the system has no such call.
    static var bootIdentifier: String? {
        #if canImport(Darwin)
        var text = [CChar](repeating: 0, count: 64)
        var size = 63
        guard sysctlbyname("kern.bootsessionuuid", &text, &size, nil, 0) == 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        #else
        return nil
        #endif
    }

    // MARK: Error numbers

    static func isTimeOut(_ number: Int32) -> Bool { number == ETIMEDOUT || number == EBUSY }

    static func code(of number: Int32) -> FileError.Code {
        switch number {
        case ENOENT: .notFound
        case EEXIST, ENOTEMPTY: .alreadyExists
        case EACCES, EPERM, EROFS: .notPermitted
        // EFBIG means that the file would exceed the size limit of the user or of the file system.
        case ENOSPC, EDQUOT, EFBIG: .diskFull
        case EISDIR, ENOTDIR, ELOOP: .wrongKind
        case EWOULDBLOCK, EBUSY, ETXTBSY: .busy
        case ENAMETOOLONG: .invalidPath
        case EOPNOTSUPP, ENOTSUP, ENOSYS, ENODEV, EXDEV: .unsupported
        case EBADF: .closed
        case EMFILE: .tooManyOpenFiles
        case ENFILE: .tooManyOpenFilesInSystem
        default: .inputOutput
        }
    }

    private static func information(_ status: stat) -> FileInformation {
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        let kind: FileInformation.Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFLNK: .link
            default: .other
            }
        return FileInformation(
            kind: kind,
            size: Int(status.st_size),
            device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(truncatingIfNeeded: status.st_ino),
            permissions: UInt16(truncatingIfNeeded: status.st_mode & 0o7777),
            owner: status.st_uid,
            group: status.st_gid,
            modified: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec),
            links: Int(status.st_nlink)
        )
    }
}
