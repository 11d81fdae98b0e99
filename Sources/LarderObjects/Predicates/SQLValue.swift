#if Objects
/// A value in SQL, and what is known about it.
struct SQLValue {
    /// A column of an entity's table.
    struct Column: Hashable {
        let entity: Int
        /// The place of the column; `nil` for the primary key.
        let place: Int?
    }

    /// What `??` puts in the place of NULL.
    struct Fallback {
        /// The value without the fallback.
        let sql: String
        let rows: Set<Int>
        let value: ColumnValue
    }

    let sql: String
    /// The attribute the value comes from, which decides how constants beside it are stored.
    var attribute: AttributeDescription?
    /// Joined rows; the value is NULL if any of them is missing.
    var rows: Set<Int> = []
    /// The stored form of a constant.
    var constant: ColumnValue?
    /// The column whose values it has, with or without a fallback.
    var column: Column?
    /// The fallback of `value ?? constant`.
    var fallback: Fallback?
    /// Values that were unwrapped by force: the predicate is neither true nor false if one of them is NULL.
    var unwrapped: [SQLValue] = []

    init(_ sql: String, _ attribute: AttributeDescription? = nil, rows: Set<Int> = []) {
        self.sql = sql
        self.attribute = attribute
        self.rows = rows
    }

    /// A constant in the place of a parameter.
    init(_ sql: String, constant: ColumnValue) {
        self.sql = sql
        self.constant = constant
    }

    /// What SQL makes of other values, NULL if one of them is.
    init(_ sql: String, of first: SQLValue, _ others: SQLValue...) {
        self.sql = sql
        for value in [first] + others {
            rows.formUnion(value.rows)
            unwrapped += value.unwrapped
        }
    }

    static var null: SQLValue { SQLValue("NULL", constant: .null) }

    var isNull: Bool { constant?.isNull ?? false }
    /// Whether the value is a constant other than NULL.
    var isPresent: Bool { constant.map { !$0.isNull } ?? false }

    /// Whether the value is a constant, or an attribute of a row that is there and always has a value.
    var isNeverNull: Bool {
        if let constant { return !constant.isNull }
        guard column != nil, rows.isEmpty, let attribute else { return false }
        return !attribute.isOptional
    }

    /// The value without its fallback.
    var withoutFallback: SQLValue? {
        guard let fallback else { return nil }
        var value = SQLValue(fallback.sql, attribute, rows: fallback.rows)
        value.column = column
        value.unwrapped = unwrapped
        return value
    }
}

extension ColumnValue {
    /// Compares two stored values as SQLite does.
    ///
    /// - Returns: -1, 0 or 1; `nil` if one of them is NULL or they are of different kinds.
    func compared(to other: ColumnValue) -> Int? {
        switch (self, other) {
        case (.integer(let a), .integer(let b)): a < b ? -1 : a == b ? 0 : 1
        case (.real(let a), .real(let b)): a < b ? -1 : a == b ? 0 : 1
        case (.text(let a), .text(let b)):
            a.utf8.elementsEqual(b.utf8) ? 0 : a.utf8.lexicographicallyPrecedes(b.utf8) ? -1 : 1
        case (.blob(let a), .blob(let b)): a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
        default: nil
        }
    }
}
#endif
