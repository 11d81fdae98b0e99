#if Objects
internal import Foundation

/// A format-independent value, used as the intermediate form of conversions.
enum NeutralValue {
    case integer(Int128)
    case flag(Bool)
    case real(Double)
    case single(Float)
    case decimal(Decimal)
    /// The number of seconds since January 1, 2001.
    case date(Double)
    case text(String)
    case url(String)
    case uuid(UUID)
    case bytes(Data)
    /// A JSON literal.
    case json(String)

    /// Creates a neutral value from a stored value, or returns `nil` if the stored value does not have the given format.
    init?(_ value: ColumnValue, format: String) {
        switch (format, value) {
        case ("bool", .integer(let integer)):
            guard 0...1 ~= integer else { return nil }
            self = .flag(integer == 1)
        case ("double", .real(let real)): self = .real(real)
        case ("double", .integer(let integer)): self = .real(Double(integer))
        case ("float", .real(let real)): self = .single(Float(real))
        case ("float", .integer(let integer)): self = .single(Float(integer))
        case ("date", .real(let seconds)): self = .date(seconds)
        case ("date", .integer(let seconds)): self = .date(Double(seconds))
        case ("decimal", _):
            guard let decimal = Decimal.fromColumn(value) else { return nil }
            self = .decimal(decimal)
        case ("string", .text(let text)): self = .text(text)
        case ("url", .text(let text)): self = .url(text)
        case ("json", .text(let text)): self = .json(text)
        case ("uuid", _):
            guard let uuid = UUID.fromColumn(value) else { return nil }
            self = .uuid(uuid)
        case ("data", .blob(let data)): self = .bytes(data)
        case ("uint64", .text(let digits)):
            guard let integer = UInt64(digits) else { return nil }
            self = .integer(Int128(integer))
        case (_, .integer(let integer)) where IntegerFormats.ranges[format] != nil: self = .integer(Int128(integer))
        default: return nil
        }
    }

    /// Returns the stored form of the nearest value in a format, or `nil` if the format can't represent the value.
    func stored(as format: String) -> ColumnValue? {
        switch format {
        case "bool": return flag.map { .integer($0 ? 1 : 0) }
        // SQLite does not store negative zeros.
        case "double": return real.map { .real($0 == 0 ? 0 : $0) }
        case "float": return single.map { .real($0 == 0 ? 0 : Double($0)) }
        case "decimal": return decimal.flatMap { $0.isNaN ? nil : $0.columnValue }
        case "date": return date.map { .real($0 == 0 ? 0 : $0) }
        case "string": return string.map { $0.columnValue }
        case "url":
            guard let text = urlText, let url = URL(string: text) else { return nil }
            return url.columnValue
        case "uuid": return uuid?.columnValue
        case "data": return bytes.map { .blob($0) }
        case "json": return literal.map { .text($0) }
        default:
            guard let range = IntegerFormats.ranges[format], let integer, range.contains(integer) else { return nil }
            return format == "uint64" ? UInt64(integer).columnValue : .integer(Int64(integer))
        }
    }
}
#endif
