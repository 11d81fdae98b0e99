public import LarderCore

/// Something that reads from one or several sources.
public protocol GetRepository<T>: Sendable {
    /// What it holds.
    associatedtype T: Sendable
    /// The queries ``get(_:operation:)`` takes.
    associatedtype GetQuery: Sendable = any Query
    /// The queries ``getAll(_:operation:)`` takes.
    associatedtype GetAllQuery: Sendable = any Query

    /// Reads one value.
    ///
    /// - Parameters:
    ///   - query: Says which.
    ///   - operation: Which sources are asked.
    /// - Returns: The value, or the failure of the sources.
    func get(_ query: GetQuery, operation: RepositoryOperation) -> Future<T>

    /// Reads a list.
    ///
    /// - Parameters:
    ///   - query: Says which.
    ///   - operation: Which sources are asked.
    /// - Returns: The list, or the failure of the sources.
    func getAll(_ query: GetAllQuery, operation: RepositoryOperation) -> Future<[T]>
}

/// Something that writes to one or several sources.
public protocol PutRepository<T>: Sendable {
    /// What it holds.
    associatedtype T: Sendable
    /// The queries ``put(_:in:operation:)`` takes.
    associatedtype PutQuery: Sendable = any Query
    /// The queries ``putAll(_:in:operation:)`` takes.
    associatedtype PutAllQuery: Sendable = any Query

    /// Writes one value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - query: Says where.
    ///   - operation: Which sources are written to.
    /// - Returns: The value as it is now, or the failure of the sources.
    @discardableResult
    func put(_ value: T?, in query: PutQuery, operation: RepositoryOperation) -> Future<T>

    /// Writes a list.
    ///
    /// - Parameters:
    ///   - values: The whole list.
    ///   - query: Says where.
    ///   - operation: Which sources are written to.
    /// - Returns: The list as it is now, or the failure of the sources.
    @discardableResult
    func putAll(_ values: [T], in query: PutAllQuery, operation: RepositoryOperation) -> Future<[T]>
}

/// Something that deletes from one or several sources.
public protocol DeleteRepository: Sendable {
    /// The queries ``delete(_:operation:)`` takes.
    associatedtype DeleteQuery: Sendable = any Query

    /// Deletes what a query names.
    ///
    /// - Parameters:
    ///   - query: Says what.
    ///   - operation: Which sources are deleted from.
    /// - Returns: Nothing, or the failure of the sources.
    @discardableResult
    func delete(_ query: DeleteQuery, operation: RepositoryOperation) -> Future<Void>
}

extension GetRepository {
    /// Reads one value with the operation that is usual here.
    public func get(_ query: GetQuery) -> Future<T> { get(query, operation: .standard) }
    /// Reads a list with the operation that is usual here.
    public func getAll(_ query: GetAllQuery) -> Future<[T]> { getAll(query, operation: .standard) }
}

extension PutRepository {
    /// Writes one value with the operation that is usual here.
    @discardableResult
    public func put(_ value: T?, in query: PutQuery) -> Future<T> { put(value, in: query, operation: .standard) }
    /// Writes a list with the operation that is usual here.
    @discardableResult
    public func putAll(_ values: [T], in query: PutAllQuery) -> Future<[T]> {
        putAll(values, in: query, operation: .standard)
    }
}

extension DeleteRepository {
    /// Deletes with the operation that is usual here.
    @discardableResult
    public func delete(_ query: DeleteQuery) -> Future<Void> { delete(query, operation: .standard) }
}
