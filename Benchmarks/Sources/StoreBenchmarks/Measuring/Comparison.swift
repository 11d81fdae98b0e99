/// One operation, done by several contenders in one run.
///
/// Machines are shared and noisy, so only ratios are worth reading: every round runs each contender once, starting with another
/// one each time, and the median of the rounds counts.
struct Comparison {
    /// One way to do the operation.
    struct Contender {
        let name: String
        /// How many operations one call of `run` makes.
        let operations: Int
        /// Makes them. `round` differs from call to call, so that written values always change.
        let run: (_ round: Int) throws -> Void
    }

    /// What is measured.
    let operation: String
    /// The first one is what the others are compared with.
    let contenders: [Contender]

    /// Nanoseconds an operation, for each contender.
    func measure(rounds: Int) throws -> [Measurement] {
        var samples = [[Double]](repeating: [], count: contenders.count)
        let clock = ContinuousClock()
        for round in -1..<rounds {
            for turn in contenders.indices {
                let index = (turn + max(0, round)) % contenders.count
                let contender = contenders[index]
                let time = try clock.measure { try contender.run(round + 1) }
                // The first round warms caches and is not counted.
                if round >= 0 { samples[index].append(time.nanoseconds / Double(contender.operations)) }
            }
        }
        return zip(contenders, samples).map { contender, times in
            Measurement(name: contender.name, nanoseconds: times.sorted()[times.count / 2])
        }
    }
}

/// The median of one contender.
struct Measurement {
    let name: String
    let nanoseconds: Double
}

extension Duration {
    fileprivate var nanoseconds: Double {
        Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
    }
}

/// Keeps the optimiser from removing a result that nobody reads.
@inline(never)
func keep<Value>(_ value: Value) {}
