import LarderCore
import LarderFiles

/// A builder that assembles frames in a reusable buffer.
///
/// The unchecked `Sendable` conformance is safe, because the builder is the sole owner of its memory.
struct LogFrameBuilder: ~Copyable, @unchecked Sendable {
    private var start: UnsafeMutableRawPointer
    private var capacity = LogFrameBuilder.smallestCapacity
    /// The current length of the frame in bytes, including padding once the frame is sealed.
    private(set) var length = LogFormat.prologueSize
    /// The checksums of the frame's large values, from which the frame's checksum is derived.
    private var summed = KeptBuffer<SummedValue>(capacity: 4)

    private struct SummedValue: BitwiseCopyable {
        let start: Int
        let end: Int
        let checksum: UInt32
    }

    private static let smallestCapacity = 4 << 10
    /// The maximum capacity in bytes that the buffer keeps between commits.
    private static let largestKeptCapacity = 1 << 20
    private static let mostKeptSums = 64

    init() { start = .allocate(byteCount: Self.smallestCapacity, alignment: LogFormat.alignment) }

    deinit { start.deallocate() }

    /// The bytes of the frame, valid until the frame changes.
    ///
    /// The frame is complete after ``seal(seed:sequence:flags:)`` has been called.
    @inline(__always)
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: length) }

    /// Whether the frame has no entries.
    var isEmpty: Bool { length <= LogFormat.prologueSize }

    /// Discards the entries of the previous frame, and starts an empty frame in the same buffer.
    @inline(__always)
    mutating func begin() {
        if capacity > Self.largestKeptCapacity { resize(to: Self.smallestCapacity, keeping: 0) }
        length = LogFormat.prologueSize
        if summed.count > 0 { summed.removeAll(keeping: Self.mostKeptSums) }
    }

    /// Reserves memory for `count` more bytes in the frame.
    mutating func prepare(for count: Int) { makeRoom(for: count) }

    /// Adds an entry that removes `key`.
    @inline(__always)
    mutating func remove(_ key: KeyWords) { beginEntry(key, size: nil, until: nil) }

    /// Adds an entry that sets `key` to `value`, whose encoded size is `size`.
    ///
    /// The encoded value is stored at the end of the frame.
    @inline(__always)
    mutating func set(_ key: KeyWords, _ value: StoredValue, size: Int, until expiry: Int64? = nil) throws {
        beginEntry(key, size: size, until: expiry)
        length += try LogValue.encode(value, to: start + length)
    }

    /// Adds an entry that sets `key` to `integer`, whose encoded size is `size`.
    @inline(__always)
    mutating func set(_ key: KeyWords, _ integer: Int64, size: Int, until expiry: Int64?) {
        beginEntry(key, size: size, until: expiry)
        length += StoredValue.encode(integer, to: start + length)
    }

    /// Returns the CRC-32C checksum of the frame's last value, which has an encoded size of `size` bytes.
    ///
    /// The checksum is kept for the frame's own checksum, so a large value is processed only once.
    mutating func checksumOfLastValue(_ size: Int) -> UInt32 {
        let checksum = CRC32C.of(bytes.slice(length - size..<length))
        summed.append(SummedValue(start: length - size, end: length, checksum: checksum))
        return checksum
    }

    /// Appends encoded entries that are copied from another frame.
    mutating func append(entries: UnsafeRawBufferPointer) {
        makeRoom(for: entries.count)
        append(entries)
    }

    /// Adds an entry without its value, and reserves memory for the value.
    ///
    /// `size` is the encoded size of the value, or `nil` for a removal, which is complete after the call.
    @inline(__always)
    private mutating func beginEntry(_ key: KeyWords, size: Int?, until expiry: Int64?) {
        let head = 1 + 2 * LogFormat.maximumVariableNumberSize + LogFormat.expirySize
        makeRoom(for: head + max(key.count, KeyWords.longestInEntry) + (size ?? 0))
        if let size, expiry == nil, key.count | size < 0x80 {
            // Fast path for the most common kind of entry.
            append(LogFormat.EntryKind.set)
            append(UInt8(truncatingIfNeeded: key.count))
            append(UInt8(truncatingIfNeeded: size))
        } else {
            beginAnyEntry(key.count, size, expiry)
        }
        key.copy(to: start + length)
        length += key.count
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

    /// Truncates the frame to `length` bytes, which must be the end of an entry.
    @inline(__always)
    mutating func cut(to length: Int) {
        self.length = length
        while summed.count > 0, summed[summed.count - 1].end > length { summed.removeLast() }
    }

    /// Completes the frame by adding its prologue and padding.
    @inline(__always)
    mutating func seal(seed: UInt32, sequence: UInt64, flags: UInt16 = 0) {
        let unpadded = length
        length = LogFormat.padded(unpadded)
        // ``makeRoom(for:)`` always leaves room for the padding.
        start.storeBytes(of: 0, toByteOffset: unpadded, as: UInt64.self)
        start.storeBytes(of: UInt32(unpadded).littleEndian, toByteOffset: LogFormat.FrameField.length, as: UInt32.self)
        start.storeBytes(
            of: (sequence | UInt64(flags) << 48).littleEndian,
            toByteOffset: LogFormat.FrameField.sequenceAndFlags,
            as: UInt64.self
        )
        let checksum =
            summed.count == 0
            ? CRC32C.of(bytes.slice(LogFormat.FrameField.length..<length), continuing: seed) : checksumOfParts(seed)
        start.storeBytes(of: checksum.littleEndian, toByteOffset: LogFormat.FrameField.checksum, as: UInt32.self)
    }

    /// Returns the checksum of the frame, reusing the known checksums of large values.
    @inline(never)
    private func checksumOfParts(_ seed: UInt32) -> UInt32 {
        var checksum = seed
        var next = LogFormat.FrameField.length
        for value in summed.elements {
            checksum = CRC32C.of(bytes.slice(next..<value.start), continuing: checksum)
            checksum = CRC32C.combining(checksum, with: value.checksum, of: value.end - value.start)
            next = value.end
        }
        return CRC32C.of(bytes.slice(next..<length), continuing: checksum)
    }

    // MARK: Bytes

    /// Grows the buffer if it lacks capacity for `count` more bytes and padding.
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

/// The location of a valid frame in a buffer.
struct LogFrame: Hashable {
    var offset: Int
    /// The length of the frame in bytes, without padding.
    var length: Int
    var sequence: UInt64
    var flags: UInt16

    /// The offset of the end of the frame, including padding, where the next frame begins.
    var end: Int { offset + LogFormat.padded(length) }
    /// The range of the frame's entries in the buffer.
    var entries: Range<Int> { offset + LogFormat.prologueSize..<offset + length }

    /// The result of checking whether a frame begins at an offset.
    enum Finding: Hashable {
        case frame(LogFrame)
        /// The buffer ends before the end of a possible frame.
        ///
        /// The associated value is the number of bytes, starting at the offset, that are needed to check the frame.
        case needs(Int)
        case nothing
    }

    /// Checks whether a valid frame begins at `offset`.
    ///
    /// `sequences` is the range of valid sequence numbers, and `limit` is the number of bytes from the beginning of `bytes` to the end of
    /// the file.
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
