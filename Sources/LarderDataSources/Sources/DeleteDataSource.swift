public import LarderCore

/// A source that deletes.
public protocol DeleteDataSource: DataSource {
    /// The queries ``delete(_:)-(DeleteQuery)`` takes.
    associatedtype DeleteQuery: Sendable = any Query

    /// Deletes what a query names.
    ///
    /// - Parameter query: Says what.
    /// - Returns: Nothing; deleting what is not there succeeds. When it failed, nothing was deleted.
    @discardableResult
    func delete(_ query: DeleteQuery) -> Future<Void>
}

extension DeleteDataSource where DeleteQuery == any KeyQuery {
    /// Deletes what belongs to an identifier.
    ///
    /// - Parameter id: Wrapped in an ``IdQuery``.
    /// - Returns: What ``delete(_:)-(DeleteQuery)`` returns.
    @discardableResult
    public func delete<ID: KeyConvertible>(_ id: ID) -> Future<Void> { delete(IdQuery(id)) }
}

extension DeleteDataSource where DeleteQuery == any StorageQuery {
    /// Deletes what belongs to an identifier.
    ///
    /// - Parameter id: Wrapped in an ``IdQuery``.
    /// - Returns: What ``delete(_:)-(DeleteQuery)`` returns.
    @discardableResult
    public func delete<ID: KeyConvertible>(_ id: ID) -> Future<Void> { delete(IdQuery(id)) }
}

extension DeleteDataSource where DeleteQuery == any Query {
    /// Deletes what belongs to an identifier.
    ///
    /// - Parameter id: Wrapped in an ``IdQuery``.
    /// - Returns: What ``delete(_:)-(DeleteQuery)`` returns.
    @discardableResult
    public func delete<ID: KeyConvertible>(_ id: ID) -> Future<Void> { delete(IdQuery(id)) }
}
