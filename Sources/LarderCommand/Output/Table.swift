/// A table of strings with aligned columns.
struct Table {
    private var rows: [[String]] = []

    init(_ header: String...) { rows = [header] }
    init(_ header: [String]) { rows = [header] }

    mutating func add(_ cells: String...) { rows.append(cells) }
    mutating func add(_ cells: [String]) { rows.append(cells) }

    /// Returns the table's lines, without trailing spaces.
    ///
    /// Cells in the last column are truncated to `lastColumnLimit` characters.
    func lines(lastColumnLimit: Int? = nil) -> [String] {
        let columns = rows.first?.count ?? 0
        let widths = (0..<columns).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (cell, width) in zip(row.dropLast(), widths) {
                line += cell + String(repeating: " ", count: width - cell.count + 2)
            }
            let last = row.last ?? ""
            if let limit = lastColumnLimit, last.count > limit {
                line += last.prefix(limit - 1) + "…"
            } else {
                line += last
            }
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}

extension String {
    /// The string, quoted and escaped if it contains line breaks or unprintable characters.
    var inOneLine: String {
        let isPlain =
            !isEmpty && first != " " && last != " "
            && unicodeScalars.allSatisfy { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
                default: true
                }
            }
        return isPlain ? self : debugDescription
    }
}
