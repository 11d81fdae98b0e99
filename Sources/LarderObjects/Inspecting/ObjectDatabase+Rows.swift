#if Objects
internal import Foundation

extension ObjectDatabase {
    /// Returns an entity's rows as strings.
    ///
    /// - Parameters:
    ///   - entity: The entity whose rows to return.
    ///   - condition: A column, an operator and a value, such as `total >= 10`. The operators are `=`, `!=`, `<`, `<=`, `>`, `>=`,
    ///     `contains` and `is`.
    ///   - limit: The maximum number of rows to return.
    /// - Returns: The column names, and for each row an array with one string per column. A string is `nil` if the column is NULL.
    /// - Throws: ``ObjectError`` with code `unsupportedQuery` if the condition is invalid.
    package func rows(
        of entity: Entity,
        where condition: String? = nil,
        limit: Int? = nil
    ) throws -> (columns: [String], rows: [[String?]]) {
        let shown = entity.columns.filter { $0.format != "position" && $0.format != "folded" }
        let key = ResolvedEntity.keyColumn
        let names = [key] + shown.map(\.name)
        var values: [ColumnValue] = []
        var sql = "SELECT \(names.map(\.quotedIdentifier).joined(separator: ", ")) FROM \(entity.name.quotedIdentifier)"
        if let condition { sql += " WHERE " + (try translate(condition, entity, &values)) }
        sql += " ORDER BY \(key.quotedIdentifier)"
        if let limit { sql += " LIMIT \(max(0, limit))" }
        let rows = try reading { statements in
            try statements.rows(sql, values) { row in
                [String(row.integer(at: 0))]
                    + shown.enumerated().map { Self.text(row.value(at: $0 + 1), $1) }
            }
        }
        return (names, rows)
    }

    private func translate(_ condition: String, _ entity: Entity, _ values: inout [ColumnValue]) throws -> String {
        let parts = condition.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true).map(String.init)
        guard parts.count == 3 else {
            throw SQLTranslator.unsupported(
                "the condition \"\(condition)\"",
                "Specify a column, an operator and a value"
            )
        }
        let isKey = parts[0] == ResolvedEntity.keyColumn
        let known = entity.columns.first { $0.name == parts[0] }
        guard let column = isKey ? Column(name: parts[0], format: "int64", isRequired: true, destination: nil) : known
        else {
            let names = entity.columns.map(\.name).joined(separator: ", ")
            throw SQLTranslator.unsupported(
                "\"\(parts[0])\", which is not a column of \(entity.name)",
                "Use one of \(names)"
            )
        }
        var text = parts[2]
        if text.count >= 2, let quote = text.first, quote == "'" || quote == "\"", text.last == quote {
            text = String(text.dropFirst().dropLast())
        }
        let name = column.name.quotedIdentifier
        func bind(_ value: ColumnValue) -> String {
            values.append(value)
            return "?\(values.count)"
        }
        switch parts[1].lowercased() {
        case "contains": return "instr(\(name), \(bind(text.columnValue))) > 0"
        case "is" where text.lowercased() == "nil" || text.lowercased() == "null": return "\(name) IS NULL"
        case "=", "==": return "\(name) = \(bind(try Self.value(text, column)))"
        case "!=", "<>": return "\(name) IS NOT \(bind(try Self.value(text, column)))"
        case "<", "<=", ">", ">=": return "\(name) \(parts[1]) \(bind(try Self.value(text, column)))"
        default:
            throw SQLTranslator.unsupported(
                "the operator \"\(parts[1])\"",
                "Use =, !=, <, <=, >, >=, contains, or is nil"
            )
        }
    }

    /// Converts user input to the stored form of a value of `column`.
    private static func value(_ text: String, _ column: Column) throws -> ColumnValue {
        let value: ColumnValue?
        switch column.format {
        case "bool": value = ["true": true, "false": false, "1": true, "0": false][text.lowercased()]?.columnValue
        case "uint64": value = UInt64(text)?.columnValue
        case "double", "float": value = Double(text)?.columnValue
        // Input that is not an ISO 8601 date may be a number of seconds. Other input is refused below.
        case "date": value = (try? Date(text, strategy: .iso8601))?.columnValue ?? Double(text)?.columnValue
        case "decimal": value = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))?.columnValue
        case "uuid": value = UUID(uuidString: text)?.columnValue
        case "data": value = Data(base64Encoded: text)?.columnValue
        case "string", "url", "json": value = text.columnValue
        default: value = Int64(text)?.columnValue
        }
        guard let value else {
            throw SQLTranslator.unsupported(
                "\"\(text)\", which is not of the format \(column.format)",
                "Specify a value of that format for \(column.name)"
            )
        }
        return value
    }

    /// Returns a stored value as a readable string, or `nil` for NULL.
    ///
    /// Pass `nil` for a column that the model lacks.
    static func text(_ value: ColumnValue, _ column: Column?) -> String? {
        if let destination = column?.destination, let id = value.integerValue { return "\(destination)/\(id)" }
        switch (column?.format, value) {
        case (_, .null): return nil
        case ("bool", .integer(let flag)): return flag == 0 ? "false" : "true"
        // Dates that are several thousand years in the past or future can't be formatted.
        case ("date", .real(let seconds)) where abs(seconds) < 1e11:
            return Date.fromColumn(value).map { Date.ISO8601FormatStyle(includingFractionalSeconds: true).format($0) }
        case ("decimal", _): return Decimal.fromColumn(value)?.description ?? "?"
        case ("uint64", _): return UInt64.fromColumn(value)?.description
        case ("uuid", _): return UUID.fromColumn(value)?.uuidString ?? "?"
        case (_, .integer(let integer)): return String(integer)
        case (_, .real(let real)): return String(real)
        case (_, .text(let text)): return text
        case (_, .blob(let data)): return data.base64EncodedString()
        }
    }
}
#endif
