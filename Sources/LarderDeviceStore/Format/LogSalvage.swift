/// What a log that is damaged still holds.
struct LogSalvage {
    /// Valid frames in order.
    var frames: [LogFrame] = []
    /// What lies between them and is no frame.
    var damaged: [Range<Int>] = []
    /// Sequence numbers that are missing inside the damaged ranges before the last frame.
    var missingFrames = 0

    /// Searches all of `bytes`, which is a whole log.
    ///
    /// Before `trustedEnd` everything is known to have been written.
    init(_ bytes: UnsafeRawBufferPointer, seed: UInt32, trustedEnd: Int) {
        var offset = LogFormat.headerSize
        var sequence: UInt64 = 1
        scanning: while true {
            while let frame = Self.frame(bytes, offset, seed, sequence...sequence) {
                frames.append(frame)
                offset = frame.end
                sequence += 1
            }
            guard offset < trustedEnd else { return }
            var next = offset
            while next + LogFormat.prologueSize <= bytes.count {
                let room = UInt64((next - offset) / LogFormat.prologueSize)
                if let frame = Self.frame(bytes, next, seed, sequence...sequence + room) {
                    damaged.append(offset..<next)
                    missingFrames += Int(frame.sequence - sequence)
                    frames.append(frame)
                    offset = frame.end
                    sequence = frame.sequence + 1
                    continue scanning
                }
                next += LogFormat.alignment
            }
            damaged.append(offset..<max(trustedEnd, offset))
            return
        }
    }

    private static func frame(
        _ bytes: UnsafeRawBufferPointer,
        _ offset: Int,
        _ seed: UInt32,
        _ sequences: ClosedRange<UInt64>
    ) -> LogFrame? {
        guard
            case .frame(let frame) = LogFrame.find(
                in: bytes,
                at: offset,
                seed: seed,
                sequences: sequences,
                limit: bytes.count
            ),
            LogReader.Found(bytes: bytes, frame: frame, origin: 0).isWellFormed
        else { return nil }
        return frame
    }
}
