/// The generation of a store's log and the end of the last commit, packed into a 64-bit integer in shared memory.
struct StateWord: Sendable, Hashable {
    let rawValue: UInt64

    private static let endBits = LogFormat.Control.endBits

    init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Creates the state of a log with the given generation and end offset.
    init(generation: UInt64, end: Int) {
        rawValue = generation << Self.endBits | UInt64(end / LogFormat.alignment) & (1 << Self.endBits - 1)
    }

    /// The state of an index that no longer reflects the log.
    ///
    /// No log has this state.
    static let lost = StateWord(rawValue: .max)

    /// The offset in bytes at which the last commit ends.
    var end: Int { Int(rawValue & (1 << Self.endBits - 1)) * LogFormat.alignment }

    /// Returns whether the state belongs to a log of the given generation.
    func isOf(generation: UInt64) -> Bool { rawValue >> Self.endBits == generation & (1 << (64 - Self.endBits) - 1) }
}
