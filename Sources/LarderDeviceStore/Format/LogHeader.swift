import LarderFiles

/// The header of a log.
///
/// See "Header slot" in `device-log-v1.md`.
struct LogHeader: Sendable, Hashable {
    /// The 16-byte identifier of the store, which all generations of the log share.
    var fileIdentifier: [UInt8]
    var generation: UInt64
    var slotNumber: UInt64
    var snapshotEnd: Int
    var syncedMark: Int
    /// Whether the file uses a feature that prevents this version of Larder from writing to the file.
    var forbidsWriting = false
    /// The bit mask of unknown features that readers and writers may ignore.
    ///
    /// The bit mask is preserved until a compaction replaces the log.
    var ignorableFeatures: UInt32 = 0

    /// The seed of all frame checksums in this generation of the log.
    var seed: UInt32 {
        var bytes = fileIdentifier
        bytes.append(littleEndian: generation)
        return bytes.withUnsafeBytes { CRC32C.of($0) }
    }

    /// The file offset of the slot to which this header is written.
    var slotOffset: Int { LogFormat.slotOffsets[Int(slotNumber % 2)] }

    /// The encoded header, which fills a slot of 512 bytes.
    var slot: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: LogFormat.slotSize)
        typealias Field = LogFormat.SlotField
        bytes.replaceSubrange(0..<8, with: LogFormat.magic)
        bytes.replace(at: Field.majorVersion, littleEndian: LogFormat.majorVersion)
        bytes.replace(at: Field.minorVersion, littleEndian: LogFormat.minorVersion)
        bytes.replace(at: Field.ignorableFeatures, littleEndian: ignorableFeatures)
        bytes.replaceSubrange(Field.fileIdentifier..<Field.generation, with: fileIdentifier)
        bytes.replace(at: Field.generation, littleEndian: generation)
        bytes.replace(at: Field.slotNumber, littleEndian: slotNumber)
        bytes.replace(at: Field.snapshotEnd, littleEndian: UInt64(snapshotEnd))
        bytes.replace(at: Field.syncedMark, littleEndian: UInt64(syncedMark))
        bytes.replace(
            at: Field.checksum,
            littleEndian: bytes.withUnsafeBytes { CRC32C.of($0.slice(0..<Field.checksum)) }
        )
        return bytes
    }

    /// The complete header block of a new file, in which both slots are filled.
    var block: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: LogFormat.headerSize)
        for number in [slotNumber, slotNumber &+ 1] {
            var header = self
            header.slotNumber = number
            bytes.replaceSubrange(header.slotOffset..<header.slotOffset + LogFormat.slotSize, with: header.slot)
        }
        return bytes
    }

    /// The result of decoding a header slot.
    ///
    /// A header has two slots, which are written alternately.
    enum Slot: Hashable {
        case valid(LogHeader)
        /// The slot is valid, but uses a format version or features that this version of Larder can't read.
        case newer(major: UInt16, minor: UInt16)
        case invalid
    }

    /// Decodes a header slot.
    static func slot(_ bytes: UnsafeRawBufferPointer) -> Slot {
        typealias Field = LogFormat.SlotField
        guard
            bytes.count == LogFormat.slotSize,
            bytes.slice(0..<8).elementsEqual(LogFormat.magic),
            bytes.number(UInt32.self, at: Field.checksum) == CRC32C.of(bytes.slice(0..<Field.checksum))
        else { return .invalid }
        let major = bytes.number(UInt16.self, at: Field.majorVersion)
        let unknown = bytes.number(UInt32.self, at: Field.readFeatures) & ~LogFormat.knownReadFeatures
        guard major == LogFormat.majorVersion, unknown == 0 else {
            return .newer(major: major, minor: bytes.number(UInt16.self, at: Field.minorVersion))
        }
        guard
            let snapshotEnd = Int(exactly: bytes.number(UInt64.self, at: Field.snapshotEnd)),
            let syncedMark = Int(exactly: bytes.number(UInt64.self, at: Field.syncedMark))
        else { return .invalid }
        return .valid(
            LogHeader(
                fileIdentifier: Array(bytes.slice(Field.fileIdentifier..<Field.generation)),
                generation: bytes.number(UInt64.self, at: Field.generation),
                slotNumber: bytes.number(UInt64.self, at: Field.slotNumber),
                snapshotEnd: snapshotEnd,
                syncedMark: syncedMark,
                forbidsWriting: bytes.number(UInt32.self, at: Field.writeFeatures) & ~LogFormat.knownWriteFeatures != 0,
                ignorableFeatures: bytes.number(UInt32.self, at: Field.ignorableFeatures)
            )
        )
    }

    /// The result of reading both slots of a header.
    struct Reading: Hashable {
        var choice: Slot
        /// The byte offset of each invalid header slot, and of the first nonzero byte in the padding after a slot.
        var flaws: [Int]
    }

    /// Reads both slots of a header.
    ///
    /// A slot that extends beyond the end of `bytes` is invalid.
    static func read(_ bytes: UnsafeRawBufferPointer) -> Reading {
        var reading = Reading(choice: .invalid, flaws: [])
        for offset in LogFormat.slotOffsets {
            let end = offset + LogFormat.slotSize
            let found = end <= bytes.count ? slot(bytes.slice(offset..<end)) : .invalid
            switch (found, reading.choice) {
            case (.invalid, _): reading.flaws.append(offset)
            // A newer slot takes precedence over any other.
            case (.newer, _), (_, .invalid): reading.choice = found
            case (.valid(let new), .valid(let old)) where new.slotNumber > old.slotNumber: reading.choice = found
            case (.valid, _): break
            }
            let gapEnd = min(bytes.count, offset + LogFormat.slotOffsets[1])
            if end < gapEnd, let flaw = bytes.firstNonZero(in: end..<gapEnd) { reading.flaws.append(flaw) }
        }
        return reading
    }
}
