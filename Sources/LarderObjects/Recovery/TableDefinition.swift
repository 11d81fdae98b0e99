#if Objects
/// The columns of a table in the order of a record's values, parsed from the `CREATE TABLE` statement.
///
/// Because migrations append columns, the order may differ from the order in the model. The statement is not executed, because it may be
/// corrupt.
struct TableDefinition: Hashable {
    struct Column: Hashable {
        let name: String
        /// The type that SQLite enforces, such as `INTEGER`.
        let type: String
        /// Whether the column is the `INTEGER PRIMARY KEY`, whose value in a record is NULL.
        let isKey: Bool
    }

    let columns: [Column]

    /// Parses a `CREATE TABLE` statement, or returns `nil` if Larder did not write the statement.
    init?(_ sql: String) {
        guard sql.hasPrefix("CREATE TABLE ") else { return nil }
        var columns: [Column] = []
        for part in Self.parts(sql) {
            guard let first = part.first else { return nil }
            // Table constraints begin with an unquoted word, as do the columns of Larder's own tables.
            if !first.isQuoted, ["UNIQUE", "PRIMARY", "CHECK", "FOREIGN", "CONSTRAINT"].contains(first.text) {
                continue
            }
            let words = part.dropFirst().map(\.text)
            guard let type = words.first else { return nil }
            columns.append(
                Column(name: first.text, type: type, isKey: words.dropFirst().starts(with: ["PRIMARY", "KEY"]))
            )
        }
        guard !columns.isEmpty else { return nil }
        self.columns = columns
    }

    private struct Token {
        let text: String
        let isQuoted: Bool
    }

    /// Returns the tokens of each column or constraint definition in a `CREATE TABLE` statement.
    private static func parts(_ sql: String) -> [[Token]] {
        var parts: [[Token]] = []
        var depth = 0
        var rest = Substring(sql)
        while let character = rest.first {
            rest.removeFirst()
            switch character {
            case "(":
                depth += 1
                if depth == 1 { parts.append([]) }
            case ")": depth -= 1
            case "," where depth == 1: parts.append([])
            case "\"":
                let name = quotedName(&rest)
                if depth == 1 { parts[parts.count - 1].append(Token(text: name, isQuoted: true)) }
            case let character where !character.isWhitespace:
                let end = rest.firstIndex { $0.isWhitespace || "(),\"".contains($0) } ?? rest.endIndex
                let word = String(character) + rest[..<end]
                rest = rest[end...]
                if depth == 1 { parts[parts.count - 1].append(Token(text: word, isQuoted: false)) }
            default: break
            }
        }
        return depth == 0 ? parts : []
    }

    /// Consumes and returns the remainder of a quoted name after its opening quotation mark.
    private static func quotedName(_ rest: inout Substring) -> String {
        var name = ""
        while let character = rest.first {
            rest.removeFirst()
            if character == "\"" {
                guard rest.first == "\"" else { break }
                rest.removeFirst()
            }
            name.append(character)
        }
        return name
    }
}
#endif
