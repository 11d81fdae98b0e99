/// Where a store stands, as one number that processes share: the generation of its file and the end of its last commit.
struct StateWord: Sendable, Hashable {
    let rawValue: UInt64

    private static let endBits = LogFormat.Control.endBits

    init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The word for a file of that generation that ends there.
    init(generation: UInt64, end: Int) {
        rawValue = generation << Self.endBits | UInt64(end / LogFormat.alignment) & (1 << Self.endBits - 1)
    }

    /// What memory reflects when nobody can tell any more where the store stands: no store ever does there.
    static let lost = StateWord(rawValue: .max)

    /// The end of the last commit, in bytes.
    var end: Int { Int(rawValue & (1 << Self.endBits - 1)) * LogFormat.alignment }

    /// Whether it speaks of that generation.
    func isOf(generation: UInt64) -> Bool { rawValue >> Self.endBits == generation & (1 << (64 - Self.endBits) - 1) }
}
