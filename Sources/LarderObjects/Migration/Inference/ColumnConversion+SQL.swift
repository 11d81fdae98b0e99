#if Objects
extension ColumnConversion {
    /// An SQL expression that converts values without loss and without calling Swift code for each row.
    struct Shortcut: Hashable {
        /// An SQL condition that selects the values to convert and excludes NULL.
        let condition: String
        let result: String
    }

    /// The largest integer up to which `Double` represents every integer exactly.
    private static let largestInDouble: Int64 = 1 << 53
    /// The largest integer up to which `Float` represents every integer exactly.
    private static let largestInFloat: Int64 = 1 << 24

    /// Returns an SQL expression that converts those values of a column that SQL can convert without loss.
    ///
    /// - Parameter column: The quoted name of the column.
    /// - Returns: The expression, or `nil` if all values must be converted by ``convert(_:)``.
    func shortcut(_ column: String) -> Shortcut? {
        func shortcut(_ condition: String, _ type: String? = nil) -> Shortcut {
            Shortcut(condition: condition, result: type.map { "CAST(\(column) AS \($0))" } ?? column)
        }
        func within(_ bounds: ClosedRange<Int64>) -> String {
            "\(column) BETWEEN \(ColumnValue.integer(bounds.lowerBound).sqlLiteral) AND \(bounds.upperBound)"
        }
        if isIdentity { return shortcut("\(column) IS NOT NULL") }
        let range = IntegerFormats.ranges[to].map { Int64(clamping: $0.lowerBound)...Int64(clamping: $0.upperBound) }
        if IntegerFormats.ranges[from] != nil || from == "bool" {
            switch to {
            case "bool": return shortcut("\(column) IN (0, 1)")
            case "double": return shortcut(within(-Self.largestInDouble...Self.largestInDouble), "REAL")
            case "float": return shortcut(within(-Self.largestInFloat...Self.largestInFloat), "REAL")
            case "string" where from != "bool", "json" where from != "bool":
                return shortcut("typeof(\(column)) = 'integer'", "TEXT")
            default: return range.map { shortcut(within($0)) }
            }
        }
        switch (from, to) {
        case ("double", "date"), ("date", "double"), ("float", "double"), ("float", "date"):
            return shortcut("typeof(\(column)) = 'real'")
        case ("double", _), ("float", _):
            guard let range else { return nil }
            let exact = range.clamped(to: -Self.largestInDouble...Self.largestInDouble)
            return shortcut("\(within(exact)) AND \(column) = CAST(\(column) AS INTEGER)", "INTEGER")
        case ("url", "string"): return shortcut("typeof(\(column)) = 'text'")
        case ("string", "data"): return shortcut("typeof(\(column)) = 'text'", "BLOB")
        case ("uuid", "data"), ("data", "uuid"):
            return shortcut("typeof(\(column)) = 'blob' AND length(\(column)) = 16")
        default: return nil
        }
    }
}
#endif
