import Foundation

/// The table that `make bench` prints.
struct Report {
    /// The words that a row's name or the name of its area must contain for the row to be measured.
    let words: [String]
    private let machine = MachineSpeed()
    private var lines = [
        "| operation | contender | value | ratio | goal | reached | machine |", "|---|---|---:|---:|---:|---|---:|",
    ]
    private var missedGoals = 0
    private var scaledGoals = 0

    init(words: [String]) { self.words = words }

    /// Measures the rows in `area` that match ``words``.
    mutating func add(_ area: Area, in folder: String) throws {
        for (number, row) in area.rows.enumerated() where isAsked(row, area) {
            FileHandle.standardError.write(Data("measuring \(area.name): \(row.operation)\n".utf8))
            let place = "\(folder)/\(area.name)-\(number)"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: place) }
            machine.begin()
            add(row.operation, try row.measure(place, machine))
        }
    }

    /// The measurements as a Markdown table, followed by a summary of missed goals.
    ///
    /// Its columns are the cost of one operation, the ratio to the row's first contender, the goal, and the slowdown of this machine
    /// during the row, relative to the machine on which the goals were set.
    var text: String { lines.joined(separator: "\n") + summary }

    private var summary: String {
        let missed = missedGoals == 0 ? "" : "\n\nGoals not reached: \(missedGoals)."
        guard scaledGoals > 0 else { return missed }
        return missed
            + """
            \n
            Goals marked "scaled": \(scaledGoals). They were missed, but would be reached if they were multiplied by "machine", the factor by
            which a dictionary behind a mutex is slower here than on the machine on which the goals were set. For a goal that is relative to
            the first contender's value, only the difference is multiplied.
            """
    }

    private func isAsked(_ row: Row, _ area: Area) -> Bool {
        words.allSatisfy { area.name.localizedStandardContains($0) || row.operation.localizedStandardContains($0) }
    }

    private mutating func add(_ operation: String, _ measurements: [Figure]) {
        for (index, measurement) in measurements.enumerated() {
            let first = measurements[0]
            var cells = [index == 0 ? operation : "", measurement.name, measurement.unit.text(measurement.value)]
            cells.append(
                measurement.unit == first.unit && first.value > 0
                    ? Figure.Unit.digits(measurement.value / first.value) : ""
            )
            if let goal = measurement.goal {
                cells += [
                    measurement.unit.text(goal.limit(among: measurements)), outcome(measurement, goal, measurements),
                ]
            } else {
                cells += ["", ""]
            }
            cells.append(index == 0 ? machine.factor.map(Figure.Unit.digits) ?? "" : "")
            lines.append("| " + cells.joined(separator: " | ") + " |")
        }
    }

    /// Returns "yes" or "no", or "scaled" if the goal was missed, but would be reached if it were scaled to the speed of this machine.
    private mutating func outcome(_ figure: Figure, _ goal: Goal, _ row: [Figure]) -> String {
        if figure.value <= goal.limit(among: row) { return "yes" }
        let factor = max(1, machine.factor ?? 1)
        if figure.unit == .nanoseconds, figure.value <= goal.limit(among: row, factor: factor) {
            scaledGoals += 1
            return "scaled"
        }
        missedGoals += 1
        return "no"
    }
}
