#if Objects
internal import Foundation
internal import LarderCore

/// A reader of the values and relationships of objects.
struct ObjectRecords {
    /// The maximum length of a string or of data on a page, in characters or bytes.
    private static let longestValue = 65_536
    /// The maximum number of related objects that are counted.
    private static let longestCount = 1_000

    let schema: SchemaDescription
    let entity: SchemaDescription.Entity
    let statements: StatementCache

    /// Returns the records of objects, in the order of their keys in `keys`.
    ///
    /// An object that does not exist is left out.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - isCut: Whether long strings and data are cut.
    /// - Returns: The records.
    /// - Throws: The error that SQLite reports.
    func records(_ keys: [Int64], isCut: Bool) throws -> [InspectionRecord] {
        if keys.isEmpty { return [] }
        var translator = FilterTranslator(schema)
        let source = translator.source(entity)
        let attributes = entity.attributes
        var columns = [source.key] + attributes.map { Self.value(source.column($0.name), $0.format, isCut) }
        let links = try relationships(source, &translator, &columns)
        let list = translator.bind(ObjectContext.list(keys))
        let sql =
            "SELECT \(columns.joined(separator: ", ")) FROM \(source.table) WHERE \(source.key) IN "
            + "(SELECT value FROM json_each(\(list)))"
        let records = try statements.rows(sql, translator.values) { row in
            var record = InspectionRecord(key: String(row.integer(at: 0)), values: [])
            for (index, column) in attributes.enumerated() {
                let (value, problem) = StoredValue.inspected(row.value(at: index + 1), column)
                record.values.append(value)
                record.problem = record.problem ?? problem
            }
            for (index, link) in links.enumerated() {
                guard let number = row.value(at: attributes.count + 1 + index).integerValue else { continue }
                if link.cardinality != "many" {
                    record.related[link.name] = String(number)
                } else if number <= Self.longestCount {
                    record.counts[link.name] = Int(number)
                }
            }
            return (row.integer(at: 0), record)
        }
        let found = Dictionary(records, uniquingKeysWith: { first, _ in first })
        return keys.compactMap { found[$0] }
    }

    private static func value(_ column: String, _ format: String, _ isCut: Bool) -> String {
        isCut && ["string", "url", "json", "data"].contains(format) ? "substr(\(column), 1, \(longestValue))" : column
    }

    /// Adds a column for each relationship: the key of the related object, or the number of related objects.
    private func relationships(
        _ source: FilterTranslator.Source,
        _ translator: inout FilterTranslator,
        _ columns: inout [String]
    ) throws -> [SchemaDescription.Relationship] {
        try entity.relationships.filter { relationship in
            guard let other = schema.entity(relationship.destination) else { return false }
            if entity.column(relationship.name)?.format == "reference" {
                columns.append(source.column(relationship.name))
                return true
            }
            let link = FilterTarget.Link(relationship: relationship, owner: entity, destination: other)
            let destination = translator.source(other)
            let (from, condition) = try translator.members(of: link, source, destination)
            columns.append(
                link.isToMany
                    ? "(SELECT count(*) FROM (SELECT 1 FROM \(from) WHERE \(condition) LIMIT \(Self.longestCount + 1)))"
                    : "(SELECT \(destination.key) FROM \(from) WHERE \(condition) LIMIT 1)"
            )
            return true
        }
    }
}

extension StoredValue {
    /// Returns a stored value for display, and the reason if it does not have the format of its column.
    static func inspected(
        _ value: ColumnValue,
        _ column: SchemaDescription.Column
    ) -> (value: StoredValue, problem: String?) {
        if let value = typed(value, column.format) { return (value, nil) }
        let problem = "The stored value of \(column.name) can't be read as \(column.swiftType). Set another value."
        switch value {
        case .null: return (.null, nil)
        case .integer(let integer): return (.int(integer), problem)
        case .real(let real): return (.double(real), problem)
        case .text(let text): return (.string(text), problem)
        case .blob(let data): return (.data(data), problem)
        }
    }

    /// Returns a value of a format, or `nil` if the stored form does not have the format.
    private static func typed(_ value: ColumnValue, _ format: String) -> StoredValue? {
        switch (format, value) {
        case ("bool", .integer(0)): return .bool(false)
        case ("bool", .integer(1)): return .bool(true)
        case ("uint64", _): return UInt64.fromColumn(value).flatMap { StoredValue.integer($0) }
        case ("double", _): return Double.fromColumn(value).map { .double($0) }
        case ("float", _): return Float.fromColumn(value).map { .float($0) }
        case ("date", _): return Date.fromColumn(value).map { .date($0) }
        case ("decimal", _): return Decimal.fromColumn(value).map { .string($0.description) }
        case ("uuid", _): return UUID.fromColumn(value).map { .string($0.uuidString) }
        case ("url", .text(let text)): return .url(text)
        case ("string", .text(let text)), ("json", .text(let text)): return .string(text)
        case ("data", .blob(let data)): return .data(data)
        case (_, .integer(let integer)):
            return IntegerFormats.ranges[format].map { $0.contains(Int128(integer)) } == true ? .int(integer) : nil
        default: return nil
        }
    }
}
#endif
