/// Finds the frames of a log in bytes, one after the other.
///
/// It reads no file: the caller decides which part of a log the bytes are.
struct FrameScanner {
    /// What follows.
    enum Finding {
        /// A frame whose entries are well-formed.
        case frame(FoundFrame)
        /// It may be a frame, but so many bytes from its beginning are needed to tell.
        case needs(Int)
        case nothing
    }

    /// Where the next frame is expected.
    private(set) var position: LogPosition
    private let bytes: UnsafeRawBufferPointer
    private let origin: Int
    private let seed: UInt32
    private let limit: Int
    private let copiedOnly: Bool

    /// A scanner of `bytes`.
    ///
    /// - Parameters:
    ///   - bytes: A part of a log.
    ///   - origin: Where in the file `bytes` begin.
    ///   - seed: What the checks of the log's frames begin with.
    ///   - position: Where in the file the first frame is expected, not before `origin`.
    ///   - limit: How many bytes there are from the beginning of `bytes` to the end of the log.
    ///   - copiedOnly: Whether only frames count that compaction copied.
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

    /// Looks for a frame where the one before ended, and goes behind it.
    @inline(__always)
    mutating func next() -> Finding {
        let finding = look(at: position.offset - origin, sequences: position.sequence...position.sequence)
        if case .frame(let found) = finding { position = found.end }
        return finding
    }

    /// Searches behind damage for the next frame, and goes behind it.
    ///
    /// - Returns: The first frame whose sequence number leaves room for the frames that are missing before it, or `nil` if there is none.
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
