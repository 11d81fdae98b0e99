#if Objects
internal import GRDBSQLite
internal import LarderCore

/// The current row of a query.
///
/// The code that the `@Entity` macro generates reads columns from this row.
public final class ObjectRow {
    private let statement: PreparedStatement
    private let handle: OpaquePointer
    private let entity: ResolvedEntity
    private let issues: IssueChannel
    private var faults = FaultReports()

    init(_ statement: PreparedStatement, _ entity: ResolvedEntity, _ issues: IssueChannel) {
        self.statement = statement
        handle = statement.handle
        self.entity = entity
        self.issues = issues
    }

    /// Advances to the next row.
    ///
    /// - Returns: `false` if there are no more rows.
    /// - Throws: Any error that occurs while reading the database.
    public func next() throws -> Bool { try statement.step() }

    /// Returns whether a column is NULL.
    ///
    /// - Parameter column: The index of the column.
    /// - Returns: `true` if the column is NULL.
    public func isNull(_ column: Int) -> Bool { sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL }

    /// Returns the integer in a column.
    ///
    /// - Parameter column: The index of the column.
    /// - Returns: The integer, or `nil` if the column does not contain an integer.
    public func integer(_ column: Int) -> Int64? {
        let value = sqlite3_column_value(handle, Int32(column))
        return sqlite3_value_type(value) == SQLITE_INTEGER ? sqlite3_value_int64(value) : nil
    }

    /// Returns the number in a column.
    ///
    /// - Parameter column: The index of the column.
    /// - Returns: The number, or `nil` if the column does not contain a number.
    public func real(_ column: Int) -> Double? {
        let value = sqlite3_column_value(handle, Int32(column))
        let type = sqlite3_value_type(value)
        return type == SQLITE_FLOAT || type == SQLITE_INTEGER ? sqlite3_value_double(value) : nil
    }

    /// Returns the string in a column.
    ///
    /// - Parameter column: The index of the column.
    /// - Returns: The string, or `nil` if the column does not contain a string.
    public func text(_ column: Int) -> String? {
        let value = sqlite3_column_value(handle, Int32(column))
        guard sqlite3_value_type(value) == SQLITE_TEXT else { return nil }
        return String(decoding: PreparedStatement.bytes(value), as: UTF8.self)
    }

    /// Returns the value in a column.
    ///
    /// - Parameter column: The index of the column.
    /// - Returns: The stored value, without conversion.
    public func columnValue(_ column: Int) -> ColumnValue { PreparedStatement.value(of: handle, at: column) }

    /// Returns the decoded value of an attribute.
    ///
    /// A stored value that can't be decoded is reported as an issue.
    ///
    /// - Parameters:
    ///   - index: The index of the attribute.
    ///   - coding: The coding that decodes the attribute's value.
    ///   - missing: The value to return if the column is NULL or can't be decoded.
    /// - Returns: The decoded value, or `missing`.
    @inlinable
    public func value<Coding: AttributeCoding>(
        _ index: Int,
        _ coding: Coding.Type,
        default missing: @autoclosure () -> Coding.Value
    ) -> Coding.Value {
        // Column 0 contains the primary key.
        if let value = Coding.decode(self, index + 1) { return value }
        if !isNull(index + 1) { reportNotConvertible(index, Coding.decodingError(of: columnValue(index + 1))) }
        return missing()
    }

    @usableFromInline func reportNotConvertible(_ index: Int, _ cause: (any Error)?) {
        guard let isLast = faults.noteValue(index, of: entity) else { return }
        let id = entity.objectID(sqlite3_column_int64(handle, 0))
        let name = entity.columns[index].name
        issues.report(ObjectContext.notConvertible(id, entity.name, name, cause, isLast: isLast))
    }
}
#endif
