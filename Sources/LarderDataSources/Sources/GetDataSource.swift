public import LarderCore

/// A source that reads.
public protocol GetDataSource<T>: DataSource {
    /// What it holds.
    associatedtype T: Sendable
    /// The queries ``get(_:)-(GetQuery)`` takes.
    associatedtype GetQuery: Sendable = any Query
    /// The queries ``getAll(_:)-(GetAllQuery)`` takes.
    associatedtype GetAllQuery: Sendable = any Query

    /// Reads one value.
    ///
    /// - Parameter query: Says which.
    /// - Returns: The value; the failure is `CoreError.NotFound` when there is none or when it does not convert to ``T``.
    func get(_ query: GetQuery) -> Future<T>

    /// Reads a list.
    ///
    /// - Parameter query: Says which.
    /// - Returns: The list in its order; the failure is `CoreError.NotFound` when there is none.
    func getAll(_ query: GetAllQuery) -> Future<[T]>
}

extension GetDataSource where GetQuery == any KeyQuery {
    /// Reads the value that belongs to an identifier.
    ///
    /// - Parameter id: Wrapped in an ``IdQuery``.
    /// - Returns: What ``get(_:)-(GetQuery)`` returns.
    @inlinable
    public func get<ID: KeyConvertible>(_ id: ID) -> Future<T> { get(IdQuery(id)) }
}

extension GetDataSource where GetQuery == any Query {
    /// Reads the value that belongs to an identifier.
    ///
    /// - Parameter id: Wrapped in an ``IdQuery``.
    /// - Returns: What ``get(_:)-(GetQuery)`` returns.
    @inlinable
    public func get<ID: KeyConvertible>(_ id: ID) -> Future<T> { get(IdQuery(id)) }
}

extension GetDataSource where GetAllQuery == any KeyQuery {
    /// Reads the list that belongs to an identifier.
    ///
    /// - Parameter id: Wrapped in an ``IdQuery``.
    /// - Returns: What ``getAll(_:)-(GetAllQuery)`` returns.
    public func getAll<ID: KeyConvertible>(_ id: ID) -> Future<[T]> { getAll(IdQuery(id)) }
}

extension GetDataSource where GetAllQuery == any StorageQuery {
    /// Reads the list that belongs to an identifier.
    ///
    /// - Parameter id: Wrapped in an ``IdQuery``.
    /// - Returns: What ``getAll(_:)-(GetAllQuery)`` returns.
    public func getAll<ID: KeyConvertible>(_ id: ID) -> Future<[T]> { getAll(IdQuery(id)) }
}

extension GetDataSource where GetAllQuery == any Query {
    /// Reads the list that belongs to an identifier.
    ///
    /// - Parameter id: Wrapped in an ``IdQuery``.
    /// - Returns: What ``getAll(_:)-(GetAllQuery)`` returns.
    public func getAll<ID: KeyConvertible>(_ id: ID) -> Future<[T]> { getAll(IdQuery(id)) }
}
