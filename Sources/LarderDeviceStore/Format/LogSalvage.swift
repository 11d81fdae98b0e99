/// What a log that is damaged still holds.
struct LogSalvage {
    /// Valid frames in order.
    var frames: [LogFrame] = []
    /// The bytes between them that are not part of a frame.
    var damaged: [Range<Int>] = []
    /// Sequence numbers that are missing inside the damaged ranges before the last frame.
    var missingFrames = 0

    /// Searches all of `bytes`, which is a whole log.
    ///
    /// Before `trustedEnd` everything is known to have been written.
    init(_ bytes: UnsafeRawBufferPointer, seed: UInt32, trustedEnd: Int) {
        var scanner = FrameScanner(bytes, seed: seed, limit: bytes.count)
        while true {
            while case .frame(let found) = scanner.next() { frames.append(found.frame) }
            let damage = scanner.position
            guard damage.offset < trustedEnd else { return }
            guard let found = scanner.nextBehindDamage() else {
                damaged.append(damage.offset..<trustedEnd)
                return
            }
            damaged.append(damage.offset..<found.range.lowerBound)
            missingFrames += Int(found.frame.sequence - damage.sequence)
            frames.append(found.frame)
        }
    }
}
