#if Objects
internal import GRDBSQLite
internal import LarderCore

/// The row that a query is at, while values are read straight from it; for the code that the macro writes.
public final class ObjectRow {
    private let handle: OpaquePointer
    private let entity: ResolvedEntity
    private let issues: IssueChannel

    init(_ statement: PreparedStatement, _ entity: ResolvedEntity, _ issues: IssueChannel) {
        handle = statement.handle
        self.entity = entity
        self.issues = issues
    }

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
        guard sqlite3_column_type(handle, Int32(column)) == SQLITE_INTEGER else { return nil }
        return sqlite3_column_int64(handle, Int32(column))
    }

    /// The number in a column, if there is one.
    ///
    /// - Parameter column: The place of the column.
    /// - Returns: The number.
    public func real(_ column: Int) -> Double? {
        let type = sqlite3_column_type(handle, Int32(column))
        guard type == SQLITE_FLOAT || type == SQLITE_INTEGER else { return nil }
        return sqlite3_column_double(handle, Int32(column))
    }

    /// The text in a column, if there is one.
    ///
    /// - Parameter column: The place of the column.
    /// - Returns: The text.
    public func text(_ column: Int) -> String? {
        guard sqlite3_column_type(handle, Int32(column)) == SQLITE_TEXT else { return nil }
        let start = sqlite3_column_text(handle, Int32(column))
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, Int32(column))))
        return String(decoding: bytes, as: UTF8.self)
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
        reportUnlessNull(index)
        return missing()
    }

    @usableFromInline func reportUnlessNull(_ index: Int) {
        guard !isNull(index + 1) else { return }
        let id = entity.objectID(sqlite3_column_int64(handle, 0))
        issues.report(ObjectContext.notConvertible(id, entity.name, entity.columns[index].name))
    }
}
#endif
