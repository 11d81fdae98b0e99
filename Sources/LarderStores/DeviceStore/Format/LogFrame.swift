import LarderCore
import LarderFiles

/// A frame being put together, in a buffer that is used again and again.
struct LogFrameBuilder {
    /// The frame so far; whole after ``seal(seed:sequence:flags:)``.
    private(set) var bytes: [UInt8] = []

    /// Whether there is no entry yet.
    var isEmpty: Bool { bytes.count <= LogFormat.prologueSize }

    /// How long the frame is so far, without padding.
    var length: Int { bytes.count }

    /// Drops what was there.
    mutating func begin() {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(littleEndian: 0 as UInt64)
        bytes.append(littleEndian: 0 as UInt64)
    }

    /// Adds the removal of a key.
    mutating func remove(_ key: UnsafeRawBufferPointer) {
        bytes.append(LogFormat.EntryKind.removed)
        bytes.append(variableNumber: key.count)
        bytes.append(contentsOf: key)
    }

    /// Adds a key and its encoded value.
    mutating func set(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, until expiry: Int64? = nil) {
        bytes.append(expiry == nil ? LogFormat.EntryKind.set : LogFormat.EntryKind.setUntil)
        bytes.append(variableNumber: key.count)
        bytes.append(variableNumber: value.count)
        if let expiry { bytes.append(littleEndian: expiry) }
        bytes.append(contentsOf: key)
        bytes.append(contentsOf: value)
    }

    /// Adds entries as they stand in another frame.
    mutating func append(entries: UnsafeRawBufferPointer) { bytes.append(contentsOf: entries) }

    /// Fills in the prologue and the padding.
    mutating func seal(seed: UInt32, sequence: UInt64, flags: UInt16 = 0) {
        let length = bytes.count
        for _ in length..<LogFormat.padded(length) { bytes.append(0) }
        bytes.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(
                of: UInt32(length).littleEndian,
                toByteOffset: LogFormat.FrameField.length,
                as: UInt32.self
            )
            bytes.storeBytes(
                of: (sequence | UInt64(flags) << 48).littleEndian,
                toByteOffset: LogFormat.FrameField.sequenceAndFlags,
                as: UInt64.self
            )
            let covered = UnsafeRawBufferPointer(bytes).slice(LogFormat.FrameField.length..<bytes.count)
            let checksum = CRC32C.of(covered, continuing: seed)
            bytes.storeBytes(of: checksum.littleEndian, toByteOffset: LogFormat.FrameField.checksum, as: UInt32.self)
        }
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
