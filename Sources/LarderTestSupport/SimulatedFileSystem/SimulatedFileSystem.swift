import Foundation
package import LarderFiles
import Synchronization

/// An in-memory file system that records calls, injects failures and simulates power loss.
///
/// **Behavior.** As long as the power is on, the file system behaves like a disk. It supports absolute and relative paths, permission bits,
/// locks and shared memory mappings. Folders must exist before files are created in them; "/" and "." always exist. There are no
/// symbolic links. Modification times are change counters.
///
/// **Recording.** Every call is recorded in ``operations``, and every change and sync in ``events``. Writes to mapped memory are detected
/// at the next call or by ``recordMappedStores()``, and become separate events. A region's `store` method counts as a call.
///
/// **Failures.** ``fail(at:errno:forever:writing:only:)`` makes a given call fail, or that call and all later calls. A failing write may
/// have written some of its bytes. As on Linux, bytes whose sync failed can still be read, but no later sync makes them durable.
///
/// **Power loss** (implemented by ``DiskState``; ``forEachCrashImage(atLeast:from:tearing:limit:_:)`` and
/// ``forEachSampledCrashImage(atLeast:from:seed:perPoint:tearing:where:_:)`` create the disks after a power loss):
/// - Synced content survives. Each sector of 512 bytes contains the result of any of the later changes to it, independently of all other
///   sectors, so unsynced writes may be lost, torn and reordered. With ``Tearing/bytes``, one change to a sector may also be torn at
///   any byte.
/// - The file may have any of the sizes that it has had since its last sync. If it grew, a sector whose data was lost contains zeros or
///   garbage. If it was truncated, the removed bytes may be zeros although the file still has its old size.
/// - The same applies to mapped bytes. Syncing a range of a mapping makes all pages of 4,096 bytes that overlap the range durable.
/// - A file name is durable only after its folder has been synced. Any subset of later creations, renames and removals may survive. Each
///   rename is atomic.
/// - `FileSystem.bootIdentifier()` changes after a power loss, but not after a process crash.
/// - Folders and permission bits are durable immediately, as `FileSystem.createDirectory(at:)` requires.
package final class SimulatedFileSystem: FileSystem, @unchecked Sendable {
    // `@unchecked Sendable` is safe because mutable properties and nodes are accessed only between `condition.lock()` and `unlock()`.
    let condition = NSCondition()
    var entries: [String: SimulatedNode] = [:]
    var directories: Set<String> = ["/", "."]
    var mappedNodes: [SimulatedNode] = []
    var nextInode = 1
    var clock: Int64 = 0
    private var faults: [Fault] = []
    private var count = 0
    private var recordedOperations: [RecordedOperation] = []
    private var recordedEvents: [DiskEvent] = []
    var pretendedVolume = VolumeInformation(
        name: "lying",
        isNetwork: false,
        isSafeForSharedMaps: true,
        keepsReservedRoom: true
    )
    var knowsBoots = true
    let initialState: DiskState
    /// The number of power losses so far, which is part of the boot identifier.
    let bootNumber: Int
    let isRecording: Bool
    private var unrecordedSuffix: String?
    private var unrecordedNodes: Set<Int> = []

    /// Creates a file system on a disk with the given folders and files.
    ///
    /// - Parameters:
    ///   - directories: The paths of the folders to create. Missing parent folders are created too.
    ///   - files: The contents of the files to create, keyed by path. Missing folders are created too.
    ///   - isRecording: Whether to record calls and changes. Without recording, the file system is faster but has no crash images.
    package convenience init(directories: [String] = [], files: [String: [UInt8]] = [:], isRecording: Bool = true) {
        var state = DiskState()
        for directory in directories { state.createDirectory(directory) }
        for (inode, (path, content)) in files.sorted(by: { $0.key < $1.key }).enumerated() {
            state.createDirectory(FilePath.folder(of: path))
            state.addFile(Self.normalized(path), inode: inode + 1, content: content)
        }
        self.init(state, isRecording: isRecording, bootNumber: 0)
    }

    init(_ state: DiskState, isRecording: Bool, bootNumber: Int) {
        initialState = state
        self.bootNumber = bootNumber
        self.isRecording = isRecording
        directories = state.directories
        entries.reserveCapacity(state.names.count)
        for (path, inode) in state.names {
            let file = state.files[inode] ?? FileOnDisk()
            entries[path] = SimulatedNode(inode: inode, bytes: file.base, permissions: file.permissions)
            nextInode = max(nextInode, inode + 1)
        }
    }

    // MARK: Recording and failures

    /// All recorded file system calls in order, except calls that close a file.
    package var operations: [RecordedOperation] { locked { recordedOperations } }

    /// The number of file system calls so far.
    ///
    /// Calls are numbered from 0, so this is also the index of the next call to pass to ``fail(at:errno:forever:writing:only:)``.
    package var operationCount: Int { locked { count } }

    /// All recorded disk events, in order.
    package var events: [DiskEvent] { locked { recordedEvents } }

    /// The number of recorded disk events.
    ///
    /// Tests use this number to record when a commit was acknowledged.
    package var eventCount: Int { locked { recordedEvents.count } }

    /// Schedules a failure of the file system call with the given index.
    ///
    /// Calls are numbered from 0, beginning when the file system is created.
    ///
    /// - Parameters:
    ///   - index: The index of the call to fail, or of the first call to fail if `forever` is `true`.
    ///   - errno: The `errno` value of the failure.
    ///   - forever: Whether all later calls fail too.
    ///   - writing: The number of bytes that a failing write writes before it fails.
    ///   - operations: The operations that fail, or `nil` for all.
    package func fail(
        at index: Int,
        errno: Int32,
        forever: Bool = false,
        writing: Int = 0,
        only operations: Set<FileError.Operation>? = nil
    ) {
        let fault = Fault(index: index, errno: errno, forever: forever, writing: writing, operations: operations)
        locked { faults.append(fault) }
    }

    /// Cancels all failures that ``fail(at:errno:forever:writing:only:)`` has scheduled.
    package func stopFailing() { locked { faults = [] } }

    /// Runs `body` while all scheduled failures are suspended, and returns the result of `body`.
    package func withoutFailing<Result>(_ body: () throws -> Result) rethrows -> Result {
        let held = locked {
            defer { faults = [] }
            return faults
        }
        defer { locked { faults = held } }
        return try body()
    }

    /// Returns the inode number of the file at `path`.
    ///
    /// This call is neither counted nor recorded.
    package func inode(at path: String) -> Int? { locked { entries[Self.normalized(path)]?.inode } }

    /// Records all writes to mapped memory that were made since the last file system call, so that crash images include the writes.
    package func recordMappedStores() { locked { noticeMappedStores() } }

    /// Reverts all writes to mapped memory that were made since the last file system call.
    func forgetMappedStores() { locked { for node in mappedNodes { node.forgetMappedStores() } } }

    /// Makes `FileSystem.volume(at:)` return `volume`, to simulate another type of file system.
    package func pretend(_ volume: VolumeInformation) { locked { pretendedVolume = volume } }

    /// Makes `FileSystem.bootIdentifier()` throw `unsupported`, as in a container without `/proc`.
    package func forgetBoots() { locked { knowsBoots = false } }

    func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
        condition.lock()
        defer { condition.unlock() }
        return try body()
    }

    func record(_ event: @autoclosure () -> DiskEvent) {
        clock += 1
        guard isRecording else { return }
        let event = event()
        if let unrecordedSuffix, case .create(let path, let inode, _) = event, path.hasSuffix(unrecordedSuffix) {
            unrecordedNodes.insert(inode)
        }
        if let inode = event.inode, unrecordedNodes.contains(inode) { return }
        recordedEvents.append(event)
    }

    /// Excludes files that are created later, and whose paths end with `suffix`, from ``events`` and all crash images.
    ///
    /// Use this method for files that are meaningless after a power loss, because recording them only multiplies the number of images.
    package func leaveUnrecorded(suffix: String) { locked { unrecordedSuffix = suffix } }

    /// Records a file system call, and throws an error if a failure is scheduled for the call.
    ///
    /// `failing` is called before the error is thrown. The call is recorded with the current path of its file.
    func begin(
        _ operation: FileError.Operation,
        _ path: String,
        of node: SimulatedNode? = nil,
        failing: (Fault) -> Void = { _ in }
    ) throws {
        noticeMappedStores()
        let index = count
        count += 1
        let fault = faults.first { $0.strikes(index, operation) }
        if isRecording {
            let name = node.flatMap { node in entries.first { $0.value === node }?.key }
            recordedOperations.append(RecordedOperation(operation, name ?? path, errno: fault?.errno))
        }
        guard let fault else { return }
        failing(fault)
        throw FileError(errno: fault.errno, operation, path)
    }

    func noticeMappedStores() {
        mappedNodes.removeAll { node in
            let isMapped = node.mapCount.load(ordering: .acquiring) > 0
            node.noticeMappedStores { offset, bytes in record(.write(node.inode, offset, bytes)) }
            // A node without a map needs no further checks.
            return !isMapped
        }
    }

    static func normalized(_ path: String) -> String {
        path == "/" || path == "." ? path : FilePath.joining(FilePath.folder(of: path), FilePath.name(of: path))
    }
}

/// A file system call recorded by a ``SimulatedFileSystem``.
package struct RecordedOperation: Sendable, Hashable, CustomStringConvertible {
    /// The operation that the call performed.
    package let operation: FileError.Operation
    /// The path of the file or folder.
    package let path: String
    /// The `errno` value of the injected failure, or `nil` if the call did not fail.
    package let errno: Int32?

    init(_ operation: FileError.Operation, _ path: String, errno: Int32?) {
        self.operation = operation
        self.path = path
        self.errno = errno
    }

    /// A description of the call for the messages of failing tests.
    package var description: String { "\(operation) \(path)" + (errno.map { " failed with \($0)" } ?? "") }
}

/// A failure that the file system injects into certain calls.
struct Fault: Sendable {
    let index: Int
    let errno: Int32
    let forever: Bool
    let writing: Int
    let operations: Set<FileError.Operation>?

    func strikes(_ call: Int, _ operation: FileError.Operation) -> Bool {
        (call == index || forever && call > index) && operations?.contains(operation) != false
    }
}
