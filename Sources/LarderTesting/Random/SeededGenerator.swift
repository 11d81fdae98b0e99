/// A random number generator for tests, which produces the same numbers for the same seed on every platform.
///
/// The generator is not suitable for cryptographic use.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator with a seed.
    ///
    /// - Parameter seed: Any number. Print the seed with each failure, so that the failure can be reproduced.
    public init(seed: UInt64) { state = seed }

    // SplitMix64. Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014.

    /// Returns the next random number.
    ///
    /// - Returns: A uniformly distributed 64-bit number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
