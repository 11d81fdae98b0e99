import Foundation

/// A measured value, which is one line of the printed table.
struct Figure {
    let name: String
    let value: Double
    let unit: Unit
    let goal: Goal?

    /// The unit of a value.
    enum Unit {
        /// The time of one operation.
        case nanoseconds
        case bytes
        /// The number of allocations in one operation.
        case allocations
        /// A percentage of the quantity that the name states.
        case percent
        /// A multiple of the quantity that the name states.
        case times
        /// A number of table rows.
        case rows
        /// A number of queries.
        case queries
    }

    /// Creates a measured value.
    init(_ name: String, _ value: Double, _ unit: Unit = .nanoseconds, goal: Goal? = nil) {
        self.name = name
        self.value = value
        self.unit = unit
        self.goal = goal
    }
}

extension Figure.Unit {
    /// Returns a readable form of `value`, with its unit.
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

    /// Returns `value` with about three digits, because measurements on a shared machine are not more precise.
    static func digits(_ value: Double) -> String {
        let count = abs(value) < 10 ? 2 : abs(value) < 100 ? 1 : 0
        return value.formatted(.number.precision(.fractionLength(count)).locale(Locale(identifier: "en_US_POSIX")))
    }
}

/// Returns the nanoseconds that `body` takes.
func nanoseconds(_ body: () throws -> Void) rethrows -> Double {
    let time = try ContinuousClock().measure(body)
    return Double(time.components.seconds) * 1e9 + Double(time.components.attoseconds) / 1e9
}

/// Returns the nanoseconds of processor time that all threads of the process spend while `body` runs.
func processorNanoseconds(_ body: () throws -> Void) rethrows -> Double {
    func now() -> Double {
        var time = timespec()
        // The call fails only for unknown clocks.
        _ = clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
    let start = now()
    try body()
    return now() - start
}

/// Returns the median of `values`, which must not be empty.
func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// Prevents the optimizer from removing an unused result.
@inline(never)
func keep<Value>(_ value: Value) {}
