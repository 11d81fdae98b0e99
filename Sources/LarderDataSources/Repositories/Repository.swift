public import LarderCore

/// A repository that reads values from one or more sources.
public protocol GetRepository<T>: Sendable {
    /// The type of the values in this repository.
    associatedtype T: Sendable
    /// The type of query that ``get(_:operation:)`` accepts.
    associatedtype GetQuery: Sendable = any Query
    /// The type of query that ``getAll(_:operation:)`` accepts.
    associatedtype GetAllQuery: Sendable = any Query

    /// Reads a value from the sources that an operation selects.
    ///
    /// - Parameters:
    ///   - query: The query that selects the value.
    ///   - operation: The operation that selects which sources are read, and in which order.
    /// - Returns: A future that settles with the value.
    func get(_ query: GetQuery, operation: RepositoryOperation) -> Future<T>

    /// Reads a list from the sources that an operation selects.
    ///
    /// - Parameters:
    ///   - query: The query that selects the list.
    ///   - operation: The operation that selects which sources are read, and in which order.
    /// - Returns: A future that settles with the list.
    func getAll(_ query: GetAllQuery, operation: RepositoryOperation) -> Future<[T]>
}

/// A repository that writes values to one or more sources.
public protocol PutRepository<T>: Sendable {
    /// The type of the values in this repository.
    associatedtype T: Sendable
    /// The type of query that ``put(_:in:operation:)`` accepts.
    associatedtype PutQuery: Sendable = any Query
    /// The type of query that ``putAll(_:in:operation:)`` accepts.
    associatedtype PutAllQuery: Sendable = any Query

    /// Writes a value to the sources that an operation selects.
    ///
    /// - Parameters:
    ///   - value: The value to write.
    ///   - query: The query that selects where to store the value.
    ///   - operation: The operation that selects which sources are written, and in which order.
    /// - Returns: A future that settles with the stored value.
    @discardableResult
    func put(_ value: T?, in query: PutQuery, operation: RepositoryOperation) -> Future<T>

    /// Writes a list to the sources that an operation selects.
    ///
    /// - Parameters:
    ///   - values: The complete list to write.
    ///   - query: The query that selects where to store the list.
    ///   - operation: The operation that selects which sources are written, and in which order.
    /// - Returns: A future that settles with the stored list.
    @discardableResult
    func putAll(_ values: [T], in query: PutAllQuery, operation: RepositoryOperation) -> Future<[T]>
}

/// A repository that deletes values from one or more sources.
public protocol DeleteRepository: Sendable {
    /// The type of query that ``delete(_:operation:)`` accepts.
    associatedtype DeleteQuery: Sendable = any Query

    /// Deletes the values that a query selects.
    ///
    /// - Parameters:
    ///   - query: The query that selects the values.
    ///   - operation: The operation that selects which sources delete the values, and in which order.
    /// - Returns: A future that settles when the values are deleted.
    @discardableResult
    func delete(_ query: DeleteQuery, operation: RepositoryOperation) -> Future<Void>
}

extension GetRepository {
    /// Reads a value with the operation ``RepositoryOperation/standard``.
    public func get(_ query: GetQuery) -> Future<T> { get(query, operation: .standard) }
    /// Reads a list with the operation ``RepositoryOperation/standard``.
    public func getAll(_ query: GetAllQuery) -> Future<[T]> { getAll(query, operation: .standard) }
}

extension PutRepository {
    /// Writes a value with the operation ``RepositoryOperation/standard``.
    @discardableResult
    public func put(_ value: T?, in query: PutQuery) -> Future<T> { put(value, in: query, operation: .standard) }
    /// Writes a list with the operation ``RepositoryOperation/standard``.
    @discardableResult
    public func putAll(_ values: [T], in query: PutAllQuery) -> Future<[T]> {
        putAll(values, in: query, operation: .standard)
    }
}

extension DeleteRepository {
    /// Deletes the values that match `query`, using the operation ``RepositoryOperation/standard``.
    @discardableResult
    public func delete(_ query: DeleteQuery) -> Future<Void> { delete(query, operation: .standard) }
}
