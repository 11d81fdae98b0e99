import Foundation
import LarderFiles
import Synchronization

/// An open file of the simulated file system.
final class SimulatedFile: OpenFile, @unchecked Sendable {
    // `@unchecked Sendable` is safe because the node and `isClosed` are accessed only while the file system's lock is held.
    private let name: FileName
    private let node: SimulatedNode
    private let isWritable: Bool
    private let fileSystem: SimulatedFileSystem
    private var isClosed = false

    init(_ node: SimulatedNode, _ path: String, _ mode: FileOpenMode, on fileSystem: SimulatedFileSystem) {
        name = FileName(path)
        self.node = node
        self.fileSystem = fileSystem
        isWritable = mode.isWritable
    }

    deinit { try? close() }

    var path: String { name.path }
    func noteRename(to path: String) { name.path = path }

    private func calling<Result>(
        _ operation: FileError.Operation,
        writes: Bool = false,
        failing: (Fault) -> Void = { _ in },
        _ body: () throws -> Result
    ) throws -> Result {
        try fileSystem.locked {
            if isClosed { throw FileError(.closed, operation, path) }
            try fileSystem.begin(operation, path, of: node, failing: failing)
            if writes, !isWritable { throw FileError(errno: EBADF, operation, path) }
            return try body()
        }
    }

    func information() throws -> FileInformation { try calling(.inspect) { node.information } }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        try calling(.read) {
            let count = max(0, min(buffer.count, node.bytes.count - offset))
            if count > 0 {
                node.bytes.withUnsafeBytes {
                    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count]))
                }
            }
            return count
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        let put = { [self] (bytes: UnsafeRawBufferPointer) in
            if bytes.isEmpty { return }
            node.write(bytes, at: offset)
            fileSystem.record(.write(node.inode, offset, Array(bytes)))
            node.modified = fileSystem.clock
        }
        try calling(.write, writes: true) { fault in
            put(UnsafeRawBufferPointer(rebasing: bytes.prefix(fault.writing)))
        } _: {
            put(bytes)
        }
    }

    func truncate(to size: Int) throws {
        try calling(.resize, writes: true) { resize(to: size) }
    }

    func reserve(_ size: Int) throws {
        try calling(.resize, writes: true) { if size > node.bytes.count { resize(to: size) } }
    }

    private func resize(to size: Int) {
        node.resize(to: size)
        fileSystem.record(.resize(node.inode, size))
        node.modified = fileSystem.clock
    }

    func setPermissions(_ permissions: UInt16) throws {
        try calling(.write) {
            node.permissions = permissions
            fileSystem.record(.setPermissions(node.inode, permissions))
        }
    }

    /// Has no effect, because all files on the simulated disk belong to one user.
    func setOwner(_ owner: UInt32?, group: UInt32) throws {}

    func synchronize(_ scope: SyncScope) throws {
        try calling(.synchronize) { _ in
            fileSystem.record(.failedSynchronize(node.inode))
        } _: {
            fileSystem.record(.synchronize(node.inode))
        }
    }

    func lock(_ kind: LockKind, wait: Bool) throws -> Bool {
        try calling(.lock) {
            let me = ObjectIdentifier(self)
            while true {
                let others = node.sharedHolders.subtracting([me])
                let isFree = node.exclusiveHolder == nil || node.exclusiveHolder == me
                if isFree, kind == .shared || others.isEmpty { break }
                if !wait { return false }
                fileSystem.condition.wait()
            }
            release()
            switch kind {
            case .shared: node.sharedHolders.insert(me)
            case .exclusive: node.exclusiveHolder = me
            }
            return true
        }
    }

    func unlock() throws { try calling(.lock) { release() } }

    func hold(_ number: Int, _ kind: LockKind) throws -> Bool {
        try calling(.lock) { node.hold(number, kind, by: ObjectIdentifier(self)) }
    }

    func anyHeld(_ numbers: Range<Int>) throws -> Int? {
        try calling(.lock) { node.anyHeld(numbers, besides: ObjectIdentifier(self)) }
    }

    func release(_ number: Int) throws {
        try calling(.lock) { node.release(number, by: ObjectIdentifier(self)) }
    }

    private func release() {
        let me = ObjectIdentifier(self)
        if node.exclusiveHolder == me { node.exclusiveHolder = nil }
        node.sharedHolders.remove(me)
        fileSystem.condition.broadcast()
    }

    func map(offset: Int, count: Int, writable: Bool) throws -> any MappedRegion {
        try calling(.map, writes: writable) {
            guard count > 0, offset >= 0, let bytes = node.map(offset..<offset + count) else {
                throw FileError(errno: EINVAL, .map, path)
            }
            if !fileSystem.mappedNodes.contains(where: { $0 === node }) { fileSystem.mappedNodes.append(node) }
            return SimulatedMappedRegion(node, name, offset: offset, bytes: bytes, on: fileSystem)
        }
    }

    func close() throws {
        fileSystem.locked {
            if !isClosed {
                release()
                node.releaseAll(by: ObjectIdentifier(self))
            }
            isClosed = true
        }
    }
}

/// A memory-mapped region of a file in the simulated file system.
///
/// All regions of a file share the same memory.
final class SimulatedMappedRegion: MappedRegion, @unchecked Sendable {
    // `@unchecked Sendable` is safe because the node is accessed only while the file system's lock is held. Callers synchronize access to
    // the bytes.
    let bytes: UnsafeMutableRawBufferPointer
    private let node: SimulatedNode
    private let name: FileName
    private var path: String { name.path }
    private let offset: Int
    private let fileSystem: SimulatedFileSystem

    init(
        _ node: SimulatedNode,
        _ name: FileName,
        offset: Int,
        bytes: UnsafeMutableRawBufferPointer,
        on fileSystem: SimulatedFileSystem
    ) {
        self.node = node
        self.name = name
        self.offset = offset
        self.bytes = bytes
        self.fileSystem = fileSystem
        node.mapCount.add(1, ordering: .relaxed)
    }

    deinit { node.mapCount.subtract(1, ordering: .releasing) }

    func synchronize(_ range: Range<Int>) throws {
        try fileSystem.locked {
            try fileSystem.begin(.synchronize, path, of: node) { _ in fileSystem.record(.failedSynchronize(node.inode))
            }
            if range.isEmpty { return }
            let page = DiskState.pageSize
            let start = (offset + range.lowerBound) / page * page
            let end = (offset + range.upperBound + page - 1) / page * page
            fileSystem.record(.synchronizeRange(node.inode, start..<end))
        }
    }

    func store(_ source: UnsafeRawBufferPointer, at offset: Int) throws {
        try fileSystem.locked {
            let end = offset + source.count
            guard offset >= 0, end <= bytes.count, self.offset + end <= node.bytes.count else {
                throw FileError(errno: EIO, .write, path, detail: "the bytes are beyond the end of the file")
            }
            let put = { [self] (source: UnsafeRawBufferPointer) in
                UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<offset + source.count]).copyMemory(from: source)
            }
            try fileSystem.begin(.write, path, of: node) {
                put(UnsafeRawBufferPointer(rebasing: source.prefix($0.writing)))
            }
            put(source)
            node.modified = fileSystem.clock
        }
    }
}
