/// An operation in the table, with all contenders that perform it, measured in one run.
///
/// Machines are shared and noisy, so only ratios are meaningful. Every round runs each contender once, in a different order, so that
/// periodic work, such as a compaction, does not always affect the same contender. The result is the median of all rounds.
struct Row {
    /// The name of the operation, such as "get an Int by String key, 10,000 keys".
    let operation: String
    /// A closure that measures the operation in its own folder, which is deleted afterwards.
    ///
    /// The table compares all other measurements with the first one.
    let measure: (_ folder: String, _ machine: MachineSpeed) throws -> [Figure]

    /// Creates a row whose measurements a closure computes.
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

    /// Returns a row with contenders that are timed one after another.
    ///
    /// - Parameters:
    ///   - operation: The name of the operation.
    ///   - rounds: The number of rounds. In each round, every contender runs once to warm the caches, then once with its time measured.
    ///   - clock: The clock that measures the time.
    ///   - contenders: A closure that creates the contenders before the first round.
    /// - Returns: A row that compares the contenders.
    static func timed(
        _ operation: String,
        rounds: Int = 7,
        clock: Clock = .wall,
        _ contenders: @escaping (_ folder: String) throws -> [Contender]
    ) -> Row {
        Row(operation, measuring: { try time(contenders($0), rounds: rounds, clock, $1) })
    }

    /// The clock by which a row is measured.
    enum Clock {
        /// Wall-clock time.
        case wall
        /// The processor time that all threads spend, which depends less on other load.
        case processor
    }

    /// Returns the nanoseconds that each contender takes for one operation.
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
                // The first run, which is not measured, replaces the data that the previous contender left in the caches.
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

/// A group of rows in the table, which is defined in its own file.
struct Area {
    /// The name of the area, which can be passed to `run.sh` to measure only these rows.
    let name: String
    let rows: [Row]
}
