import Foundation
package import LarderFiles
import Synchronization

/// A file system in memory that records, fails and forgets on purpose.
///
/// **What is kept.** To whoever uses it, it behaves as a disk does while the power is on: one namespace of absolute or
/// relative paths, folders that must exist ("/" and "." do), permission bits, locks, and shared maps. It has no symbolic
/// links. A modification time is a counter that grows with every change.
///
/// **What is recorded.** Every call, in ``operations``; every change to the disk, in ``events``. Stores to mapped bytes are
/// noticed when the next call is made, or by ``recordMappedStores()``, and become events of their own; a region's `store` is a
/// call.
///
/// **What fails.** ``fail(at:errno:forever:writing:only:)`` makes a chosen call fail, once or from then on. A write that fails may
/// have written some of its bytes. After a sync that failed the bytes it was for are still read, but no later sync makes
/// them durable, as on Linux.
///
/// **What survives power loss** (``DiskState`` knows the rules, ``forEachCrashImage(from:tearing:limit:_:)`` and
/// ``forEachSampledCrashImage(from:seed:perPoint:tearing:_:)`` build the disks):
/// - Content that a sync of its file confirmed. Of what came later, each sector of 512 bytes is, independently of all
///   others, in the state after any of the changes that touched it: so writes are lost, torn and reordered. With
///   ``Tearing/bytes`` one change to a sector may also be there up to any byte.
/// - The file's size: any that it had since its last sync. Where it grew and a sector's data did not arrive, there are zeros
///   or garbage; where it was cut, what was cut off may be zeros already while the size is the old one.
/// - Mapped bytes obey the same rules. Syncing a part of a map confirms the pages of 4,096 bytes that it touches.
/// - The name of a file: confirmed by a sync of its folder only. Of later creations, renames and removals any subset
///   happened; a rename as a whole or not at all.
/// - ``FileSystem/bootIdentifier()`` is another one after power loss, and the same after the death of a process.
/// - Folders and permission bits survive at once; ``FileSystem/createDirectory(at:)`` promises it.
package final class LyingFileSystem: FileSystem, @unchecked Sendable {
    // Unchecked: every mutable property, and every node, is touched only between `condition.lock()` and `unlock()`.
    let condition = NSCondition()
    var entries: [String: LyingNode] = [:]
    var directories: Set<String> = ["/", "."]
    var mappedNodes: [LyingNode] = []
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
    /// How often the power went off.
    let bootNumber: Int
    let isRecording: Bool
    private var unrecordedSuffix: String?
    private var unrecordedNodes: Set<Int> = []

    /// A disk with these folders and files on it.
    ///
    /// - Parameters:
    ///   - directories: With their parents.
    ///   - files: By path; their folders are created.
    ///   - isRecording: Off, it is faster, and there is nothing to build crash images from.
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
            entries[path] = LyingNode(inode: inode, bytes: file.base, permissions: file.permissions)
            nextInode = max(nextInode, inode + 1)
        }
    }

    // MARK: Recording and failing

    /// Every call so far, in order.
    ///
    /// Closing is none.
    package var operations: [RecordedOperation] { locked { recordedOperations } }

    /// How many calls were made so far: what ``fail(at:errno:forever:writing:only:)`` counts.
    package var operationCount: Int { locked { count } }

    /// Every change to the disk so far, in order.
    package var events: [DiskEvent] { locked { recordedEvents } }

    /// How many changes so far: remember it when a commit was acknowledged.
    package var eventCount: Int { locked { recordedEvents.count } }

    /// Makes the call with this number fail, counted from 0 since the beginning.
    ///
    /// - Parameters:
    ///   - index: Its number, or that of the first that fails.
    ///   - errno: With this.
    ///   - forever: Every later call fails as well.
    ///   - writing: How many bytes a failing write has written.
    ///   - operations: What fails, where not everything does.
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

    /// Makes every later call succeed again.
    package func stopFailing() { locked { faults = [] } }

    /// Runs `body` while no call fails.
    package func withoutFailing<Result>(_ body: () throws -> Result) rethrows -> Result {
        let held = locked {
            defer { faults = [] }
            return faults
        }
        defer { locked { faults = held } }
        return try body()
    }

    /// Which file lies there: asking is no call.
    package func inode(at path: String) -> Int? { locked { entries[Self.normalized(path)]?.inode } }

    /// Turns what was stored to mapped bytes since the last call into events, so that a crash may come between.
    package func recordMappedStores() { locked { noticeMappedStores() } }

    /// Undoes what was stored to mapped bytes since the last call.
    func forgetMappedStores() { locked { for node in mappedNodes { node.forgetMappedStores() } } }

    /// Makes it claim to be another kind of file system.
    package func pretend(_ volume: VolumeInformation) { locked { pretendedVolume = volume } }

    /// Makes it forget how to tell one start of the machine from another, as a container without `/proc` does.
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

    /// Leaves out of ``events``, and so of every crash image, the files that are created from now on under a name that ends
    /// so: for files that mean nothing after a power loss, whose states would only multiply the images.
    package func leaveUnrecorded(suffix: String) { locked { unrecordedSuffix = suffix } }

    /// What every call begins with; runs `failing` and throws when this one is to fail.
    ///
    /// A file is recorded under the name that it has by then.
    func begin(
        _ operation: FileError.Operation,
        _ path: String,
        of node: LyingNode? = nil,
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
            // One without a map was looked at for the last time.
            return !isMapped
        }
    }

    static func normalized(_ path: String) -> String {
        path == "/" || path == "." ? path : FilePath.joining(FilePath.folder(of: path), FilePath.name(of: path))
    }
}

/// One call that was made.
package struct RecordedOperation: Sendable, Hashable, CustomStringConvertible {
    /// What was asked for.
    package let operation: FileError.Operation
    /// Of which file or folder.
    package let path: String
    /// The number it failed with because it was told to.
    package let errno: Int32?

    init(_ operation: FileError.Operation, _ path: String, errno: Int32?) {
        self.operation = operation
        self.path = path
        self.errno = errno
    }

    /// For a test's message.
    package var description: String { "\(operation) \(path)" + (errno.map { " failed with \($0)" } ?? "") }
}

/// A failure to come.
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
