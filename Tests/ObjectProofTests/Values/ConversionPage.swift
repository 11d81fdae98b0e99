#if Objects
import Foundation

/// The tables of Documentation/Migrations.md.
enum ConversionPage {
    struct Example: Sendable, CustomStringConvertible {
        let from: Format
        let to: Format
        let value: String
        let result: String
        let outcome: String
        var description: String { "\(from) to \(to): \(value)" }
    }

    /// The rules by the labels of the old and new type.
    static let table: [String: [String: String]] = {
        let rows = Self.rows(after: "| from \\ to |")
        let columns = rows.first.map { Array($0.dropFirst()) } ?? []
        return Dictionary(
            rows.dropFirst().map { row in
                (row[0], Dictionary(zip(columns, row.dropFirst()), uniquingKeysWith: { first, _ in first }))
            },
            uniquingKeysWith: { first, _ in first }
        )
    }()

    /// The names of the rules in the second table.
    static let rules: Set<String> = Set(rows(after: "| Cell |").dropFirst().map { $0[0] })

    static let examples: [Example] = rows(after: "| From |").dropFirst().compactMap { row in
        guard let from = Format.allCases.first(where: { $0.typeName == row[0] }),
            let to = Format.allCases.first(where: { $0.typeName == row[1] })
        else { return nil }
        return Example(from: from, to: to, value: row[2], result: row[3], outcome: row[4])
    }

    /// The number of examples on the page, including those that could not be parsed.
    static let exampleCount = rows(after: "| From |").count - 1

    static func rule(from: String, to: String) -> String { table[from]?[to] ?? "missing" }

    /// Returns the cells of a table, beginning with its header row.
    private static func rows(after head: String) -> [[String]] {
        let page = URL(filePath: #filePath).appending(path: "../../../../Documentation/Migrations.md").standardized
        let lines = ((try? String(contentsOf: page, encoding: .utf8)) ?? "").split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        guard let start = lines.firstIndex(where: { $0.hasPrefix(head) }) else { return [] }
        return lines[start...].prefix { $0.hasPrefix("|") }.filter { !$0.hasPrefix("|---") }.map { line in
            line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }
}
#endif
