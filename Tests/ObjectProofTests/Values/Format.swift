#if Objects
/// The tests' own list of attribute formats.
enum Format: String, CaseIterable, Sendable {
    case int8, int16, int32, int64, uint8, uint16, uint32, uint64, bool, double, float, decimal, string, url, uuid, data
    case date, json

    /// The range of values of an integer format.
    var range: ClosedRange<Int128>? {
        switch self {
        case .int8: -128...127
        case .int16: -32_768...32_767
        case .int32: -2_147_483_648...2_147_483_647
        case .int64: -9_223_372_036_854_775_808...9_223_372_036_854_775_807
        case .uint8: 0...255
        case .uint16: 0...65_535
        case .uint32: 0...4_294_967_295
        case .uint64: 0...18_446_744_073_709_551_615
        default: nil
        }
    }

    /// The type's name in the table of Documentation/Migrations.md.
    var label: String {
        switch self {
        case .bool: "Bool"
        case .double: "Double"
        case .float: "Float"
        case .decimal: "Decimal"
        case .string: "String"
        case .url: "URL"
        case .uuid: "UUID"
        case .data: "Data"
        case .date: "Date"
        case .json: "Codable"
        default: "Integer"
        }
    }

    /// The type's name in the examples of Documentation/Migrations.md.
    var typeName: String {
        range == nil ? label : rawValue.hasPrefix("u") ? "UInt" + rawValue.dropFirst(4) : "Int" + rawValue.dropFirst(3)
    }
}
#endif
