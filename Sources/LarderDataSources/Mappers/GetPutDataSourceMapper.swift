public import LarderCore

/// A source that reads one type over a source that reads another.
public struct GetDataSourceMapper<In: Sendable, Out: Sendable>: GetDataSource {
    @usableFromInline let getIn: @Sendable (any KeyQuery) -> Future<In>
    @usableFromInline let getAllIn: @Sendable (any StorageQuery) -> Future<[In]>
    @usableFromInline let toOut: any Mapper<In, Out>

    /// A source that maps what it reads.
    ///
    /// A key query, or one for several keys, that `dataSource` does not take fails with `CoreError.QueryNotSupported`.
    ///
    /// - Parameters:
    ///   - dataSource: Where the values are.
    ///   - toOutMapper: Maps what is there to what is got.
    @inlinable
    public init<Source: GetDataSource<In>>(dataSource: Source, toOutMapper: any Mapper<In, Out>) {
        getIn = { query in narrowed(query, for: Source.self) { dataSource.get($0) } }
        getAllIn = { query in narrowed(query, for: Source.self) { dataSource.getAll($0) } }
        toOut = toOutMapper
    }

    /// Reads one value and maps it out.
    @inlinable
    public func get(_ query: any KeyQuery) -> Future<Out> { getIn(query).mapped(by: toOut) }

    /// Reads a list and maps each element out.
    public func getAll(_ query: any StorageQuery) -> Future<[Out]> { getAllIn(query).mapped(byEach: toOut) }
}

/// A source that writes one type over a source that writes another.
public struct PutDataSourceMapper<In: Sendable, Out: Sendable>: PutDataSource {
    @usableFromInline let putIn: @Sendable (In?, any KeyQuery) -> Future<In>
    @usableFromInline let putAllIn: @Sendable ([In], any StorageQuery) -> Future<[In]>
    @usableFromInline let toIn: any Mapper<Out, In>
    @usableFromInline let toOut: any Mapper<In, Out>

    /// A source that maps what it writes.
    ///
    /// A key query, or one for several keys, that `dataSource` does not take fails with `CoreError.QueryNotSupported`.
    ///
    /// - Parameters:
    ///   - dataSource: Where the values go.
    ///   - toInMapper: Maps what is put to what is kept.
    ///   - toOutMapper: Maps what the inner source returned to what is returned.
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

    /// Maps a value in, writes it, and maps what the inner source returned back out.
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

    /// Maps each element in, writes the list, and maps what the inner source returned back out.
    @discardableResult
    public func putAll(_ values: [Out], in query: any StorageQuery) -> Future<[Out]> {
        do {
            return putAllIn(try toIn.map(values), query).mapped(byEach: toOut)
        } catch {
            return Future(error: error)
        }
    }
}

extension Future {
    /// `map`, which for a settled future makes no closure.
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
