public import LarderCore

/// A source that knows how old its values are: what a cache has to be for `CacheRepository` to say so, and to remember what is
/// missing.
///
/// `get` and `getAll` fail with `CoreError.NotValid` for a value that has expired. ``ExpiringDataSource`` makes one of any source.
public protocol StampedDataSource<T>: GetDataSource {
    /// Reads one value, expired or not, and what is known of it.
    ///
    /// - Parameter query: Says which.
    /// - Returns: The value; the failure is `CoreError.NotFound` when there is none.
    func getStored(_ query: GetQuery) -> Future<Stored<T>>

    /// Reads a list, expired or not, and what is known of it: of several values the oldest counts.
    ///
    /// - Parameter query: Says which.
    /// - Returns: The list; the failure is `CoreError.NotFound` when there is none.
    func getAllStored(_ query: GetAllQuery) -> Future<Stored<[T]>>

    /// Deletes what a query names, and notes for a while that it is not to be had.
    ///
    /// - Parameters:
    ///   - query: One key; for others it does nothing.
    ///   - asList: Whether a list is missing, or a single value.
    /// - Returns: Nothing.
    @discardableResult
    func noteMissing(_ query: any StorageQuery, asList: Bool) -> Future<Void>

    /// Whether it is known that there is no such value.
    ///
    /// - Parameters:
    ///   - query: One key.
    ///   - asList: Whether a list is asked for, or a single value.
    /// - Returns: `false` also when nothing is known.
    func isKnownMissing(_ query: any StorageQuery, asList: Bool) -> Future<Bool>
}

/// What a hidden source can say of the age of its values, found out once.
struct Stamping<T: Sendable>: Sendable {
    let getStored: @Sendable (any Query) -> Future<Stored<T>>
    let getAllStored: @Sendable (any Query) -> Future<Stored<[T]>>
    let noteMissing: @Sendable (any StorageQuery, _ asList: Bool) -> Future<Void>
    let isKnownMissing: @Sendable (any StorageQuery, _ asList: Bool) -> Future<Bool>

    /// `nil` when the source knows nothing of ages.
    init?(_ source: any DataSource) {
        guard let source = source as? any StampedDataSource<T> else { return nil }
        self.init(stamped: source)
    }

    private init<Source: StampedDataSource<T>>(stamped source: Source) {
        getStored = { query in narrowed(query, for: Source.self) { source.getStored($0) } }
        getAllStored = { query in narrowed(query, for: Source.self) { source.getAllStored($0) } }
        noteMissing = { source.noteMissing($0, asList: $1) }
        isKnownMissing = { source.isKnownMissing($0, asList: $1) }
    }
}
