/// How finely a power loss may tear what was not synced.
package enum Tearing: Sendable, Hashable {
    /// Between sectors.
    case sectors
    /// Also inside a sector, between any two bytes.
    case bytes
}

/// Decides what the rules of power loss leave open.
protocol CrashChoices {
    /// A number from 0 (as little as possible arrived) to `count - 1` (all of it did).
    mutating func choose(_ count: Int) -> Int
}

/// Decides by chance, and leans to one side for some seeds, so that extremes are not rare.
struct SeededChoices: CrashChoices {
    private var generator: SplitMix64
    /// Of 16 choices, how many are the least and how many are the most.
    private let least: UInt64
    private let most: UInt64

    init(seed: UInt64) {
        // Far apart for seeds that follow one another.
        generator = SplitMix64(seed: seed &* 0x9E37_79B9_7F4A_7C15)
        let leaning: (UInt64, UInt64) =
            switch generator.next() % 8 {
            case 0: (16, 0)
            case 1: (0, 16)
            case 2: (14, 1)
            case 3: (1, 14)
            default: (0, 0)
            }
        (least, most) = leaning
    }

    mutating func choose(_ count: Int) -> Int {
        if count < 2 { return 0 }
        let random = generator.next()
        let leaning = random >> 60
        if leaning < least { return 0 }
        if leaning < least + most { return count - 1 }
        return Int((random & 0xFFFF_FFFF) % UInt64(count))
    }
}

/// Decides everything in every way, one way at a time.
struct ExhaustiveChoices: CrashChoices {
    private var made: [(choice: Int, count: Int)] = []
    private var position = 0

    mutating func choose(_ count: Int) -> Int {
        if count < 2 { return 0 }
        defer { position += 1 }
        if position < made.count { return made[position].choice }
        made.append((0, count))
        return 0
    }

    /// Goes on to the next way; `false` after the last.
    mutating func advance() -> Bool {
        position = 0
        while let last = made.popLast() {
            if last.choice + 1 < last.count {
                made.append((last.choice + 1, last.count))
                return true
            }
        }
        return false
    }
}

/// Everything arrived: what is left when the process dies and the machine goes on.
struct EverythingArrived: CrashChoices {
    mutating func choose(_ count: Int) -> Int { count - 1 }
}
