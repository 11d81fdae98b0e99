#if Command && Objects
extension ObjectsCommand {
    /// Prints rows in the output format that the user has chosen.
    func print(_ header: [String], _ rows: [[String?]], _ console: Console) throws {
        switch format ?? .table {
        case .table:
            var table = Table(header)
            for row in rows { table.add(row.map { $0?.inOneLine ?? "nil" }) }
            for line in table.lines(lastColumnLimit: console.isTerminal ? 60 : nil) { try console.print(line) }
        case .json:
            let objects = rows.map { row in
                JSONWriter.object(zip(header, row).map { ($0, $1.map(JSONWriter.string) ?? "null") })
            }
            try console.print(objects.isEmpty ? "[]" : "[\n  " + objects.joined(separator: ",\n  ") + "\n]")
        case .csv:
            for row in [header] + rows { try console.print(row.map(Self.cell).joined(separator: ",")) }
        case let other:
            throw CommandFailure.usage(
                "A table can't be printed as \(other.rawValue). Use --format table, json or csv."
            )
        }
    }

    /// Returns `text` as a CSV field, quoted and escaped as RFC 4180 requires.
    private static func cell(_ text: String?) -> String {
        guard let text else { return "" }
        let isPlain = !text.contains { $0 == "," || $0 == "\"" || $0.isNewline } && !text.isEmpty
        return isPlain
            ? text
            : "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
#endif
