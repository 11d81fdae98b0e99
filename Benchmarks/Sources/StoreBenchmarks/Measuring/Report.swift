import Foundation

/// The one table that `make bench` prints.
struct Report {
    private var rows: [(operation: String, measurements: [Measurement])] = []

    mutating func add(_ comparison: Comparison, rounds: Int) throws {
        FileHandle.standardError.write(Data("measuring: \(comparison.operation)\n".utf8))
        rows.append((comparison.operation, try comparison.measure(rounds: rounds)))
    }

    /// A Markdown table: nanoseconds an operation, and how many times the first contender's.
    var text: String {
        var lines = ["| operation | contender | ns/op | ratio |", "|---|---|---:|---:|"]
        for row in rows {
            let reference = row.measurements.first?.nanoseconds ?? 1
            for (index, measurement) in row.measurements.enumerated() {
                let operation = index == 0 ? row.operation : ""
                let ratio = measurement.nanoseconds / reference
                lines.append(
                    "| \(operation) | \(measurement.name) | \(Self.number(measurement.nanoseconds)) | \(Self.number(ratio)) |"
                )
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func number(_ value: Double) -> String {
        let digits = value < 10 ? 2 : value < 100 ? 1 : 0
        return value.formatted(.number.precision(.fractionLength(digits)).locale(Locale(identifier: "en_US_POSIX")))
    }
}
