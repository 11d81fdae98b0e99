/// A scanner that finds consecutive log frames in a buffer.
///
/// The caller reads the file and decides which part of the log to scan.
struct FrameScanner {
    /// The result of scanning for a frame at one position.
    enum Finding {
        /// A frame with well-formed entries.
        case frame(FoundFrame)
        /// The buffer ends before the end of a possible frame.
        ///
        /// The associated value is the number of bytes, starting at the scanner's position, that are needed to check the frame.
        case needs(Int)
        case nothing
    }

    /// The position of the next frame to read.
    private(set) var position: LogPosition
    private let bytes: UnsafeRawBufferPointer
    private let origin: Int
    private let seed: UInt32
    private let limit: Int
    private let copiedOnly: Bool

    /// Creates a scanner for `bytes`.
    ///
    /// - Parameters:
    ///   - bytes: The buffer that holds all or part of a log.
    ///   - origin: The offset of `bytes` in the file.
    ///   - seed: The seed of the frame checksums.
    ///   - position: The position of the first frame, which must not be before `origin`.
    ///   - limit: The number of bytes from the beginning of `bytes` to the end of the log.
    ///   - copiedOnly: Whether to accept only frames that a compaction copied.
    init(
        _ bytes: UnsafeRawBufferPointer,
        at origin: Int = 0,
        seed: UInt32,
        from position: LogPosition = .beginning,
        limit: Int,
        copiedOnly: Bool = false
    ) {
        self.bytes = bytes
        self.origin = origin
        self.seed = seed
        self.position = position
        self.limit = limit
        self.copiedOnly = copiedOnly
    }

    /// Reads the frame at the current position, and advances the position past it.
    @inline(__always)
    mutating func next() -> Finding {
        let finding = look(at: position.offset - origin, sequences: position.sequence...position.sequence)
        if case .frame(let found) = finding { position = found.end }
        return finding
    }

    /// Searches for the first valid frame after a corrupt range, and advances the position past that frame.
    ///
    /// The frame's sequence number must not imply more missing frames than fit in the corrupt range.
    ///
    /// - Returns: The frame, or `nil` if there is none.
    mutating func nextBehindDamage() -> FoundFrame? {
        let damage = position.offset - origin
        var offset = damage
        while offset + LogFormat.prologueSize <= bytes.count {
            let room = UInt64((offset - damage) / LogFormat.prologueSize)
            if case .frame(let found) = look(at: offset, sequences: position.sequence...position.sequence + room) {
                position = found.end
                return found
            }
            offset += LogFormat.alignment
        }
        return nil
    }

    @inline(__always)
    private func look(at offset: Int, sequences: ClosedRange<UInt64>) -> Finding {
        switch LogFrame.find(in: bytes, at: offset, seed: seed, sequences: sequences, limit: limit) {
        case .frame(let frame):
            if copiedOnly, frame.flags & LogFormat.FrameFlags.snapshot == 0 { return .nothing }
            return FoundFrame(checking: bytes, frame: frame, origin: origin).map { .frame($0) } ?? .nothing
        case .needs(let count): return .needs(count)
        case .nothing: return .nothing
        }
    }
}
