#if Objects
/// The value that the objects of a section have in common.
///
/// Strings are equal if their UTF-8 bytes are equal, as in the database. Larder stores strings in NFC; a string that another program or raw SQL
/// has stored in another normalization form has a section of its own.
public struct SectionValue: Sendable, CustomStringConvertible {
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

extension SectionValue: Hashable {
    /// Returns whether two values are equal in the database.
    public static func == (first: SectionValue, second: SectionValue) -> Bool {
        if case .text(let first) = first.column, case .text(let second) = second.column {
            return first.utf8.elementsEqual(second.utf8)
        }
        return first.column == second.column
    }

    /// Hashes the value.
    ///
    /// - Parameter hasher: The hasher to use.
    public func hash(into hasher: inout Hasher) {
        // Canonically equivalent strings have the same hash value, although they are different.
        hasher.combine(column)
    }
}
#endif
