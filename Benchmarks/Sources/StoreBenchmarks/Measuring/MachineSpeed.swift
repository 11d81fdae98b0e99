/// How fast the machine is at the moment, beside the one that the goals in nanoseconds were set on.
///
/// There a dictionary behind a mutex took 46 to 55 ns to give the number under one of 10,000 texts of 16 bytes, in random order. It is asked
/// beside everything that is measured, for shared machines are faster at one moment than at the next.
final class MachineSpeed {
    private static let reference = 55.0

    private let keys = Keys(10_000)
    private let dictionary: DictionaryPeer
    private var samples: [Double] = []

    init() { dictionary = DictionaryPeer(keys.all) }

    /// Forgets what was before.
    func begin() { samples = [] }

    func sample() {
        let keys = keys.shuffled
        for isTimed in [false, true] {
            let time = nanoseconds { for key in keys { keep(dictionary.get(key)) } }
            if isTimed { samples.append(time / Double(keys.count)) }
        }
    }

    /// How many times as long it takes here; `nil` where it was not asked.
    var factor: Double? { samples.isEmpty ? nil : median(samples) / Self.reference }
}
