/// One operation of the table, with everybody who does it, measured in one run.
///
/// Machines are shared and noisy, so only ratios are worth reading: every round runs each contender once, in another order
/// each time, so that what recurs, such as a compaction every so many writes, does not always meet the same one. The median of the
/// rounds counts.
struct Row {
    /// What is measured.
    let operation: String
    /// Measures it in a folder of its own; what is made for it is gone afterwards.
    ///
    /// The first measurement is what the others are
    /// compared with.
    let measure: (_ folder: String, _ machine: MachineSpeed) throws -> [Figure]

    /// A row that works out its measurements by itself.
    init(_ operation: String, measure: @escaping (_ folder: String) throws -> [Figure]) {
        self.init(operation, measuring: { folder, _ in try measure(folder) })
    }

    private init(
        _ operation: String,
        measuring: @escaping (_ folder: String, _ machine: MachineSpeed) throws -> [Figure]
    ) {
        self.operation = operation
        measure = measuring
    }

    /// A row of contenders that are timed in turn.
    ///
    /// - Parameters:
    ///   - operation: What is measured.
    ///   - rounds: How many times each contender runs twice: once to warm caches, once to be timed.
    ///   - clock: What is measured.
    ///   - contenders: Made before the first round.
    /// - Returns: The row.
    static func timed(
        _ operation: String,
        rounds: Int = 7,
        clock: Clock = .wall,
        _ contenders: @escaping (_ folder: String) throws -> [Contender]
    ) -> Row {
        Row(operation, measuring: { try time(contenders($0), rounds: rounds, clock, $1) })
    }

    /// What a timed row measures.
    enum Clock {
        /// Time that passes.
        case wall
        /// Processor time of all threads, which a busy machine changes less.
        case processor
    }

    /// Nanoseconds an operation, for each contender.
    private static func time(
        _ contenders: [Contender],
        rounds: Int,
        _ clock: Clock,
        _ machine: MachineSpeed
    ) throws -> [Figure] {
        var samples = [[Double]](repeating: [], count: contenders.count)
        var order = SeededGenerator(state: 7)
        for round in 0..<rounds {
            machine.sample()
            for index in contenders.indices.shuffled(using: &order) {
                let contender = contenders[index]
                // What the one before has left in the caches is nobody's merit: a first run warms them and is not counted.
                try contender.prepare()
                try contender.run(2 * round + 1)
                try contender.prepare()
                let run = { try contender.run(2 * round + 2) }
                let time = try clock == .wall ? nanoseconds(run) : processorNanoseconds(run)
                samples[index].append(time / Double(contender.operations))
            }
        }
        return zip(contenders, samples).map { Figure($0.name, median($1), goal: $0.goal) }
    }
}

/// A part of the table, in a file of its own.
struct Area {
    /// What `run.sh` may be given to measure this part alone.
    let name: String
    let rows: [Row]
}
