/// One way to do an operation.
struct Contender {
    /// Who does it, as the table says it.
    let name: String
    /// How many operations one call of `run` makes.
    let operations: Int
    /// What this one is to reach, and `nil` for whom nothing is asked.
    let goal: Goal?
    /// Makes ready what a call of `run` needs; not timed.
    let prepare: () throws -> Void
    /// Makes the operations.
    ///
    /// `round` differs from call to call, so that written values always change.
    let run: (_ round: Int) throws -> Void

    /// A way to do an operation.
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

/// What a measurement is to reach.
enum Goal {
    /// At most this much, in the measurement's own unit.
    case atMost(Double)
    /// At most this many times the first measurement of the row.
    case timesFirst(Double)
    /// At most this much more than the first measurement of the row, in its unit.
    case aboveFirst(Double)

    /// The most that reaches the goal, on a machine on which everything takes `factor` times as long as where the goal was set.
    func limit(first: Double, factor: Double = 1) -> Double {
        switch self {
        case .atMost(let limit): limit * factor
        case .timesFirst(let times): first * times
        case .aboveFirst(let distance): first + distance * factor
        }
    }
}
