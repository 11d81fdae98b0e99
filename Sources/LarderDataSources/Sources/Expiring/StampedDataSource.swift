public import LarderCore

/// A data source that records the ages of its values.
///
/// A ``CacheRepository`` reports ages and records missing values if its cache conforms to this protocol.
///
/// `get` and `getAll` fail with `CoreError.NotValid` for expired values. ``ExpiringDataSource`` adds ages to any source.
public protocol StampedDataSource<T>: GetDataSource {
    /// Reads a value with its storage location and its age, whether or not the value has expired.
    ///
    /// - Parameter query: The query that selects the value.
    /// - Returns: A future that settles with the value. It fails with `CoreError.NotFound` if the value is missing.
    func getStored(_ query: GetQuery) -> Future<Stored<T>>

    /// Reads a list with its storage location and the age of its oldest value, whether or not the list has expired.
    ///
    /// - Parameter query: The query that selects the list.
    /// - Returns: A future that settles with the list. It fails with `CoreError.NotFound` if the list is missing.
    func getAllStored(_ query: GetAllQuery) -> Future<Stored<[T]>>

    /// Deletes a value and records the value as missing for a limited time.
    ///
    /// - Parameters:
    ///   - query: A query for one key. With another query, the call has no effect.
    ///   - asList: `true` if a list is missing, or `false` if a single value is missing.
    /// - Returns: A future that settles when the value is recorded as missing.
    @discardableResult
    func noteMissing(_ query: any StoreQuery, asList: Bool) -> Future<Void>

    /// Returns whether a value is recorded as missing.
    ///
    /// - Parameters:
    ///   - query: A query for one key.
    ///   - asList: Whether the value is a list.
    /// - Returns: A future that settles with `true` if the value is recorded as missing and the record has not expired.
    func isKnownMissing(_ query: any StoreQuery, asList: Bool) -> Future<Bool>
}

/// A type-erased ``StampedDataSource``.
///
/// The conformance to ``StampedDataSource`` is checked only once, by the initializer.
struct Stamping<T: Sendable>: Sendable {
    let getStored: @Sendable (any Query) -> Future<Stored<T>>
    let getAllStored: @Sendable (any Query) -> Future<Stored<[T]>>
    let noteMissing: @Sendable (any StoreQuery, _ asList: Bool) -> Future<Void>
    let isKnownMissing: @Sendable (any StoreQuery, _ asList: Bool) -> Future<Bool>

    /// Wraps a data source, or returns `nil` if `source` is not a ``StampedDataSource``.
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
