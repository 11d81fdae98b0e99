import Foundation
import LarderFiles
import Synchronization

/// One file's content while the power is on.
///
/// Guarded by its file system's lock, but for the count of its maps.
final class LyingNode {
    let inode: Int
    var permissions: UInt16
    var modified: Int64 = 0
    /// The content as the recorded events tell it; what is stored to `mapped` arrives here when it is noticed.
    private(set) var bytes: [UInt8]
    /// Where maps of this file point: allocated by the first, never moved, freed with the node.
    private var mapped: UnsafeMutableRawBufferPointer?
    /// Whether that is address space of its own.
    private var isMappedApart = false
    /// How many maps of it there are.
    let mapCount = Atomic(0)

    var exclusiveHolder: ObjectIdentifier?
    var sharedHolders: Set<ObjectIdentifier> = []
    /// The locks that are kept until their file is closed, by number.
    private var holders: [Int: (kind: LockKind, files: Set<ObjectIdentifier>)] = [:]

    /// Address space, not memory: pages are there once they are touched.
    static let mappableSize = 64 << 20
    /// For a file that is mapped from its beginning, whose map is not of an end that grows: much cheaper to have.
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

    func letGo(_ number: Int, by file: ObjectIdentifier) {
        holders[number]?.files.remove(file)
        if holders[number]?.files.isEmpty == true { holders[number] = nil }
    }

    func letGoOfAll(by file: ObjectIdentifier) {
        for number in holders.keys { letGo(number, by: file) }
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

    /// Not from the heap: a sanitizer would mark all of it, at each allocation.
    private static var addressSpace: UnsafeMutableRawBufferPointer? {
        let flags = MAP_PRIVATE | MAP_ANON
        guard let start = mmap(nil, mappableSize, PROT_READ | PROT_WRITE, flags, -1, 0), start != MAP_FAILED else {
            return nil
        }
        return UnsafeMutableRawBufferPointer(start: start, count: mappableSize)
    }

    /// Calls `change` with each run of bytes, within one sector, that was stored to a map since the last time.
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

    /// Undoes what was stored to a map and not noticed yet.
    func forgetMappedStores() {
        guard let mapped else { return }
        bytes.withUnsafeBytes { mapped.copyMemory(from: $0) }
    }

    /// What of a sector differs from what is mapped, and where that begins.
    ///
    /// Before every call all mapped pages are looked at, so this is the one place here where speed matters. Other threads may store to
    /// the map meanwhile, so what differed at the first look is compared once more in a copy, and may be equal by then.
    private func difference(_ sector: Int, _ count: Int, _ mapped: UnsafeMutableRawPointer) -> (Int, [UInt8])? {
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
