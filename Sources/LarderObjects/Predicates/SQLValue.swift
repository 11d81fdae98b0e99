#if Objects
/// An SQL expression and the known properties of its result, such as whether it can be NULL.
struct SQLValue {
    /// A column in an entity's table.
    struct Column: Hashable {
        let entity: Int
        /// The index of the column, or `nil` for the primary key.
        let place: Int?
    }

    /// The operands of `value ?? constant`.
    struct Fallback {
        /// The SQL of the left operand.
        let sql: String
        let rows: Set<Int>
        /// The stored form of the right operand.
        let value: ColumnValue
    }

    let sql: String
    /// The attribute that the expression reads, which determines how constants are encoded for comparison.
    var attribute: AttributeDescription?
    /// The identifiers of the joins that must match a row for the value to be non-NULL.
    var rows: Set<Int> = []
    /// The constant in its stored form, or `nil` if the expression is not a constant.
    var constant: ColumnValue?
    /// The column that the expression reads, possibly with a fallback for NULL.
    var column: Column?
    /// The operands of `value ?? constant`, or `nil` for other expressions.
    var fallback: Fallback?
    /// The values that the expression force-unwraps.
    ///
    /// The predicate is undefined if one of these values is NULL.
    var unwrapped: [SQLValue] = []

    init(_ sql: String, _ attribute: AttributeDescription? = nil, rows: Set<Int> = []) {
        self.sql = sql
        self.attribute = attribute
        self.rows = rows
    }

    /// Creates an expression whose value is a known constant.
    init(_ sql: String, constant: ColumnValue) {
        self.sql = sql
        self.constant = constant
    }

    /// Creates an expression that is computed from other values.
    ///
    /// The expression must be NULL if one of these values is NULL.
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

    /// Whether the value can't be NULL, because it is a non-NULL constant or a required attribute in a row that always exists.
    var isNeverNull: Bool {
        if let constant { return !constant.isNull }
        guard column != nil, rows.isEmpty, let attribute else { return false }
        return !attribute.isOptional
    }

    /// The left operand of `value ?? constant`, or `nil` for other expressions.
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
    /// - Returns: -1, 0 or 1, or `nil` if one of the values is NULL or their types differ.
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
