public import LarderCore

/// A data source that reads values from another source and maps them.
public struct GetDataSourceMapper<In: Sendable, Out: Sendable>: GetDataSource {
    @usableFromInline let getIn: @Sendable (any KeyQuery) -> Future<In>
    @usableFromInline let getAllIn: @Sendable (any StoreQuery) -> Future<[In]>
    @usableFromInline let toOut: any Mapper<In, Out>

    /// Creates a data source that maps each value that it reads from another source.
    ///
    /// A query that `dataSource` does not support fails with `CoreError.QueryNotSupported`.
    ///
    /// - Parameters:
    ///   - dataSource: The source that holds the values.
    ///   - toOutMapper: A mapper that converts the values that `dataSource` returns.
    @inlinable
    public init<Source: GetDataSource<In>>(dataSource: Source, toOutMapper: any Mapper<In, Out>) {
        getIn = { query in narrowed(query, for: Source.self) { dataSource.get($0) } }
        getAllIn = { query in narrowed(query, for: Source.self) { dataSource.getAll($0) } }
        toOut = toOutMapper
    }

    /// Reads a value and maps it.
    @inlinable
    public func get(_ query: any KeyQuery) -> Future<Out> { getIn(query).mapped(by: toOut) }

    /// Reads a list and maps each element.
    public func getAll(_ query: any StoreQuery) -> Future<[Out]> { getAllIn(query).mapped(byEach: toOut) }
}

/// A data source that maps values and writes them to another source.
public struct PutDataSourceMapper<In: Sendable, Out: Sendable>: PutDataSource {
    @usableFromInline let putIn: @Sendable (In?, any KeyQuery) -> Future<In>
    @usableFromInline let putAllIn: @Sendable ([In], any StoreQuery) -> Future<[In]>
    @usableFromInline let toIn: any Mapper<Out, In>
    @usableFromInline let toOut: any Mapper<In, Out>

    /// Creates a data source that maps each value before writing it to another source.
    ///
    /// A query that `dataSource` does not support fails with `CoreError.QueryNotSupported`.
    ///
    /// - Parameters:
    ///   - dataSource: The source to write to.
    ///   - toInMapper: A mapper that converts values to the value type of `dataSource`.
    ///   - toOutMapper: A mapper that converts the value that `dataSource` returns.
    @inlinable
    public init<Source: PutDataSource<In>>(
        dataSource: Source,
        toInMapper: any Mapper<Out, In>,
        toOutMapper: any Mapper<In, Out>
    ) {
        putIn = { value, query in narrowed(query, for: Source.self) { dataSource.put(value, in: $0) } }
        putAllIn = { values, query in narrowed(query, for: Source.self) { dataSource.putAll(values, in: $0) } }
        toIn = toInMapper
        toOut = toOutMapper
    }

    /// Maps a value, writes it, and maps the value that the underlying source returned.
    @inlinable
    @discardableResult
    public func put(_ value: Out?, in query: any KeyQuery) -> Future<Out> {
        do {
            guard let value else { return putIn(nil, query).mapped(by: toOut) }
            return putIn(try toIn.map(value), query).mapped(by: toOut)
        } catch {
            return Future(error: error)
        }
    }

    /// Maps each element, writes the list, and maps the list that the underlying source returned.
    @discardableResult
    public func putAll(_ values: [Out], in query: any StoreQuery) -> Future<[Out]> {
        do {
            return putAllIn(try toIn.map(values), query).mapped(byEach: toOut)
        } catch {
            return Future(error: error)
        }
    }
}

extension Future {
    /// Maps the future's value like `map`, but without allocating a closure if the future has succeeded.
    @inlinable
    func mapped<NewValue>(by mapper: any Mapper<Value, NewValue>) -> Future<NewValue> {
        guard case .value(let value) = storage else { return mappedOtherwise(by: mapper) }
        do { return Future<NewValue>(try mapper.map(value)) } catch { return Future<NewValue>(error: error) }
    }

    @usableFromInline
    func mappedOtherwise<NewValue>(by mapper: any Mapper<Value, NewValue>) -> Future<NewValue> {
        switch storage {
        case .failure(let failure): Future<NewValue>(storage: .failure(failure))
        case .value, .pending: map { try mapper.map($0) }
        }
    }

    func mapped<In, Out>(byEach mapper: any Mapper<In, Out>) -> Future<[Out]> where Value == [In] {
        map { try mapper.map($0) }
    }
}
