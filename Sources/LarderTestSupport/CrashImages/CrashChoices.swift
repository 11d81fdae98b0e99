/// The granularity at which a simulated power loss tears unsynced writes.
package enum Tearing: Sendable, Hashable {
    /// Writes are torn only at sector boundaries.
    case sectors
    /// Writes are torn between any two bytes, even within a sector.
    case bytes
}

/// A type that chooses which unsynced changes survive a simulated power loss.
protocol CrashChoices {
    /// Chooses a number from 0 to `count - 1`.
    ///
    /// The number 0 preserves as few unsynced changes as possible, and `count - 1` preserves all of them.
    mutating func choose(_ count: Int) -> Int
}

/// Pseudorandom choices of the unsynced changes that survive a simulated power loss.
///
/// Some seeds favor the smallest or the largest numbers, so that extreme outcomes are not rare.
struct SeededChoices: CrashChoices {
    private var generator: SplitMix64
    /// The probability, in sixteenths, that a choice is forced to be 0.
    private let least: UInt64
    /// The probability, in sixteenths, that a choice is forced to be the largest number.
    private let most: UInt64

    init(seed: UInt64) {
        // Consecutive seeds are spread over the generator's range.
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

/// Choices that enumerate all combinations of unsynced changes that can survive a simulated power loss.
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

    /// Advances to the next combination of choices, or returns `false` after the last combination.
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

/// Choices that preserve all unsynced changes, as after a process crash without a power loss.
struct EverythingArrived: CrashChoices {
    mutating func choose(_ count: Int) -> Int { count - 1 }
}
