import Foundation

/// The one table that `make bench` prints.
struct Report {
    /// Rows must contain all of these in their text or the name of their area.
    let words: [String]
    private let machine = MachineSpeed()
    private var lines = [
        "| operation | contender | one | ratio | goal | reached | machine |", "|---|---|---:|---:|---:|---|---:|",
    ]
    private var missedGoals = 0
    private var scaledGoals = 0

    init(words: [String]) { self.words = words }

    /// Measures those rows of `area` that were asked for.
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

    /// A Markdown table: what one operation takes, how many times the row's first contender that is, the goals, and how many times as long
    /// as where they were set the machine took meanwhile.
    var text: String { lines.joined(separator: "\n") + summary }

    private var summary: String {
        let missed = missedGoals == 0 ? "" : "\n\n\(missedGoals) goals were not reached."
        guard scaledGoals > 0 else { return missed }
        return missed
            + """
            \n
            \(scaledGoals) more goals are "scaled": over the goal, and under it where it is multiplied by "machine", which is how many times as
            long a dictionary behind a mutex took meanwhile as where the goals were set. Of a goal above the first contender the distance is.
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
                cells += [measurement.unit.text(goal.limit(first: first.value)), outcome(measurement, goal, first)]
            } else {
                cells += ["", ""]
            }
            cells.append(index == 0 ? machine.factor.map(Figure.Unit.digits) ?? "" : "")
            lines.append("| " + cells.joined(separator: " | ") + " |")
        }
    }

    /// "yes", "no", or "scaled": over the goal, but not over what it is on a machine of this speed.
    private mutating func outcome(_ figure: Figure, _ goal: Goal, _ first: Figure) -> String {
        if figure.value <= goal.limit(first: first.value) { return "yes" }
        let factor = max(1, machine.factor ?? 1)
        if figure.unit == .nanoseconds, figure.value <= goal.limit(first: first.value, factor: factor) {
            scaledGoals += 1
            return "scaled"
        }
        missedGoals += 1
        return "no"
    }
}
