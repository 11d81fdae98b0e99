public import LarderCore

/// A source that checks what it reads: what is not valid fails with `CoreError.NotValid`.
public struct DataSourceValidator<Source: GetDataSource>: GetDataSource {
    private let source: Source
    private let validator: any ObjectValidation<Source.T>

    /// A source that checks.
    ///
    /// - Parameters:
    ///   - source: Where the values are.
    ///   - validator: Says which are valid; a list is valid as ``ObjectValidation/isListValid(_:)`` says.
    public init(_ source: Source, validator: any ObjectValidation<Source.T>) {
        self.source = source
        self.validator = validator
    }

    /// Reads one value and checks it.
    public func get(_ query: Source.GetQuery) -> Future<Source.T> {
        source.get(query).filter { [validator] value in
            guard validator.isObjectValid(value) else { throw CoreError.NotValid() }
        }
    }

    /// Reads a list and checks it.
    public func getAll(_ query: Source.GetAllQuery) -> Future<[Source.T]> {
        source.getAll(query).filter { [validator] values in
            guard validator.isListValid(values) else { throw CoreError.NotValid() }
        }
    }
}

extension DataSourceValidator: PutDataSource where Source: PutDataSource {
    /// Writes one value, unchecked.
    @discardableResult
    public func put(_ value: Source.T?, in query: Source.PutQuery) -> Future<Source.T> { source.put(value, in: query) }
    /// Writes a list, unchecked.
    @discardableResult
    public func putAll(_ values: [Source.T], in query: Source.PutAllQuery) -> Future<[Source.T]> {
        source.putAll(values, in: query)
    }
}

extension DataSourceValidator: DeleteDataSource where Source: DeleteDataSource {
    /// Deletes from the source.
    @discardableResult
    public func delete(_ query: Source.DeleteQuery) -> Future<Void> { source.delete(query) }
}

extension DataSourceValidator: UpdateDataSource where Source: UpdateDataSource {
    /// Changes one value in one step, unchecked.
    @discardableResult
    public func update(
        _ query: Source.UpdateQuery,
        _ change: @escaping @Sendable (inout Source.T?) throws -> Void
    ) -> Future<Source.T?> { source.update(query, change) }
}

extension DataSourceValidator: EntriesDataSource where Source: EntriesDataSource {
    /// Every single value with its key, checked: one that is not valid fails the call with `CoreError.NotValid`.
    public func entries() -> Future<[DataSourceEntry<Source.T>]> {
        source.entries().filter { [validator] entries in
            for entry in entries where !validator.isObjectValid(entry.value) {
                throw CoreError.NotValid("The value for \(entry.key.debugDescription) is not valid.")
            }
        }
    }
}

extension DataSourceValidator: ObservableDataSource where Source: ObservableDataSource {
    /// What changes from now on, unchecked.
    public func changes(for query: any StorageQuery) throws -> DataSourceChanges<Source.T> {
        try source.changes(for: query)
    }
}

extension DataSourceValidator: PlacedDataSource {
    /// Where the source behind it has its values.
    public var storedOrigin: StoredOrigin { .of(source) }
}
