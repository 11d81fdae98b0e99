#if Objects
/// The column types and formats of a table, used to check whether a record can be a row of the table.
struct RowShape {
    /// The name of the entity or of the join table.
    let name: String
    /// The table's columns, in the order of the values in a record.
    private let columns: [TableDefinition.Column]
    /// The format of each column in ``columns``, or `nil` for the primary key.
    private let formats: [String?]
    let isJoin: Bool

    /// Creates the shape of an entity's table or a join table, or returns `nil` if the table's columns do not match `formats`.
    init?(_ name: String, _ definition: TableDefinition, formats: [String: String], isJoin: Bool) {
        self.name = name
        self.isJoin = isJoin
        columns = definition.columns
        let described = definition.columns.filter { !$0.isKey }
        guard Set(described.map(\.name)) == Set(formats.keys), definition.columns.contains(where: \.isKey) != isJoin
        else { return nil }
        self.formats = definition.columns.map { $0.isKey ? nil : formats[$0.name] }
    }

    /// The names of all columns except the key, in the order of the values that ``row(_:)`` returns.
    var names: [String] { columns.filter { !$0.isKey }.map(\.name) }

    /// The names of all columns, in the order of the values in a record.
    var recordNames: [String] { columns.map(\.name) }

    /// Returns whether a record with the given serial types satisfies the table's column types.
    func fits(_ types: [UInt64]) -> Bool {
        // A row that was written before a column was added has fewer values.
        guard types.count <= columns.count, !types.isEmpty, !isJoin || types.count >= 2 else { return false }
        return zip(types, columns).allSatisfy { type, column in
            if type == 0 { return !isJoin || column.name.hasSuffix("Position") }
            guard !column.isKey else { return false }
            switch column.type {
            case "INTEGER": return type < 7 || type == 8 || type == 9
            case "REAL": return type < 10
            case "TEXT": return type > 12 && type % 2 == 1
            case "BLOB": return type > 11 && type % 2 == 0
            default: return true
            }
        }
    }

    /// Converts a record's values to a row without the key, or returns `nil` if a value does not match its column's format.
    func row(_ values: [ColumnValue]) -> [ColumnValue]? {
        guard values.count <= columns.count else { return nil }
        var row: [ColumnValue] = []
        row.reserveCapacity(columns.count)
        for (index, format) in formats.enumerated() {
            guard let format else { continue }
            let value = index < values.count ? values[index] : .null
            guard let stored = Self.stored(value, format, columns[index].type) else { return nil }
            row.append(stored)
        }
        return row
    }

    /// Returns whether the case-folded search columns of a row match their attributes.
    ///
    /// - Parameter row: The values of all columns except the key.
    /// - Returns: `false` if a search column does not match.
    func hasFoldedValues(_ row: [ColumnValue]) -> Bool {
        let names = names
        return zip(names, formats.compactMap(\.self)).enumerated().allSatisfy { place, column in
            guard column.1 == "folded", let source = names.firstIndex(where: { $0 + ".folded" == column.0 }) else {
                return true
            }
            return row[place] == row[source].searchFolded
        }
    }

    private static func stored(_ value: ColumnValue, _ format: String, _ type: String) -> ColumnValue? {
        switch (value, format) {
        case (.null, _): return .null
        case (.integer(let id), "reference"): return id > 0 ? value : nil
        case (.integer, "position"), (.text, "folded"): return value
        case (.real(let number), _) where number.isNaN: return nil
        default:
            guard NeutralValue(value, format: format) != nil else { return nil }
            // A record may store an integral number as an integer, regardless of the column's type.
            if type == "REAL", case .integer(let number) = value { return .real(Double(number)) }
            return value
        }
    }
}

extension SchemaDescription {
    /// The column formats of all tables: first the entity tables, then the join tables.
    var tableFormats: [(name: String, formats: [String: String], isJoin: Bool)] {
        entities.map { entity in
            let formats = entity.columns.map { ($0.name, $0.format) }
            return (entity.name, Dictionary(formats, uniquingKeysWith: { first, _ in first }), false)
        }
            + SchemaStatements(self).joinTables().map { join, _ in
                var formats = ["source": "reference", "target": "reference"]
                if join.isSourceOrdered { formats["sourcePosition"] = "position" }
                if join.isTargetOrdered { formats["targetPosition"] = "position" }
                return (join.name, formats, true)
            }
    }
}
#endif
