#if Objects
internal import LarderFiles
internal import Synchronization

/// The page of a file `FILE-writer`, which all processes that write to the database map into memory.
///
/// A page of zeros is valid: the lock is free, and no member has a number. The page is not needed after the last manager is closed.
struct WriterPage: Sendable {
    static let size = 4_096

    /// The bytes "LarderW1" at offset 0, as a 64-bit word.
    private static let magic = Array("LarderW1".utf8).withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    private static let wordOffset = 64
    private static let lastMemberOffset = 68
    private static let processOffset = 72

    /// The region that keeps the page mapped.
    private let region: any MappedRegion
    // This is safe because all fields are accessed atomically.
    nonisolated(unsafe) private let base: UnsafeMutableRawPointer

    /// Maps the page, and creates it if the file is empty or contains only the text of a ``LockFile``.
    ///
    /// The file has such a text if the database was on a network volume before.
    ///
    /// - Throws: ``FileError``, or ``UnknownLayout`` if the file has another layout. The file is then unchanged.
    init(of file: any OpenFile) throws {
        // Other processes may do the same at the same time. Neither call changes existing bytes. Without reserved space, a store to the
        // page would fail on a full disk.
        if try file.information().size < Self.size {
            try file.truncate(to: Self.size)
            try file.reserve(Self.size)
        }
        region = try file.map(offset: 0, count: Self.size, writable: true)
        guard let base = region.bytes.baseAddress else {
            throw FileError(.unsupported, .map, file.path, detail: "the mapping is empty")
        }
        self.base = base
        let head = base.assumingMemoryBound(to: Atomic<UInt64>.self)
        let found = head.pointee.load(ordering: .relaxed)
        if found == Self.magic { return }
        guard found == 0 || Self.isLockFileText(found) else { throw UnknownLayout() }
        let (isNew, other) = head.pointee.compareExchange(expected: found, desired: Self.magic, ordering: .relaxed)
        guard isNew || other == Self.magic else { throw UnknownLayout() }
    }

    /// Returns whether the first bytes of a file are those of a ``LockFile``, which are spaces and digits.
    private static func isLockFileText(_ word: UInt64) -> Bool {
        withUnsafeBytes(of: word) { bytes in
            bytes.allSatisfy { $0 == UInt8(ascii: " ") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
    }

    /// The error for a file that another program or a newer version of Larder wrote.
    struct UnknownLayout: Error {}

    /// The word of the ``SharedLock``.
    var word: UnsafeMutablePointer<Atomic<UInt32>> { number(at: Self.wordOffset) }

    /// The counter from which members of the lock take their numbers.
    var lastMember: UnsafeMutablePointer<Atomic<UInt32>> { number(at: Self.lastMemberOffset) }

    /// Returns the number of the member that holds the lock, 0 if the lock is free, or `nil` if a file does not begin with a page.
    static func holder(in bytes: [UInt8]) -> UInt32? {
        bytes.withUnsafeBytes { bytes in
            guard bytes.count == size, bytes.loadUnaligned(as: UInt64.self) == magic else { return nil }
            return bytes.loadUnaligned(fromByteOffset: wordOffset, as: UInt32.self) & ~SharedLock.waitingBit
        }
    }

    /// The identifier of the process that holds the lock, or 0 if the process is unknown or the lock is free.
    ///
    /// The identifier is used only in messages. In another container, it may belong to another process.
    var process: UInt32 {
        get { number(at: Self.processOffset).pointee.load(ordering: .relaxed) }
        nonmutating set { number(at: Self.processOffset).pointee.store(newValue, ordering: .relaxed) }
    }

    /// Whether the file was truncated, so that other processes no longer see this page.
    var isLost: Bool { region.isLost }

    private func number(at offset: Int) -> UnsafeMutablePointer<Atomic<UInt32>> {
        (base + offset).assumingMemoryBound(to: Atomic<UInt32>.self)
    }
}
#endif
