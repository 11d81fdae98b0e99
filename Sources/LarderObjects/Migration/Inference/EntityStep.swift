#if Objects
/// The source of the values for one column of the new schema.
enum ColumnSource: Hashable, Sendable {
    /// The values of a column in the old table, unchanged.
    case column(String)
    /// The values of a column in the old table, converted by the ``ConversionSlot`` at index `slot`.
    case converted(String, slot: Int)
    /// A constant value for all rows.
    case constant(ColumnValue)
    /// The default value of the attribute with the given name, evaluated for each row.
    case perRow(String)
    /// The case-folded value of another column in the new table.
    case folded(of: String)
    case null
}

/// The conversion of one column, with an optional replacement for values that can't be converted.
struct ConversionSlot: Hashable, Sendable {
    let entity: String
    let attribute: String
    let conversion: ColumnConversion
    let isRequired: Bool
    let isInexactAllowed: Bool
    /// The replacement for `nil` in a required attribute, and for values that can't be converted.
    let replacement: DefaultValue?
    /// The stored forms of an enumeration's cases, or `nil` if the type is not an enumeration.
    let values: Set<String>?
    /// Whether the attribute's type can decode every value of its stored format.
    let isPlain: Bool

    /// Returns an SQL expression that converts the values of `column` without calling Swift code, or `nil` if there is none.
    func shortcut(_ column: String) -> ColumnConversion.Shortcut? { isPlain ? conversion.shortcut(column) : nil }
}

/// The changes that a migration step makes to one entity.
struct EntityStep: Hashable, Sendable {
    enum Work: Hashable, Sendable {
        case create
        case keep
        /// Renames, adds and drops columns in the existing table.
        case alter
        /// Copies the rows into a new table.
        case rebuild
    }

    /// The entity in the stored schema, or `nil` if the entity is new.
    let old: SchemaDescription.Entity?
    let new: SchemaDescription.Entity
    /// The sources of the new table's columns, in column order.
    var sources: [ColumnSource] = []
    /// The columns in the old table that have no counterpart in the new table.
    var dropped: [String] = []
    /// Whether the rows are copied to a new table even if the existing table could be altered.
    var isSeparate = false

    /// The old and new names of the renamed columns.
    var renames: [(old: String, new: String)] {
        zip(sources, new.columns).compactMap { source, column in
            guard case .column(let old) = source, old != column.name else { return nil }
            return (old, column.name)
        }
    }

    /// The added columns, each with the source of its values.
    var additions: [(column: SchemaDescription.Column, source: ColumnSource)] {
        zip(new.columns, sources).compactMap { column, source in
            if case .column = source { nil } else { (column, source) }
        }
    }

    var work: Work {
        guard old != nil else { return .create }
        let added = additions
        if renames.isEmpty, added.isEmpty, dropped.isEmpty { return .keep }
        let isConverted = added.contains { if case .converted = $0.source { true } else { false } }
        let isFilled = added.contains { $0.source != .null }
        // If a new column reuses a dropped column's name, the altered table would temporarily have two columns with that name.
        let names = Set(new.columns.map { $0.name.lowercased() })
        let isReused = dropped.contains { names.contains($0.lowercased()) }
        return isSeparate || isConverted || isReused || dropped.count + (isFilled ? 1 : 0) > 1 ? .rebuild : .alter
    }
}
#endif
