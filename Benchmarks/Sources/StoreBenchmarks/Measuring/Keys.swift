/// Keys of 16 bytes in a random order that is the same in every run.
struct Keys {
    let all: [String]
    let shuffled: [String]

    init(_ count: Int) {
        all = (0..<count).map { index in
            let digits = String(index)
            return "key/" + String(repeating: "0", count: 12 - digits.count) + digits
        }
        var generator = SeededGenerator(state: 42)
        shuffled = all.shuffled(using: &generator)
    }

    /// `count` of them, in the random order.
    func some(_ count: Int) -> [String] { Array(shuffled.prefix(count)) }
}

/// SplitMix64: small, fast and the same everywhere.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
