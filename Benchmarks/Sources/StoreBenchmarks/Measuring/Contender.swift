/// An implementation of an operation, such as a store or another library, that is compared with others in a row.
struct Contender {
    /// The contender's name in the printed table.
    let name: String
    /// The number of operations that one call to `run` performs.
    let operations: Int
    /// The limit for the measured time of one operation, or `nil` if there is none.
    let goal: Goal?
    /// A closure that prepares a call to `run`.
    ///
    /// Its time is not measured.
    let prepare: () throws -> Void
    /// A closure that performs the operations.
    ///
    /// `round` differs in each call, so that written values always change.
    let run: (_ round: Int) throws -> Void

    /// Creates a contender from closures that prepare and perform its operations.
    init(
        _ name: String,
        operations: Int,
        goal: Goal? = nil,
        prepare: @escaping () throws -> Void = {},
        run: @escaping (_ round: Int) throws -> Void
    ) {
        self.name = name
        self.operations = operations
        self.goal = goal
        self.prepare = prepare
        self.run = run
    }
}

/// The limit that a measurement must not exceed.
enum Goal {
    /// At most this value, in the measurement's unit.
    case atMost(Double)
    /// At most this many times the first measurement of the row.
    case timesFirst(Double)
    /// At most this many times the measurement with the given name in the row.
    case times(Double, of: String)
    /// At most this value more than the first measurement of the row, in its unit.
    case aboveFirst(Double)

    /// Returns the limit on a machine that is `factor` times slower than the one on which the goal was set.
    ///
    /// - Parameters:
    ///   - figures: The measurements of the row.
    ///   - factor: The slowdown of this machine.
    /// - Returns: The limit. If the row lacks the measurement to which the goal refers, the limit is 0, which no time can meet.
    func limit(among figures: [Figure], factor: Double = 1) -> Double {
        switch self {
        case .atMost(let limit): limit * factor
        case .timesFirst(let times): figures[0].value * times
        case .times(let times, let peer): (figures.first { $0.name == peer }?.value ?? 0) * times
        case .aboveFirst(let distance): figures[0].value + distance * factor
        }
    }
}
