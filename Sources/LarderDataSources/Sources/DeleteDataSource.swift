public import LarderCore

/// A data source that deletes values.
public protocol DeleteDataSource: DataSource {
    /// The type of query that `delete(_:)` accepts.
    associatedtype DeleteQuery: Sendable = any Query

    /// Deletes the values that a query selects.
    ///
    /// - Parameter query: The query that selects the values.
    /// - Returns: A future that settles when the values are deleted. The future also succeeds if there are no values to delete. If it
    ///   fails, nothing was deleted.
    @discardableResult
    func delete(_ query: DeleteQuery) -> Future<Void>
}

extension DeleteDataSource where DeleteQuery == any KeyQuery {
    /// Deletes the value stored under an identifier.
    ///
    /// - Parameter id: The identifier, which is wrapped in an ``IdQuery``.
    /// - Returns: The future that `delete(_:)` returns.
    @discardableResult
    public func delete<ID: KeyConvertible>(_ id: ID) -> Future<Void> { delete(IdQuery(id)) }
}

extension DeleteDataSource where DeleteQuery == any StoreQuery {
    /// Deletes the value stored under an identifier.
    ///
    /// - Parameter id: The identifier, which is wrapped in an ``IdQuery``.
    /// - Returns: The future that `delete(_:)` returns.
    @discardableResult
    public func delete<ID: KeyConvertible>(_ id: ID) -> Future<Void> { delete(IdQuery(id)) }
}

extension DeleteDataSource where DeleteQuery == any Query {
    /// Deletes the value stored under an identifier.
    ///
    /// - Parameter id: The identifier, which is wrapped in an ``IdQuery``.
    /// - Returns: The future that `delete(_:)` returns.
    @discardableResult
    public func delete<ID: KeyConvertible>(_ id: ID) -> Future<Void> { delete(IdQuery(id)) }
}
