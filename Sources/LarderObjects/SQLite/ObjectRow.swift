#if Objects
internal import GRDBSQLite
internal import LarderCore

/// The row that a query is at, while values are read straight from it; for the code that the macro writes.
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

    /// Goes to the next row.
    ///
    /// - Returns: Whether there is one.
    /// - Throws: Why the database could not be read.
    public func next() throws -> Bool { try statement.step() }

    /// Whether a column holds nothing.
    ///
    /// - Parameter column: The place of the column.
    /// - Returns: Whether it does.
    public func isNull(_ column: Int) -> Bool { sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL }

    /// The integer in a column, if there is one.
    ///
    /// - Parameter column: The place of the column.
    /// - Returns: The integer.
    public func integer(_ column: Int) -> Int64? {
        let value = sqlite3_column_value(handle, Int32(column))
        return sqlite3_value_type(value) == SQLITE_INTEGER ? sqlite3_value_int64(value) : nil
    }

    /// The number in a column, if there is one.
    ///
    /// - Parameter column: The place of the column.
    /// - Returns: The number.
    public func real(_ column: Int) -> Double? {
        let value = sqlite3_column_value(handle, Int32(column))
        let type = sqlite3_value_type(value)
        return type == SQLITE_FLOAT || type == SQLITE_INTEGER ? sqlite3_value_double(value) : nil
    }

    /// The text in a column, if there is one.
    ///
    /// - Parameter column: The place of the column.
    /// - Returns: The text.
    public func text(_ column: Int) -> String? {
        let value = sqlite3_column_value(handle, Int32(column))
        guard sqlite3_value_type(value) == SQLITE_TEXT else { return nil }
        return String(decoding: PreparedStatement.bytes(value), as: UTF8.self)
    }

    /// What a column holds.
    ///
    /// - Parameter column: The place of the column.
    /// - Returns: Its value.
    public func columnValue(_ column: Int) -> ColumnValue { PreparedStatement.value(of: handle, at: column) }

    /// The value of an attribute.
    ///
    /// - Parameters:
    ///   - index: Its place among the attributes.
    ///   - coding: How it is stored.
    ///   - missing: What to return when nothing is stored, or when what is stored does not convert, which is reported.
    /// - Returns: The value.
    @inlinable
    public func value<Coding: AttributeCoding>(
        _ index: Int,
        _ coding: Coding.Type,
        default missing: @autoclosure () -> Coding.Value
    ) -> Coding.Value {
        // The key comes before the attributes.
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
