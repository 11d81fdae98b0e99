public import LarderCore

/// A data source whose values can be changed atomically.
public protocol UpdateDataSource<T>: DataSource {
    /// The type of the values in this source.
    associatedtype T: Sendable
    /// The type of query that ``update(_:_:)`` accepts.
    associatedtype UpdateQuery: Sendable = any Query

    /// Atomically reads a value, changes it and writes it back.
    ///
    /// - Parameters:
    ///   - query: The query that selects the value.
    ///   - change: A closure that changes the value. Its argument is `nil` if the value is missing. A closure that sets the argument to
    ///     `nil` deletes the value. The closure may run more than once and should have no side effects. Larder's sources run it outside all
    ///     locks, so it may use the source, but it must not write the same key. If the closure throws, the call fails with that error, and
    ///     nothing is changed.
    /// - Returns: A future that settles with the changed value, or with `nil` if the value was deleted or is missing.
    @discardableResult
    func update(_ query: UpdateQuery, _ change: @escaping @Sendable (inout T?) throws -> Void) -> Future<T?>
}

/// A value in a data source, together with its key.
public struct DataSourceEntry<T> {
    /// The key, without the source's prefix.
    public let key: String
    /// The value that is stored under the key.
    public let value: T

    /// Creates an entry from a key and a value.
    ///
    /// - Parameters:
    ///   - key: The key, without the source's prefix.
    ///   - value: The value that is stored under the key.
    public init(key: String, value: T) {
        self.key = key
        self.value = value
    }
}

extension DataSourceEntry: Sendable where T: Sendable {}
extension DataSourceEntry: Equatable where T: Equatable {}

/// A data source that can list its values with their keys.
public protocol EntriesDataSource<T>: DataSource {
    /// The type of the values in this source.
    associatedtype T: Sendable

    /// Returns all values except lists, with their keys, sorted by the keys' UTF-8 bytes.
    ///
    /// - Returns: A future that settles with a consistent snapshot of the entries. If a value can't be
    ///   converted, the future fails with `CoreError.NotFound`, which contains the key.
    func entries() -> Future<[DataSourceEntry<T>]>
}

/// A data source that reports its changes.
public protocol ObservableDataSource<T>: DataSource {
    /// The type of the values in this source.
    associatedtype T: Sendable

    /// Returns the changes to the keys that a query selects, in the order in which they are made.
    ///
    /// - Parameter query: A query that selects the keys to observe.
    /// - Returns: A sequence of changes for a single reader. The sequence ends when the reader's task is cancelled.
    /// - Throws: `CoreError.NotImplemented` if this source wraps a source that can't be observed.
    func changes(for query: any StoreQuery) throws -> DataSourceChanges<T>
}
