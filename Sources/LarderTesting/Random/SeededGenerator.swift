/// Random numbers for tests, the same from the same seed on every platform: a failure is found again by its seed.
///
/// Not for anything that must not be guessed.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// A generator.
    ///
    /// - Parameter seed: Any number; print it with a failure to run it again.
    public init(seed: UInt64) { state = seed }

    // SplitMix64: Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014.

    /// The next number.
    ///
    /// - Returns: All 64 bits are equally random.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
