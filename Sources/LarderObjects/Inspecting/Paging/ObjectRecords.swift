#if Objects
internal import Foundation
internal import LarderCore

/// A reader of the values and relationships of objects.
struct ObjectRecords {
    /// The maximum number of related objects that are counted.
    private static let mostCounted = 1_000
    /// The minimum length to which a value that is not a string or data is cut, so that no correct value is cut.
    private static let shortestCut = 1_024

    let schema: SchemaDescription
    let entity: SchemaDescription.Entity
    let statements: StatementCache
    let limits: InspectionLimits
    /// The number of bytes after which a value is cut, or `nil` for whole values.
    var longestValue: Int?
    /// The number of bytes of values after which no more records are read, or `nil` for no limit.
    var bytes: Int?

    init(
        schema: SchemaDescription,
        entity: SchemaDescription.Entity,
        statements: StatementCache,
        limits: InspectionLimits
    ) {
        (self.schema, self.entity, self.statements, self.limits) = (schema, entity, statements, limits)
    }

    /// The records of the first objects of a list.
    struct Records {
        var records: [InspectionRecord] = []
        /// The number of objects that were read, some of which may not exist.
        var count = 0
        /// Whether all objects of the list were read.
        var isComplete = true
    }

    /// Returns the records of objects, in the order of their keys in `keys`.
    ///
    /// An object that does not exist is left out. The numbers of related objects are left out if they are not known soon.
    ///
    /// - Parameter keys: The keys.
    /// - Returns: The records of the first objects, which are all objects unless their values have too many bytes.
    /// - Throws: The error that SQLite reports.
    func records(_ keys: [Int64]) throws -> Records {
        var found = Records()
        if keys.isEmpty { return found }
        var translator = FilterTranslator(schema)
        let source = translator.source(entity)
        let (attributes, references) = (entity.attributes, entity.relationships.filter(hasReference))
        let names = attributes.map(\.name) + references.map(\.name)
        let columns = [source.key] + names.map { source.column($0) }
        // The rows are read one by one, so that no more than one large value is in memory beside those of the page.
        let rows = try statements.statement(
            "SELECT \(columns.joined(separator: ", ")) FROM \(source.table) WHERE \(source.key) = ?1"
        )
        var size = 0
        for key in keys {
            if let bytes, size >= bytes, found.count > 0 {
                found.isComplete = false
                break
            }
            found.count += 1
            rows.bind(key, at: 1)
            defer { rows.reset() }
            guard try rows.step() else { continue }
            var record = InspectionRecord(key: String(key), values: [])
            for (index, column) in attributes.enumerated() { size += add(rows, index, column, to: &record) }
            for (index, reference) in references.enumerated() {
                guard let number = rows.value(at: attributes.count + 1 + index).integerValue else { continue }
                record.related[reference.name] = String(number)
            }
            found.records.append(record)
        }
        _ = try statements.interrupted(after: limits.counting) { try addRelated(to: &found.records) }
        return found
    }

    private func hasReference(_ relationship: SchemaDescription.Relationship) -> Bool {
        entity.column(relationship.name)?.format == "reference" && schema.entity(relationship.destination) != nil
    }

    /// Adds the value of a column to a record, and returns the number of its bytes.
    private func add(
        _ row: PreparedStatement,
        _ index: Int,
        _ column: SchemaDescription.Column,
        to record: inout InspectionRecord
    ) -> Int {
        let isLong = ["string", "url", "json", "data"].contains(column.format)
        let limit = longestValue.map { isLong ? $0 : max($0, Self.shortestCut) }
        let (stored, size) = row.value(at: index + 1, cutTo: limit)
        let (value, problem) = StoredValue.inspected(stored, column)
        record.values.append(value)
        record.problem = record.problem ?? problem
        if let limit, size > limit { record.sizes[index] = size }
        return min(size, limit ?? size)
    }

    /// Adds the keys and the numbers of related objects whose references are in other tables.
    private func addRelated(to records: inout [InspectionRecord]) throws {
        var translator = FilterTranslator(schema)
        let source = translator.source(entity)
        var columns: [String] = []
        let links = try entity.relationships.filter { relationship in
            guard !hasReference(relationship), let other = schema.entity(relationship.destination) else { return false }
            let link = FilterTarget.Link(relationship: relationship, owner: entity, destination: other)
            let destination = translator.source(other)
            let (from, condition) = try translator.members(of: link, source, destination)
            columns.append(
                link.isToMany
                    ? "(SELECT count(*) FROM (SELECT 1 FROM \(from) WHERE \(condition) LIMIT \(Self.mostCounted + 1)))"
                    : "(SELECT \(destination.key) FROM \(from) WHERE \(condition) LIMIT 1)"
            )
            return true
        }
        if links.isEmpty { return }
        let rows = try statements.statement(
            "SELECT \(columns.joined(separator: ", ")) FROM \(source.table) WHERE \(source.key) = ?1"
        )
        for place in records.indices {
            rows.bind(Int64(records[place].key) ?? 0, at: 1)
            defer { rows.reset() }
            guard try rows.step() else { continue }
            for (index, link) in links.enumerated() {
                guard let number = rows.value(at: index).integerValue else { continue }
                if link.cardinality != "many" {
                    records[place].related[link.name] = String(number)
                } else if number <= Self.mostCounted {
                    records[place].counts[link.name] = Int(number)
                }
            }
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
