import Foundation
import LarderFiles
import Synchronization

/// The current content of a file in the simulated file system, including unsynced changes.
///
/// The file system's lock guards all properties except `mapCount`.
final class SimulatedNode {
    let inode: Int
    var permissions: UInt16
    var modified: Int64 = 0
    /// The content of the file after all recorded events.
    ///
    /// Writes to mapped memory are copied here when they are detected.
    private(set) var bytes: [UInt8]
    /// The memory shared by all memory mappings of this file.
    ///
    /// The memory is allocated for the first mapping, never moves, and is freed with this object.
    private var mapped: UnsafeMutableRawBufferPointer?
    /// Whether `mapped` is reserved address space rather than heap memory.
    private var isMappedApart = false
    /// The number of memory mappings of this file.
    let mapCount = Atomic(0)

    var exclusiveHolder: ObjectIdentifier?
    var sharedHolders: Set<ObjectIdentifier> = []
    /// The open files that hold byte-range locks, keyed by lock number.
    private var holders: [Int: (kind: LockKind, files: Set<ObjectIdentifier>)] = [:]

    /// The size in bytes of the address space reserved for the memory mappings of a large file.
    ///
    /// A page uses memory only after it has been accessed.
    static let mappableSize = 64 << 20
    /// The size in bytes of the heap memory allocated for the memory mappings of a small file.
    ///
    /// Heap memory is much cheaper than reserved address space.
    static let mappableBeginning = 64 << 10

    init(inode: Int, bytes: [UInt8], permissions: UInt16) {
        self.inode = inode
        self.bytes = bytes
        self.permissions = permissions
    }

    deinit {
        guard let mapped else { return }
        if isMappedApart { munmap(mapped.baseAddress, mapped.count) } else { free(mapped.baseAddress) }
    }

    var information: FileInformation {
        FileInformation(
            kind: .file,
            size: bytes.count,
            device: 1,
            inode: UInt64(inode),
            permissions: permissions,
            modified: modified
        )
    }

    func hold(_ number: Int, _ kind: LockKind, by file: ObjectIdentifier) -> Bool {
        let others = holders[number].map { ($0.kind, $0.files.subtracting([file])) }
        guard let others, !others.1.isEmpty else {
            holders[number] = (kind, [file])
            return true
        }
        guard kind == .shared, others.0 == .shared else { return false }
        holders[number]?.files.insert(file)
        return true
    }

    func anyHeld(_ numbers: Range<Int>, besides file: ObjectIdentifier) -> Int? {
        holders.first { numbers.contains($0.key) && !$0.value.files.subtracting([file]).isEmpty }?.key
    }

    func release(_ number: Int, by file: ObjectIdentifier) {
        holders[number]?.files.remove(file)
        if holders[number]?.files.isEmpty == true { holders[number] = nil }
    }

    func releaseAll(by file: ObjectIdentifier) {
        for number in holders.keys { release(number, by: file) }
    }

    func write(_ source: UnsafeRawBufferPointer, at offset: Int) {
        guard !source.isEmpty else { return }
        if bytes.count < offset + source.count { resize(to: offset + source.count) }
        bytes.withUnsafeMutableBytes { UnsafeMutableRawBufferPointer(rebasing: $0[offset...]).copyMemory(from: source) }
        if let mapped { UnsafeMutableRawBufferPointer(rebasing: mapped[offset...]).copyMemory(from: source) }
    }

    func resize(to size: Int) {
        if size > bytes.count {
            bytes.append(contentsOf: [UInt8](repeating: 0, count: size - bytes.count))
        } else {
            mapped?[size..<bytes.count].withContiguousMutableStorageIfAvailable { $0.update(repeating: 0) }
            bytes.removeSubrange(size...)
        }
    }

    func map(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer? {
        if mapped == nil {
            let isBeginning = range.lowerBound == 0 && max(range.upperBound, bytes.count) <= Self.mappableBeginning
            guard let arena = isBeginning ? Self.zeros : Self.addressSpace else { return nil }
            isMappedApart = !isBeginning
            bytes.withUnsafeBytes { arena.copyMemory(from: $0) }
            mapped = arena
        }
        guard let mapped, range.upperBound <= mapped.count else { return nil }
        return UnsafeMutableRawBufferPointer(rebasing: mapped[range])
    }

    private static var zeros: UnsafeMutableRawBufferPointer? {
        calloc(mappableBeginning, 1).map { UnsafeMutableRawBufferPointer(start: $0, count: mappableBeginning) }
    }

    /// Newly reserved address space for memory mappings, or `nil` if the reservation failed.
    ///
    /// Heap memory is not used, because sanitizers mark every byte of a heap allocation.
    private static var addressSpace: UnsafeMutableRawBufferPointer? {
        let flags = MAP_PRIVATE | MAP_ANON
        guard let start = mmap(nil, mappableSize, PROT_READ | PROT_WRITE, flags, -1, 0), start != MAP_FAILED else {
            return nil
        }
        return UnsafeMutableRawBufferPointer(start: start, count: mappableSize)
    }

    /// Calls `change` with each range of bytes that was written to mapped memory since the last call to this method.
    ///
    /// Each range lies within one sector.
    func noticeMappedStores(_ change: (Int, [UInt8]) -> Void) {
        guard let mapped, let start = mapped.baseAddress else { return }
        let count = bytes.count
        let changed = bytes.withUnsafeBytes { memcmp($0.baseAddress ?? UnsafeRawPointer(start), start, count) != 0 }
        guard changed else { return }
        for sector in stride(from: 0, to: count, by: DiskState.sectorSize) {
            let length = min(DiskState.sectorSize, count - sector)
            guard let (first, stored) = difference(sector, length, start) else { continue }
            bytes.replaceSubrange(first..<first + stored.count, with: stored)
            change(first, stored)
        }
    }

    /// Reverts writes to mapped memory that have not been recorded as events yet.
    func forgetMappedStores() {
        guard let mapped else { return }
        bytes.withUnsafeBytes { mapped.copyMemory(from: $0) }
    }

    /// Returns the offset and the bytes that were changed in a sector through mapped memory, or `nil` if the sector is unchanged.
    private func difference(_ sector: Int, _ count: Int, _ mapped: UnsafeMutableRawPointer) -> (Int, [UInt8])? {
        // Every call to the file system checks all mapped sectors, so this method must be fast. Other threads may store to the map in the
        // meantime, so a sector that differs is copied and compared again, and may then be unchanged.
        bytes.withUnsafeBytes { bytes in
            guard let known = bytes.baseAddress, memcmp(known + sector, mapped + sector, count) != 0 else { return nil }
            let stored = [UInt8](UnsafeRawBufferPointer(start: mapped + sector, count: count))
            var first = 0
            while first < count, known.load(fromByteOffset: sector + first, as: UInt8.self) == stored[first] {
                first += 1
            }
            guard first < count else { return nil }
            var last = count - 1
            while known.load(fromByteOffset: sector + last, as: UInt8.self) == stored[last] { last -= 1 }
            return (sector + first, Array(stored[first...last]))
        }
    }
}
