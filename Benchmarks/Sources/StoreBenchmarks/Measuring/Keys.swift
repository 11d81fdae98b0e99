/// Keys of 16 bytes, sorted and in a random order that is the same in every run.
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

    /// Returns the first `count` keys in the random order.
    func some(_ count: Int) -> [String] { Array(shuffled.prefix(count)) }
}
