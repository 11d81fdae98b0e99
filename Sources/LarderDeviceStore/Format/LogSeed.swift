import LarderFiles

/// A namespace for functions that recover the seed of a log's checksums if the header is lost.
///
/// A CRC can be computed backward, so the bytes of a frame and its checksum determine the seed. Only intact frames yield the same seed, so
/// a second frame must confirm a candidate.
enum LogSeed {
    /// Returns the checksum seed of the log in `bytes`, or `nil` if the seed can't be determined.
    static func recover(_ bytes: UnsafeRawBufferPointer) -> UInt32? {
        var offset = LogFormat.headerSize
        while offset + LogFormat.prologueSize <= bytes.count {
            if let seed = candidate(bytes, at: offset) { return seed }
            offset += LogFormat.alignment
        }
        return nil
    }

    private static func candidate(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt32? {
        let length = Int(bytes.number(UInt32.self, at: offset + LogFormat.FrameField.length))
        let end = offset + LogFormat.padded(length)
        let room = UInt64((offset - LogFormat.headerSize) / LogFormat.prologueSize)
        let word = bytes.number(UInt64.self, at: offset + LogFormat.FrameField.sequenceAndFlags)
        let sequence = word & LogFormat.maximumSequence
        guard
            length > LogFormat.prologueSize, length <= LogFormat.maximumFrameLength, end <= bytes.count,
            sequence >= 1, sequence <= room + 1, UInt16(word >> 48) & ~LogFormat.FrameFlags.known == 0
        else { return nil }
        let frame = LogFrame(offset: offset, length: length, sequence: sequence, flags: UInt16(word >> 48))
        guard FoundFrame(bytes: bytes, frame: frame, origin: 0).isWellFormed else { return nil }
        let seed = CRC32C.beginning(
            of: bytes.slice(offset + LogFormat.FrameField.length..<end),
            endingIn: bytes.number(UInt32.self, at: offset)
        )
        let next = sequence + 1
        let following = LogFrame.find(in: bytes, at: end, seed: seed, sequences: next...next, limit: bytes.count)
        if case .frame = following { return seed }
        // If a store has only one commit, no frame follows it.
        let isAlone = sequence == 1 && bytes.slice(end..<bytes.count).isZero
        return isAlone ? seed : nil
    }
}
