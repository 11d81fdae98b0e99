/// A measurement of this machine's current speed, relative to the machine on which the goals in nanoseconds were set.
///
/// On that machine, a dictionary behind a mutex took 46 to 55 ns to return the number for one of 10,000 strings of 16 bytes, in random
/// order. The same lookup is measured during every row, because the speed of a shared machine varies.
final class MachineSpeed {
    private static let reference = 55.0

    private let keys = Keys(10_000)
    private let dictionary: DictionaryPeer
    private var samples: [Double] = []

    init() { dictionary = DictionaryPeer(keys.all) }

    /// Discards all samples, so that a new row can be measured.
    func begin() { samples = [] }

    func sample() {
        let keys = keys.shuffled
        for isTimed in [false, true] {
            let time = nanoseconds { for key in keys { keep(dictionary.get(key)) } }
            if isTimed { samples.append(time / Double(keys.count)) }
        }
    }

    /// The factor by which this machine is slower, or `nil` if there are no samples.
    var factor: Double? { samples.isEmpty ? nil : median(samples) / Self.reference }
}
