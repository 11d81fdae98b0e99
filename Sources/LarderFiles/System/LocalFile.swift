import Synchronization

/// An open file on the local file system.
final class LocalFile: OpenFile {
    private let name: FileName
    private let descriptor: Int32

    /// The number of calls in progress, combined with flags.
    ///
    /// If calls are in progress, ``close()`` only sets a flag, and the last call closes the descriptor. If the descriptor were closed
    /// earlier, a call in progress might use a descriptor that the system has reused for another file.
    private let uses = Atomic<Int>(0)
    private static let closing = 1 << 60
    private static let closed = 1 << 61

    init(_ path: String, _ mode: FileOpenMode) throws {
        if path.utf8.contains(0) { throw FileError.containsNull(path, .open) }
        name = FileName(path)
        do {
            descriptor = try SystemCalls.open(path, mode)
        } catch {
            throw FileError(errno: error.number, .open, path)
        }
        if try information().kind != .file { throw FileError(.wrongKind, .open, path) }
    }

    var path: String { name.path }
    func noteRename(to path: String) { name.path = path }

    // A failure to close is ignored, because callers that need durability have called `synchronize`.
    deinit { try? close() }

    func close() throws {
        let before = uses.bitwiseOr(Self.closing, ordering: .acquiringAndReleasing).oldValue
        if before == 0 { try closeDescriptor() }
    }

    private func closeDescriptor() throws {
        // A call that began after `close()` may also get here, but only the first one closes the descriptor.
        guard uses.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing).oldValue & Self.closed == 0 else { return }
        do {
            try SystemCalls.close(descriptor)
        } catch {
            throw FileError(errno: error.number, .write, path, detail: "the file could not be closed")
        }
    }

    private func calling<Result>(
        _ operation: FileError.Operation,
        _ body: (Int32) throws(SystemCalls.Failure) -> Result
    ) throws -> Result {
        let now = uses.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
        defer {
            if uses.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == Self.closing {
                // The error is ignored, because the caller of `close` has already returned.
                try? closeDescriptor()
            }
        }
        if now & Self.closing != 0 { throw FileError(.closed, operation, path) }
        do {
            return try body(descriptor)
        } catch {
            throw FileError(errno: error.number, operation, path)
        }
    }

    func information() throws -> FileInformation {
        try calling(.inspect) { descriptor throws(SystemCalls.Failure) in try SystemCalls.information(of: descriptor) }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        try calling(.read) { descriptor throws(SystemCalls.Failure) in
            try SystemCalls.read(descriptor, into: buffer, at: offset)
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        try calling(.write) { descriptor throws(SystemCalls.Failure) in
            try SystemCalls.write(descriptor, bytes, at: offset)
        }
    }

    func truncate(to size: Int) throws {
        try calling(.resize) { descriptor throws(SystemCalls.Failure) in try SystemCalls.truncate(descriptor, to: size)
        }
    }

    func reserve(_ size: Int) throws {
        let current = try information().size
        guard size > 0 else { return }
        do {
            try calling(.resize) { descriptor throws(SystemCalls.Failure) in
                try SystemCalls.reserve(descriptor, from: current, to: size)
            }
        } catch let error as FileError where error.code == .unsupported {
            try writeZeros(from: current, to: size)
        }
    }

    /// Reserves disk space by writing zeros, for file systems without an operation that reserves space.
    private func writeZeros(from start: Int, to end: Int) throws {
        let zeros = [UInt8](repeating: 0, count: min(max(0, end - start), 1 << 16))
        for offset in stride(from: start, to: end, by: 1 << 16) {
            try write(Array(zeros.prefix(end - offset)), at: offset)
        }
    }

    func setPermissions(_ permissions: UInt16) throws {
        try calling(.write) { descriptor throws(SystemCalls.Failure) in
            try SystemCalls.setPermissions(descriptor, permissions)
        }
    }

    func setOwner(_ owner: UInt32?, group: UInt32) throws {
        try calling(.write) { descriptor throws(SystemCalls.Failure) in
            try SystemCalls.setOwner(descriptor, owner, group: group)
        }
    }

    func synchronize(_ scope: SyncScope) throws {
        try calling(.synchronize) { descriptor throws(SystemCalls.Failure) in
            try SystemCalls.synchronize(descriptor, scope)
        }
    }

    func lock(_ kind: LockKind, wait: Bool) throws -> Bool {
        try calling(.lock) { descriptor throws(SystemCalls.Failure) in
            try SystemCalls.lock(descriptor, kind, wait: wait)
        }
    }

    func unlock() throws {
        try calling(.lock) { descriptor throws(SystemCalls.Failure) in try SystemCalls.unlock(descriptor) }
    }

    func hold(_ number: Int, _ kind: LockKind) throws -> Bool {
        try calling(.lock) { descriptor throws(SystemCalls.Failure) in
            try SystemCalls.hold(descriptor, number, kind)
        }
    }

    func release(_ number: Int) throws {
        try calling(.lock) { descriptor throws(SystemCalls.Failure) in try SystemCalls.release(descriptor, number) }
    }

    func anyHeld(_ numbers: Range<Int>) throws -> Int? {
        try calling(.lock) { descriptor throws(SystemCalls.Failure) in try SystemCalls.anyHeld(descriptor, numbers) }
    }

    func map(offset: Int, count: Int, writable: Bool) throws -> any MappedRegion {
        try calling(.map) { descriptor throws(SystemCalls.Failure) in
            let bytes = try SystemCalls.map(descriptor, offset: offset, count: count, writable: writable)
            do throws(SystemCalls.Failure) {
                return LocalMappedRegion(of: name, memory: MappedMemory(bytes, isLost: try SystemCalls.watch(bytes)))
            } catch {
                SystemCalls.unmap(bytes)
                throw error
            }
        }
    }
}

/// A region of a file that the operating system has mapped into memory.
final class LocalMappedRegion: MappedRegion {
    private let name: FileName
    private var path: String { name.path }
    private let memory: MappedMemory

    /// Creates a region from mapped memory and the name of the mapped file.
    init(of name: FileName, memory: MappedMemory) {
        self.name = name
        self.memory = memory
    }

    deinit { SystemCalls.unmap(bytes) }

    var bytes: UnsafeMutableRawBufferPointer { memory.bytes }
    var plainMemory: MappedMemory? { memory }

    func synchronize(_ range: Range<Int>) throws {
        do {
            try SystemCalls.synchronize(bytes, range)
        } catch {
            throw FileError(errno: error.number, .synchronize, path)
        }
    }

    func store(_ source: UnsafeRawBufferPointer, at offset: Int) throws {
        guard offset >= 0, offset + source.count <= bytes.count else {
            throw FileError(.inputOutput, .write, path, detail: "the bytes do not fit in the mapped region")
        }
        guard memory.store(source, at: offset) else {
            throw FileError(.inputOutput, .write, path, detail: "the mapped file was truncated, or its disk failed")
        }
    }

    var isLost: Bool { memory.isLost }
}
