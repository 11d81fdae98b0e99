public import LarderCore

/// A source whose values can be changed in one step that no other writer comes between.
public protocol UpdateDataSource<T>: DataSource {
    /// What it holds.
    associatedtype T: Sendable
    /// The queries ``update(_:_:)`` takes.
    associatedtype UpdateQuery: Sendable = any Query

    /// Reads a value, changes it and writes it back, atomically.
    ///
    /// - Parameters:
    ///   - query: Says which.
    ///   - change: Given the value, or `nil` when there is none; leaving `nil` deletes it. It may run more than once and
    ///     should have no other effects. The sources of Larder run it outside every lock: it may use the source, and must not write the
    ///     same key. What it throws fails the call, and nothing was changed.
    /// - Returns: The value as it is now, `nil` when there is none.
    @discardableResult
    func update(_ query: UpdateQuery, _ change: @escaping @Sendable (inout T?) throws -> Void) -> Future<T?>
}

/// One value of a source with its key.
public struct DataSourceEntry<T> {
    /// The key, without the source's prefix.
    public let key: String
    /// The value.
    public let value: T

    /// An entry.
    ///
    /// - Parameters:
    ///   - key: The key, without the source's prefix.
    ///   - value: The value.
    public init(key: String, value: T) {
        self.key = key
        self.value = value
    }
}

extension DataSourceEntry: Sendable where T: Sendable {}
extension DataSourceEntry: Equatable where T: Equatable {}

/// A source that can list what it holds under which key.
public protocol EntriesDataSource<T>: DataSource {
    /// What it holds.
    associatedtype T: Sendable

    /// Every single value with its key, sorted by the bytes of the key.
    ///
    /// - Returns: The entries at one moment. Lists are left out. It fails with `CoreError.NotFound`, naming the key, when a
    ///   value is no list and does not convert either.
    func entries() -> Future<[DataSourceEntry<T>]>
}

/// A source that tells what changes in it.
public protocol ObservableDataSource<T>: DataSource {
    /// What it holds.
    associatedtype T: Sendable

    /// What changes from now on, in the order of the changes.
    ///
    /// - Parameter query: Which keys.
    /// - Returns: A sequence for one reader; it ends when its task is cancelled.
    /// - Throws: `CoreError.NotImplemented`, from a source that stands for another one which does not tell.
    func changes(for query: any StorageQuery) throws -> DataSourceChanges<T>
}
