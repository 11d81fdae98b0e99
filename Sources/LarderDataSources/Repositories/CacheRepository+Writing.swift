import LarderCore

extension CacheRepository: PutRepository {
    /// Writes one value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - query: Says where.
    ///   - operation: `mainSync` unless told.
    /// - Returns: The value as the second source returned it. When either source failed, both hold what they held before, or
    ///   the error says that they do not.
    @discardableResult
    public func put(_ value: T?, in query: Main.PutQuery, operation: RepositoryOperation) -> Future<T> {
        let (main, cache) = (main, cache)
        return write(
            query,
            operation,
            cacheTakes: query is Cache.PutQuery,
            main: { previous in previous.map { main.put($0, in: query) } ?? main.put(value, in: query) },
            cache: { previous in
                narrowed(query, for: Cache.self) { cache.put(previous ?? value, in: $0) }
            },
            readMain: { narrowed(query, for: Main.self) { main.get($0) } },
            readCache: { narrowed(query, for: Cache.self) { cache.get($0) } }
        )
    }

    /// Writes a list.
    ///
    /// - Parameters:
    ///   - values: The whole list.
    ///   - query: Says where.
    ///   - operation: `mainSync` unless told.
    /// - Returns: The list as the second source returned it. When either source failed, both hold what they held before, or
    ///   the error says that they do not.
    @discardableResult
    public func putAll(
        _ values: [T],
        in query: Main.PutAllQuery,
        operation: RepositoryOperation
    ) -> Future<[T]> {
        let (main, cache) = (main, cache)
        return write(
            query,
            operation,
            cacheTakes: query is Cache.PutAllQuery,
            main: { previous in main.putAll(previous ?? values, in: query) },
            cache: { previous in narrowed(query, for: Cache.self) { cache.putAll(previous ?? values, in: $0) } },
            readMain: { narrowed(query, for: Main.self) { main.getAll($0) } },
            readCache: { narrowed(query, for: Cache.self) { cache.getAll($0) } }
        )
    }

    /// Writes to one source or to both; a closure given a previous value writes that one back.
    private func write<Value: Sendable>(
        _ query: any Sendable,
        _ operation: RepositoryOperation,
        cacheTakes: Bool,
        main writeMain: @escaping @Sendable (Value?) -> Future<Value>,
        cache writeCache: @escaping @Sendable (Value?) -> Future<Value>,
        readMain: @escaping @Sendable () -> Future<Value>,
        readCache: @escaping @Sendable () -> Future<Value>
    ) -> Future<Value> {
        if case .main = operation.kind { return writeMain(nil) }
        if case .other = operation.kind { return Future(error: operation.notSupported) }
        guard cacheTakes else {
            return Future(
                error: CoreError.QueryNotSupported("The cache, a \(Cache.self), does not take a \(type(of: query)).")
            )
        }
        let deleteMain = deletion(of: query, from: main)
        let deleteCache = deletion(of: query, from: cache)
        switch operation.kind {
        case .cache: return writeCache(nil)
        case .cacheSync:
            return both(first: writeCache, second: writeMain, previously: readCache, deleteFirst: deleteCache)
        default: return both(first: writeMain, second: writeCache, previously: readMain, deleteFirst: deleteMain)
        }
    }

    /// Writes to both; when the second fails, the first is given back what it held, read beforehand.
    private func both<Value: Sendable>(
        first: @escaping @Sendable (Value?) -> Future<Value>,
        second: @escaping @Sendable (Value?) -> Future<Value>,
        previously: @escaping @Sendable () -> Future<Value>,
        deleteFirst: @escaping @Sendable () -> Future<Void>
    ) -> Future<Value> {
        previously().map { Result<Value, any Error>.success($0) }.recover { Future(.failure($0)) }.flatMap { previous in
            first(nil).flatMap { _ in
                second(nil).recover { error in
                    let undone: Future<Void> =
                        switch previous {
                        case .success(let value): first(value).map { _ in }
                        case .failure(is CoreError.NotFound): deleteFirst()
                        case .failure(let unknown): Future(error: unknown)
                        }
                    return undone.mapError { undoError in
                        RepositoryError(
                            code: .sourcesDiffer,
                            message:
                                "The second source failed and what the first one was told could not be undone: write again.",
                            underlying: error,
                            undoError: undoError
                        )
                    }.flatMap { _ in throw error }
                }
            }
        }
    }

    private func deletion<Source: DeleteDataSource>(
        of query: any Sendable,
        from source: Source
    ) -> @Sendable () -> Future<Void> {
        { narrowed(query, for: Source.self) { source.delete($0) } }
    }
}

extension CacheRepository: DeleteRepository {
    /// Deletes what a query names.
    ///
    /// - Parameters:
    ///   - query: Says what.
    ///   - operation: `mainSync` unless told.
    /// - Returns: Nothing. When the first source failed, the second was not asked; when the second did, deleting again is
    ///   harmless.
    @discardableResult
    public func delete(_ query: Main.DeleteQuery, operation: RepositoryOperation) -> Future<Void> {
        let (main, cache) = (main, cache)
        @Sendable func deleteFromCache() -> Future<Void> { narrowed(query, for: Cache.self) { cache.delete($0) } }
        if case .main = operation.kind { return main.delete(query) }
        if case .other = operation.kind { return Future(error: operation.notSupported) }
        guard query is Cache.DeleteQuery else { return deleteFromCache() }
        switch operation.kind {
        case .cache: return deleteFromCache()
        case .cacheSync: return deleteFromCache().flatMap { main.delete(query) }
        default: return main.delete(query).flatMap { deleteFromCache() }
        }
    }
}
