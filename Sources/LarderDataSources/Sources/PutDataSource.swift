public import LarderCore

/// A source that writes.
public protocol PutDataSource<T>: DataSource {
    /// What it holds.
    associatedtype T: Sendable
    /// The queries ``put(_:in:)`` takes.
    associatedtype PutQuery: Sendable = any Query
    /// The queries ``putAll(_:in:)`` takes.
    associatedtype PutAllQuery: Sendable = any Query

    /// Writes one value, replacing any earlier one.
    ///
    /// - Parameters:
    ///   - value: The value. `nil` is for sources whose query alone says what to do; a storage answers
    ///     `CoreError.IllegalArgument` to it.
    ///   - query: Says where.
    /// - Returns: The value as the source now holds it. When it failed, the earlier value is still there.
    @discardableResult
    func put(_ value: T?, in query: PutQuery) -> Future<T>

    /// Writes a list, replacing any earlier one.
    ///
    /// - Parameters:
    ///   - values: The whole list; an empty one is a value too.
    ///   - query: Says where.
    /// - Returns: The list as the source now holds it. When it failed, the earlier list is still there.
    @discardableResult
    func putAll(_ values: [T], in query: PutAllQuery) -> Future<[T]>
}

extension PutDataSource where PutQuery == any KeyQuery {
    /// Writes the value that belongs to an identifier.
    ///
    /// - Parameters:
    ///   - value: The value; see ``put(_:in:)`` for `nil`.
    ///   - id: Wrapped in an ``IdQuery``.
    /// - Returns: What ``put(_:in:)`` returns.
    @inlinable
    @discardableResult
    public func put<ID: KeyConvertible>(_ value: T?, forId id: ID) -> Future<T> { put(value, in: IdQuery(id)) }
}

extension PutDataSource where PutQuery == any Query {
    /// Writes the value that belongs to an identifier.
    ///
    /// - Parameters:
    ///   - value: The value; see ``put(_:in:)`` for `nil`.
    ///   - id: Wrapped in an ``IdQuery``.
    /// - Returns: What ``put(_:in:)`` returns.
    @inlinable
    @discardableResult
    public func put<ID: KeyConvertible>(_ value: T?, forId id: ID) -> Future<T> { put(value, in: IdQuery(id)) }
}

extension PutDataSource where PutAllQuery == any KeyQuery {
    /// Writes the list that belongs to an identifier.
    ///
    /// - Parameters:
    ///   - values: The whole list.
    ///   - id: Wrapped in an ``IdQuery``.
    /// - Returns: What ``putAll(_:in:)`` returns.
    @discardableResult
    public func putAll<ID: KeyConvertible>(_ values: [T], forId id: ID) -> Future<[T]> {
        putAll(values, in: IdQuery(id))
    }
}

extension PutDataSource where PutAllQuery == any StorageQuery {
    /// Writes the list that belongs to an identifier.
    ///
    /// - Parameters:
    ///   - values: The whole list.
    ///   - id: Wrapped in an ``IdQuery``.
    /// - Returns: What ``putAll(_:in:)`` returns.
    @discardableResult
    public func putAll<ID: KeyConvertible>(_ values: [T], forId id: ID) -> Future<[T]> {
        putAll(values, in: IdQuery(id))
    }
}

extension PutDataSource where PutAllQuery == any Query {
    /// Writes the list that belongs to an identifier.
    ///
    /// - Parameters:
    ///   - values: The whole list.
    ///   - id: Wrapped in an ``IdQuery``.
    /// - Returns: What ``putAll(_:in:)`` returns.
    @discardableResult
    public func putAll<ID: KeyConvertible>(_ values: [T], forId id: ID) -> Future<[T]> {
        putAll(values, in: IdQuery(id))
    }
}
