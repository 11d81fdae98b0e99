public import LarderCore

/// A data source that reads values.
public protocol GetDataSource<T>: DataSource {
    /// The type of the values that this source reads.
    associatedtype T: Sendable
    /// The type of query that `get(_:)` accepts.
    associatedtype GetQuery: Sendable = any Query
    /// The type of query that `getAll(_:)` accepts.
    associatedtype GetAllQuery: Sendable = any Query

    /// Reads the value that a query selects.
    ///
    /// - Parameter query: The query that selects the value.
    /// - Returns: A future that settles with the value. It fails with `CoreError.NotFound` if the value is missing or can't be converted to
    ///   ``T``.
    func get(_ query: GetQuery) -> Future<T>

    /// Reads the list that a query selects.
    ///
    /// - Parameter query: The query that selects the list.
    /// - Returns: A future that settles with the list, in order. It fails with `CoreError.NotFound` if the list is missing.
    func getAll(_ query: GetAllQuery) -> Future<[T]>
}

extension GetDataSource where GetQuery == any KeyQuery {
    /// Reads the value stored under an identifier.
    ///
    /// - Parameter id: The identifier, which is wrapped in an ``IdQuery``.
    /// - Returns: A future that settles with the value, or fails with the errors of `get(_:)`.
    @inlinable
    public func get<ID: KeyConvertible>(_ id: ID) -> Future<T> { get(IdQuery(id)) }
}

extension GetDataSource where GetQuery == any Query {
    /// Reads the value stored under an identifier.
    ///
    /// - Parameter id: The identifier, which is wrapped in an ``IdQuery``.
    /// - Returns: A future that settles with the value, or fails with the errors of `get(_:)`.
    @inlinable
    public func get<ID: KeyConvertible>(_ id: ID) -> Future<T> { get(IdQuery(id)) }
}

extension GetDataSource where GetAllQuery == any KeyQuery {
    /// Reads the list stored under an identifier.
    ///
    /// - Parameter id: The identifier, which is wrapped in an ``IdQuery``.
    /// - Returns: A future that settles with the list, or fails with the errors of `getAll(_:)`.
    public func getAll<ID: KeyConvertible>(_ id: ID) -> Future<[T]> { getAll(IdQuery(id)) }
}

extension GetDataSource where GetAllQuery == any StoreQuery {
    /// Reads the list stored under an identifier.
    ///
    /// - Parameter id: The identifier, which is wrapped in an ``IdQuery``.
    /// - Returns: A future that settles with the list, or fails with the errors of `getAll(_:)`.
    public func getAll<ID: KeyConvertible>(_ id: ID) -> Future<[T]> { getAll(IdQuery(id)) }
}

extension GetDataSource where GetAllQuery == any Query {
    /// Reads the list stored under an identifier.
    ///
    /// - Parameter id: The identifier, which is wrapped in an ``IdQuery``.
    /// - Returns: A future that settles with the list, or fails with the errors of `getAll(_:)`.
    public func getAll<ID: KeyConvertible>(_ id: ID) -> Future<[T]> { getAll(IdQuery(id)) }
}
