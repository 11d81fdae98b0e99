public import LarderCore

/// A data source that writes values.
public protocol PutDataSource<T>: DataSource {
    /// The type of the values that this source writes.
    associatedtype T: Sendable
    /// The type of query that ``put(_:in:)`` accepts.
    associatedtype PutQuery: Sendable = any Query
    /// The type of query that ``putAll(_:in:)`` accepts.
    associatedtype PutAllQuery: Sendable = any Query

    /// Writes a value and replaces the previous value.
    ///
    /// - Parameters:
    ///   - value: The value to write. Pass `nil` to a source that needs only the query. Sources that store values fail with
    ///     `CoreError.IllegalArgument` for `nil`.
    ///   - query: The query that selects where to store the value.
    /// - Returns: A future that settles with the stored value. If it fails, the previous value is unchanged.
    @discardableResult
    func put(_ value: T?, in query: PutQuery) -> Future<T>

    /// Writes a list and replaces the previous list.
    ///
    /// - Parameters:
    ///   - values: The complete list to write, which may be empty.
    ///   - query: The query that selects where to store the list.
    /// - Returns: A future that settles with the stored list. If it fails, the previous list is unchanged.
    @discardableResult
    func putAll(_ values: [T], in query: PutAllQuery) -> Future<[T]>
}

extension PutDataSource where PutQuery == any KeyQuery {
    /// Writes a value for an identifier.
    ///
    /// - Parameters:
    ///   - value: The value to write. For `nil`, see ``put(_:in:)``.
    ///   - id: The identifier, which is wrapped in an ``IdQuery``.
    /// - Returns: The future that ``put(_:in:)`` returns.
    @inlinable
    @discardableResult
    public func put<ID: KeyConvertible>(_ value: T?, forId id: ID) -> Future<T> { put(value, in: IdQuery(id)) }
}

extension PutDataSource where PutQuery == any Query {
    /// Writes a value for an identifier.
    ///
    /// - Parameters:
    ///   - value: The value to write. For `nil`, see ``put(_:in:)``.
    ///   - id: The identifier, which is wrapped in an ``IdQuery``.
    /// - Returns: The future that ``put(_:in:)`` returns.
    @inlinable
    @discardableResult
    public func put<ID: KeyConvertible>(_ value: T?, forId id: ID) -> Future<T> { put(value, in: IdQuery(id)) }
}

extension PutDataSource where PutAllQuery == any KeyQuery {
    /// Writes a list for an identifier.
    ///
    /// - Parameters:
    ///   - values: The complete list to write.
    ///   - id: The identifier, which is wrapped in an ``IdQuery``.
    /// - Returns: The future that ``putAll(_:in:)`` returns.
    @discardableResult
    public func putAll<ID: KeyConvertible>(_ values: [T], forId id: ID) -> Future<[T]> {
        putAll(values, in: IdQuery(id))
    }
}

extension PutDataSource where PutAllQuery == any StoreQuery {
    /// Writes a list for an identifier.
    ///
    /// - Parameters:
    ///   - values: The complete list to write.
    ///   - id: The identifier, which is wrapped in an ``IdQuery``.
    /// - Returns: The future that ``putAll(_:in:)`` returns.
    @discardableResult
    public func putAll<ID: KeyConvertible>(_ values: [T], forId id: ID) -> Future<[T]> {
        putAll(values, in: IdQuery(id))
    }
}

extension PutDataSource where PutAllQuery == any Query {
    /// Writes a list for an identifier.
    ///
    /// - Parameters:
    ///   - values: The complete list to write.
    ///   - id: The identifier, which is wrapped in an ``IdQuery``.
    /// - Returns: The future that ``putAll(_:in:)`` returns.
    @discardableResult
    public func putAll<ID: KeyConvertible>(_ values: [T], forId id: ID) -> Future<[T]> {
        putAll(values, in: IdQuery(id))
    }
}
