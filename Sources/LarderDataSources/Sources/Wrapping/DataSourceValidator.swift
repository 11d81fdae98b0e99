public import LarderCore

/// A data source that validates the values that it reads from another source.
///
/// Reading an invalid value fails with `CoreError.NotValid`.
public struct DataSourceValidator<Source: GetDataSource>: GetDataSource {
    private let source: Source
    private let validator: any ObjectValidation<Source.T>

    /// Creates a source that validates values.
    ///
    /// - Parameters:
    ///   - source: The source that holds the values.
    ///   - validator: The validator that decides which values and lists are valid.
    public init(_ source: Source, validator: any ObjectValidation<Source.T>) {
        self.source = source
        self.validator = validator
    }

    /// Reads a value from the underlying source and validates the value.
    public func get(_ query: Source.GetQuery) -> Future<Source.T> {
        source.get(query).filter { [validator] value in
            guard validator.isObjectValid(value) else { throw CoreError.NotValid(Self.invalid("value")) }
        }
    }

    /// Reads a list from the underlying source and validates the list.
    public func getAll(_ query: Source.GetAllQuery) -> Future<[Source.T]> {
        source.getAll(query).filter { [validator] values in
            guard validator.isListValid(values) else { throw CoreError.NotValid(Self.invalid("list")) }
        }
    }

    private static func invalid(_ what: String) -> String {
        "The \(what) can't be returned because the validator rejected it. Write or fetch a valid \(what)."
    }
}

extension DataSourceValidator: PutDataSource where Source: PutDataSource {
    /// Writes a value to the underlying source without validating the value.
    @discardableResult
    public func put(_ value: Source.T?, in query: Source.PutQuery) -> Future<Source.T> { source.put(value, in: query) }
    /// Writes a list to the underlying source without validating the list.
    @discardableResult
    public func putAll(_ values: [Source.T], in query: Source.PutAllQuery) -> Future<[Source.T]> {
        source.putAll(values, in: query)
    }
}

extension DataSourceValidator: DeleteDataSource where Source: DeleteDataSource {
    /// Deletes values from the underlying source.
    @discardableResult
    public func delete(_ query: Source.DeleteQuery) -> Future<Void> { source.delete(query) }
}

extension DataSourceValidator: UpdateDataSource where Source: UpdateDataSource {
    /// Atomically changes a value in the underlying source without validating the value.
    @discardableResult
    public func update(
        _ query: Source.UpdateQuery,
        _ change: @escaping @Sendable (inout Source.T?) throws -> Void
    ) -> Future<Source.T?> { source.update(query, change) }
}

extension DataSourceValidator: EntriesDataSource where Source: EntriesDataSource {
    /// Returns all values except lists, with their keys, and validates each value.
    ///
    /// Fails with `CoreError.NotValid` if any value is invalid.
    public func entries() -> Future<[DataSourceEntry<Source.T>]> {
        source.entries().filter { [validator] entries in
            for entry in entries where !validator.isObjectValid(entry.value) {
                throw CoreError.NotValid(
                    "The entries can't be returned because the validator rejected the value for \(entry.key.debugDescription). Write a valid value, or delete the value."
                )
            }
        }
    }
}

extension DataSourceValidator: ObservableDataSource where Source: ObservableDataSource {
    /// Returns the changes that the underlying source reports, without validating them.
    public func changes(for query: any StoreQuery) throws -> DataSourceChanges<Source.T> {
        try source.changes(for: query)
    }
}

extension DataSourceValidator: PlacedDataSource {
    /// The storage location that the underlying source reports for its values.
    public var storedOrigin: StoredOrigin { .of(source) }
}
