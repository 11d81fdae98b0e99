import LarderCore
import LarderFiles

/// A frame being put together, in a buffer that is used again and again.
///
/// Sendable although it holds a pointer: it can't be copied, so the memory has one owner, and goes where it goes.
struct LogFrameBuilder: ~Copyable, @unchecked Sendable {
    private var start: UnsafeMutableRawPointer
    private var capacity = LogFrameBuilder.smallestCapacity
    /// How long the frame is so far; with padding after ``seal(seed:sequence:flags:)``.
    private(set) var length = LogFormat.prologueSize

    private static let smallestCapacity = 4 << 10
    /// More than this is not kept from one commit to the next.
    private static let largestKeptCapacity = 1 << 20

    init() { start = .allocate(byteCount: Self.smallestCapacity, alignment: LogFormat.alignment) }

    deinit { start.deallocate() }

    /// The frame so far; whole after ``seal(seed:sequence:flags:)``.
    ///
    /// Valid until something is changed.
    @inline(__always)
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: length) }

    /// Whether there is no entry yet.
    var isEmpty: Bool { length <= LogFormat.prologueSize }

    /// Drops what was there.
    @inline(__always)
    mutating func begin() {
        if capacity > Self.largestKeptCapacity { resize(to: Self.smallestCapacity, keeping: 0) }
        length = LogFormat.prologueSize
    }

    /// Makes room for so many bytes more.
    mutating func prepare(for count: Int) { makeRoom(for: count) }

    /// Adds the removal of a key.
    @inline(__always)
    mutating func remove(_ key: UnsafeRawBufferPointer) {
        _ = beginEntry(keyLength: key.count, size: nil, until: nil) { $0.copyMemory(from: key) }
    }

    /// Adds a key and its value, of which `size` is the encoded size, and says where the encoded value lies.
    @inline(__always)
    mutating func set(
        _ key: UnsafeRawBufferPointer,
        _ value: StoredValue,
        size: Int,
        until expiry: Int64? = nil
    ) throws -> Range<Int> {
        let key = beginEntry(keyLength: key.count, size: size, until: expiry) { $0.copyMemory(from: key) }
        try append(value)
        return key.upperBound..<length
    }

    /// Adds a key and an integer, of which `size` is the encoded size.
    @inline(__always)
    mutating func set(_ key: UnsafeRawBufferPointer, _ integer: Int64, size: Int) {
        _ = beginEntry(keyLength: key.count, size: size, until: nil) { $0.copyMemory(from: key) }
        append(value: integer)
    }

    /// Adds a key and its encoded value.
    mutating func set(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, until expiry: Int64? = nil) {
        _ = beginEntry(keyLength: key.count, size: value.count, until: expiry) { $0.copyMemory(from: key) }
        append(value)
    }

    /// Adds entries as they stand in another frame.
    mutating func append(entries: UnsafeRawBufferPointer) {
        makeRoom(for: entries.count)
        append(entries)
    }

    /// Adds an entry without its value, for which room is made, and says where its key lies, which `copyKey` puts there.
    ///
    /// `size` is the encoded size of the value; `nil` for a removal, which is whole then.
    @inline(__always)
    mutating func beginEntry(
        keyLength: Int,
        size: Int?,
        until expiry: Int64?,
        _ copyKey: (UnsafeMutableRawBufferPointer) -> Void
    ) -> Range<Int> {
        makeRoom(for: 1 + 2 * LogFormat.maximumVariableNumberSize + LogFormat.expirySize + keyLength + (size ?? 0))
        if let size, expiry == nil, keyLength | size < 0x80 {
            // What most entries are.
            append(LogFormat.EntryKind.set)
            append(UInt8(truncatingIfNeeded: keyLength))
            append(UInt8(truncatingIfNeeded: size))
        } else {
            beginAnyEntry(keyLength, size, expiry)
        }
        copyKey(UnsafeMutableRawBufferPointer(start: start + length, count: keyLength))
        length += keyLength
        return length - keyLength..<length
    }

    @inline(never)
    private mutating func beginAnyEntry(_ keyLength: Int, _ size: Int?, _ expiry: Int64?) {
        guard let size else {
            append(LogFormat.EntryKind.removed)
            append(variableNumber: keyLength)
            return
        }
        append(expiry == nil ? LogFormat.EntryKind.set : LogFormat.EntryKind.setUntil)
        append(variableNumber: keyLength)
        append(variableNumber: size)
        if let expiry { append(expiry) }
    }

    /// Adds the value of the entry that was begun.
    @inline(__always)
    mutating func append(_ value: StoredValue) throws { length += try LogValue.encode(value, to: start + length) }

    /// Adds the integer that is the value of the entry that was begun.
    @inline(__always)
    mutating func append(value integer: Int64) { length += StoredValue.encode(integer, to: start + length) }

    /// Drops what was added since the frame was as long as that.
    @inline(__always)
    mutating func cut(to length: Int) { self.length = length }

    /// Fills in the prologue and the padding.
    @inline(__always)
    mutating func seal(seed: UInt32, sequence: UInt64, flags: UInt16 = 0) {
        let unpadded = length
        length = LogFormat.padded(unpadded)
        // There is always room for as much behind it.
        start.storeBytes(of: 0, toByteOffset: unpadded, as: UInt64.self)
        start.storeBytes(of: UInt32(unpadded).littleEndian, toByteOffset: LogFormat.FrameField.length, as: UInt32.self)
        start.storeBytes(
            of: (sequence | UInt64(flags) << 48).littleEndian,
            toByteOffset: LogFormat.FrameField.sequenceAndFlags,
            as: UInt64.self
        )
        let checksum = CRC32C.of(bytes.slice(LogFormat.FrameField.length..<length), continuing: seed)
        start.storeBytes(of: checksum.littleEndian, toByteOffset: LogFormat.FrameField.checksum, as: UInt32.self)
    }

    // MARK: Bytes

    /// Makes sure that `count` more bytes and the padding behind them fit.
    @inline(__always)
    private mutating func makeRoom(for count: Int) {
        if length + count + LogFormat.alignment > capacity {
            resize(to: 2 * (length + count) + Self.smallestCapacity, keeping: length)
        }
    }

    @inline(never)
    private mutating func resize(to capacity: Int, keeping kept: Int) {
        let new = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: LogFormat.alignment)
        new.copyMemory(from: start, byteCount: kept)
        start.deallocate()
        start = new
        self.capacity = capacity
    }

    @inline(__always)
    private mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        start.storeBytes(of: number.littleEndian, toByteOffset: length, as: Number.self)
        length += MemoryLayout<Number>.size
    }

    private mutating func append(variableNumber number: Int) {
        let buffer = UnsafeMutableRawBufferPointer(start: start, count: capacity)
        length = buffer.store(variableNumber: number, at: length)
    }

    @inline(__always)
    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if let source = bytes.baseAddress { (start + length).copyMemory(from: source, byteCount: bytes.count) }
        length += bytes.count
    }
}

/// Where a valid frame lies in some bytes.
struct LogFrame: Hashable {
    var offset: Int
    /// Without padding.
    var length: Int
    var sequence: UInt64
    var flags: UInt16

    /// With padding: where the next one begins.
    var end: Int { offset + LogFormat.padded(length) }
    /// Where its entries lie.
    var entries: Range<Int> { offset + LogFormat.prologueSize..<offset + length }

    /// What is to be found at `offset`.
    enum Finding: Hashable {
        case frame(LogFrame)
        /// It may be a frame, but `count` bytes from `offset` are needed to tell.
        case needs(Int)
        case nothing
    }

    /// Looks for a frame at `offset`.
    ///
    /// `sequences` are the sequence numbers it may have; `limit` is how many bytes there are from the beginning of `bytes`
    /// to the end of the file.
    static func find(
        in bytes: UnsafeRawBufferPointer,
        at offset: Int,
        seed: UInt32,
        sequences: ClosedRange<UInt64>,
        limit: Int
    ) -> Finding {
        guard offset + LogFormat.prologueSize <= limit else { return .nothing }
        guard offset + LogFormat.prologueSize <= bytes.count else { return .needs(LogFormat.prologueSize) }
        let length = Int(bytes.number(UInt32.self, at: offset + LogFormat.FrameField.length))
        guard length >= LogFormat.prologueSize, length <= LogFormat.maximumFrameLength else { return .nothing }
        let word = bytes.number(UInt64.self, at: offset + LogFormat.FrameField.sequenceAndFlags)
        let sequence = word & LogFormat.maximumSequence
        let flags = UInt16(truncatingIfNeeded: word >> 48)
        guard sequences.contains(sequence), flags & ~LogFormat.FrameFlags.known == 0 else { return .nothing }
        let padded = LogFormat.padded(length)
        guard offset + padded <= limit else { return .nothing }
        guard offset + padded <= bytes.count else { return .needs(padded) }
        let covered = bytes.slice(offset + LogFormat.FrameField.length..<offset + padded)
        guard CRC32C.of(covered, continuing: seed) == bytes.number(UInt32.self, at: offset) else { return .nothing }
        return .frame(LogFrame(offset: offset, length: length, sequence: sequence, flags: flags))
    }
}
