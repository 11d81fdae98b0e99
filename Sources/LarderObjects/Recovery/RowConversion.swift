#if Objects
/// The conversion of an entity's salvaged rows to the program's model.
///
/// A row can't be converted if a value would be lost or a required value would be missing.
struct RowConversion {
    private enum Source {
        /// The value at the given index of the stored row.
        case value(Int)
        case converted(Int, ConversionSlot)
        case constant(ColumnValue)
        case made(@Sendable () throws -> ColumnValue)
        /// The folded search string of the value at the given index of the converted row.
        case folded(of: Int)
        case null
    }

    /// The name of the entity's table in the model.
    let table: String
    let names: [String]
    private let sources: [Source]
    private let required: [Bool]
    private let canDecode: [(@Sendable (ColumnValue) -> Bool)?]

    /// Creates a row conversion for an entity from its migration step and the shape of its stored rows.
    init(_ step: EntityStep, _ slots: [ConversionSlot], _ shape: RowShape, _ model: ResolvedModel) {
        table = step.new.name
        names = step.new.columns.map(\.name)
        let entity = model.entity(named: table)
        func place(_ name: String) -> Int? { shape.names.firstIndex(of: name) }
        sources = step.sources.map { source in
            switch source {
            case .column(let name): place(name).map { .value($0) } ?? .null
            case .converted(let name, let slot): place(name).map { .converted($0, slots[slot]) } ?? .null
            case .constant(let value): .constant(value)
            case .perRow(let name):
                entity?.description.attributes.first { $0.name == name }?.makeDefault.map { .made($0) } ?? .null
            case .folded(let name): step.new.columns.firstIndex { $0.name == name }.map { .folded(of: $0) } ?? .null
            case .null: .null
            }
        }
        required = step.new.columns.map(\.isRequired)
        canDecode = step.new.columns.map { column in
            entity?.description.attributes.first { $0.name == column.name }?.canDecode
        }
    }

    /// Converts a row to the columns listed in ``names``, or returns `nil` if the model can't represent it.
    func convert(_ row: [ColumnValue]) -> [ColumnValue]? {
        var values: [ColumnValue] = []
        values.reserveCapacity(sources.count)
        for (index, source) in sources.enumerated() {
            let value: ColumnValue
            switch source {
            case .value(let place): value = row[place]
            case .converted(let place, let slot):
                guard let converted = Self.convert(row[place], slot) else { return nil }
                value = converted
            case .constant(let constant): value = constant
            case .made(let make):
                guard let made = try? make() else { return nil }
                value = made
            // An attribute precedes its case-folded column.
            case .folded(let place): value = values.indices.contains(place) ? values[place].searchFolded : .null
            case .null: value = .null
            }
            if value.isNull {
                if required[index] { return nil }
            } else if let canDecode = canDecode[index], !canDecode(value) {
                return nil
            }
            values.append(value)
        }
        return values
    }

    /// Returns the converted value or its declared replacement, or `nil` if the value would be lost.
    private static func convert(_ value: ColumnValue, _ slot: ConversionSlot) -> ColumnValue? {
        var replacement: ColumnValue?
        if case .constant(let constant)? = slot.replacement { replacement = constant }
        if value.isNull { return slot.isRequired ? replacement : .null }
        switch slot.conversion.convert(value) {
        case .exact(let converted): return converted
        case .inexact(let converted): return slot.isInexactAllowed ? converted : replacement
        case .none: return replacement
        }
    }
}
#endif
