#if Objects
/// The value that the objects of a section have in common.
public struct SectionValue: Sendable, Hashable, CustomStringConvertible {
    /// The stored form of the value, or ``ColumnValue/null`` in a list without sections.
    public let column: ColumnValue

    init(_ column: ColumnValue) { self.column = column }

    /// Returns the value as the type of its property.
    ///
    /// - Parameter type: The type of the property by which the list is divided.
    /// - Returns: The value, or `nil` if the stored form does not convert to the type.
    public func value<Value: ColumnConvertible>(as type: Value.Type = Value.self) -> Value? { Value.fromColumn(column) }

    /// The stored form as a string, which is empty if the value is `nil`.
    public var description: String {
        switch column {
        case .null: ""
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let value): value
        case .blob(let value): value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }
}
#endif
