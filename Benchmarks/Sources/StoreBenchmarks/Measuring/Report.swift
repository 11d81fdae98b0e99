import Foundation

/// The one table that `make bench` prints.
struct Report {
    /// Rows must contain all of these in their text or the name of their area.
    let words: [String]
    private var lines = ["| operation | contender | one | ratio | goal | reached |", "|---|---|---:|---:|---:|---|"]
    private(set) var missedGoals = 0

    init(words: [String]) { self.words = words }

    /// Measures those rows of `area` that were asked for.
    mutating func add(_ area: Area, in folder: String) throws {
        for (number, row) in area.rows.enumerated() where isAsked(row, area) {
            FileHandle.standardError.write(Data("measuring \(area.name): \(row.operation)\n".utf8))
            let place = "\(folder)/\(area.name)-\(number)"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: place) }
            add(row.operation, try row.measure(place))
        }
    }

    /// A Markdown table: what one operation takes, how many times the row's first contender that is, and the goals.
    var text: String { lines.joined(separator: "\n") }

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
                let limit = goal.limit(first: first.value)
                let isReached = measurement.value <= limit
                if !isReached { missedGoals += 1 }
                cells += [measurement.unit.text(limit), isReached ? "yes" : "no"]
            } else {
                cells += ["", ""]
            }
            lines.append("| " + cells.joined(separator: " | ") + " |")
        }
    }
}
