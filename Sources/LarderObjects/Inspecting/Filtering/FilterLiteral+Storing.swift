#if Objects
internal import Foundation
internal import LarderCore

extension FilterLiteral {
    var isNull: Bool { value == .null }

    /// Returns the stored form of this value for a comparison with a column.
    ///
    /// - Parameters:
    ///   - column: The column.
    ///   - path: The path to the column, for messages.
    /// - Returns: The stored form, which is not NULL.
    /// - Throws: `InspectionQueryError` that says which values can be compared.
    func stored(as column: SchemaDescription.Column, _ path: String) throws -> ColumnValue {
        switch (column.format, value) {
        case ("bool", .boolean(let flag)): return flag.columnValue
        case ("double", .number(let digits)):
            if let number = Double(digits) { return number == 0 ? .real(0) : .real(number) }
        case ("float", .number(let digits)):
            if let number = Float(digits) { return number == 0 ? .real(0) : .real(Double(number)) }
        case ("decimal", .number(let digits)), ("decimal", .string(let digits)):
            // Decimal would accept other characters after a number.
            let isNumber = Double(digits) != nil && digits.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) }
            let number = isNumber ? Decimal(string: digits, locale: Locale(identifier: "en_US_POSIX")) : nil
            if let number, case .text(let text) = number.columnValue { return .text(text) }
        case ("date", .date(let text)), ("date", .string(let text)):
            if let seconds = FilterDate.seconds(text) { return .real(seconds == 0 ? 0 : seconds) }
        case ("string", .string(let text)), ("url", .string(let text)): return text.columnValue
        case ("string", .enumerationCase(let name)): return try storedCase(name, column, path)
        case ("uuid", .string(let text)):
            if let uuid = UUID(uuidString: text) { return uuid.columnValue }
        case ("data", .string(let text)):
            if let data = Data(base64Encoded: text) { return .blob(data) }
        case ("uint64", .number(let digits)):
            if let number = UInt64(digits) { return number.columnValue }
            if let number = Int64(digits) { return .integer(number) }
            if let number = Double(digits), number < Double(Int64.max) { return .real(number) }
        case ("reference", .number), ("reference", .string):
            if let key = key(of: column.destination) { return .integer(key) }
        case (_, .number(let digits)) where IntegerFormats.ranges[column.format] != nil:
            if let number = Int64(digits) { return .integer(number) }
            // SQLite compares integers with other numbers exactly.
            if let number = Double(digits) { return .real(number) }
        default: break
        }
        throw InspectionQueryError(advice(for: column, path), at: place)
    }

    /// Returns the key of an object from a number or from a text such as `Customer/12`.
    func key(of entity: String?) -> Int64? {
        switch value {
        case .number(let digits): return Int64(digits)
        case .string(let text):
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            if parts.count == 1 { return Int64(text) }
            return parts.count == 2 && entity.map { $0 == parts[0] } ?? true ? Int64(parts[1]) : nil
        case .null, .boolean, .date, .enumerationCase: return nil
        }
    }

    /// Returns the raw value of an enumeration case, whose name the database does not contain.
    private func storedCase(
        _ name: String,
        _ column: SchemaDescription.Column,
        _ path: String
    ) throws -> ColumnValue {
        let known = column.values ?? []
        if known.contains(name) || known.isEmpty { return name.columnValue }
        let nearest = NearestName.of(name, in: known)
        let list = known.prefix(12).map { "\"\($0)\"" }.joined(separator: ", ")
        throw InspectionQueryError(
            "\(path) has no value \(name). Type \(nearest.map { "\"\($0)\"" } ?? "one of \(list)") instead.",
            at: place
        )
    }

    private func advice(for column: SchemaDescription.Column, _ path: String) -> String {
        let type = column.swiftType
        switch column.format {
        case "bool": return "\(path) is a \(type). Type true or false."
        case "double", "float", "decimal": return "\(path) is a \(type). Type a number, such as 2.5."
        case "date": return "\(path) is a \(type). Type a date, such as 2026-01-31 or 2026-01-31T09:30:00Z."
        case "string":
            let example = column.values?.first ?? "Ada"
            return "\(path) is a \(type). Type a string in quotation marks, such as \"\(example)\"."
        case "url": return "\(path) is a URL. Type it in quotation marks, such as \"https://example.com\"."
        case "uuid":
            return "\(path) is a UUID. Type it in quotation marks, such as \"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\"."
        case "data": return "\(path) is data. Type base64 in quotation marks, nil, or \(path).isEmpty."
        case "json": return "\(path) is stored as JSON. Type nil, or \(path).contains(\"text\")."
        case "reference":
            return
                "\(path) is an object of \(column.destination ?? "another entity"). Type its key, such as 12, or nil."
        case "uint64": return "\(path) is a \(type). Type a whole number up to \(UInt64.max)."
        default: return "\(path) is a \(type). Type a number, such as 12."
        }
    }
}

extension SchemaDescription.Column {
    private static let types = [
        "int8": "Int8", "int16": "Int16", "int32": "Int32", "int64": "Int64", "uint8": "UInt8", "uint16": "UInt16",
        "uint32": "UInt32", "uint64": "UInt64", "double": "Double", "float": "Float", "bool": "Bool",
        "string": "String", "url": "URL", "data": "Data", "uuid": "UUID", "date": "Date", "decimal": "Decimal",
    ]

    /// The name of the Swift type of the column's values, without the mark of an optional.
    var swiftType: String { valueType ?? Self.types[format] ?? destination ?? format }
}
#endif
