/// The intact frames that were found in a corrupt log.
struct LogSalvage {
    /// The valid frames in file order.
    var frames: [LogFrame] = []
    /// The byte ranges of the file that are not part of a valid frame.
    var damaged: [Range<Int>] = []
    /// The number of frames that are missing before the last valid frame, according to the sequence numbers.
    var missingFrames = 0

    /// Finds the intact frames in `bytes`, which contain a complete log.
    ///
    /// All bytes before `trustedEnd` are known to have been written.
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
