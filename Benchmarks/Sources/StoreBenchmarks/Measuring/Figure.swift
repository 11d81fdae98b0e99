import Foundation

/// One line of the table.
struct Figure {
    let name: String
    let value: Double
    let unit: Unit
    let goal: Goal?

    /// What a value counts.
    enum Unit {
        /// For one operation.
        case nanoseconds
        case bytes
        /// For one operation.
        case allocations
        /// Of something that the name says, in hundredths.
        case percent
        /// How many times something that the name says.
        case times
        /// Of a table, counted.
        case rows
        /// Counted.
        case queries
    }

    /// A value that was measured.
    init(_ name: String, _ value: Double, _ unit: Unit = .nanoseconds, goal: Goal? = nil) {
        self.name = name
        self.value = value
        self.unit = unit
        self.goal = goal
    }
}

extension Figure.Unit {
    /// A number that a person can read.
    func text(_ value: Double) -> String {
        switch self {
        case .nanoseconds where value >= 1_000_000: "\(Self.digits(value / 1e6)) ms"
        case .nanoseconds where value >= 10_000: "\(Self.digits(value / 1e3)) us"
        case .nanoseconds: "\(Self.digits(value)) ns"
        case .bytes where value >= 10_000: "\(Self.digits(value / 1024)) KiB"
        case .bytes: "\(Self.digits(value)) B"
        case .allocations: Self.digits(value)
        case .percent: "\(Self.digits(value)) %"
        case .times: "\(Self.digits(value)) times"
        case .rows: "\(Self.digits(value)) rows"
        case .queries: "\(Self.digits(value)) queries"
        }
    }

    /// Three digits are all that a shared machine can tell.
    static func digits(_ value: Double) -> String {
        let count = abs(value) < 10 ? 2 : abs(value) < 100 ? 1 : 0
        return value.formatted(.number.precision(.fractionLength(count)).locale(Locale(identifier: "en_US_POSIX")))
    }
}

/// Nanoseconds that `body` takes.
func nanoseconds(_ body: () throws -> Void) rethrows -> Double {
    let time = try ContinuousClock().measure(body)
    return Double(time.components.seconds) * 1e9 + Double(time.components.attoseconds) / 1e9
}

/// Nanoseconds of processor time that all threads of the process spend while `body` runs.
func processorNanoseconds(_ body: () throws -> Void) rethrows -> Double {
    func now() -> Double {
        var time = timespec()
        // It fails for unknown clocks alone.
        _ = clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
    let start = now()
    try body()
    return now() - start
}

/// The middle one of `values`, which must not be empty.
func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// Keeps the optimiser from removing a result that nobody reads.
@inline(never)
func keep<Value>(_ value: Value) {}
