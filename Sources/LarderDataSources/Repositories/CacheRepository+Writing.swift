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
            asList: false,
            cacheTakes: query is Cache.PutQuery,
            main: { main.put(value, in: query) },
            cache: { narrowed(query, for: Cache.self) { cache.put(value, in: $0) } }
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
            asList: true,
            cacheTakes: query is Cache.PutAllQuery,
            main: { main.putAll(values, in: query) },
            cache: { narrowed(query, for: Cache.self) { cache.putAll(values, in: $0) } }
        )
    }

    private func write<Value: Sendable>(
        _ query: any Sendable,
        _ operation: RepositoryOperation,
        asList: Bool,
        cacheTakes: Bool,
        main writeMain: @escaping @Sendable () -> Future<Value>,
        cache writeCache: @escaping @Sendable () -> Future<Value>
    ) -> Future<Value> {
        if case .other = operation.kind { return Future(error: operation.notSupported) }
        if case .main = operation.kind { return overtakingReads(of: query, writeMain) }
        guard cacheTakes else {
            return Future(
                error: CoreError.QueryNotSupported("The cache, a \(Cache.self), does not take a \(type(of: query)).")
            )
        }
        return overtakingReads(of: query) {
            switch operation.kind {
            case .cache: writeCache()
            case .cacheSync:
                Self.both(FormerState.read(query, asList: asList, from: cache), first: writeCache, second: writeMain)
            default:
                Self.both(FormerState.read(query, asList: asList, from: main), first: writeMain, second: writeCache)
            }
        }
    }

    /// Writes to both; when the second fails, the first is given back what it held, read beforehand.
    private static func both<Value: Sendable, First>(
        _ former: Future<FormerState<First>>,
        first: @escaping @Sendable () -> Future<Value>,
        second: @escaping @Sendable () -> Future<Value>
    ) -> Future<Value> {
        former.map { Result.success($0) }.recover { Future(.failure($0)) }.flatMap { former in
            first().flatMap { _ in
                second().recover { error in
                    let undone: Future<Void> =
                        switch former {
                        case .success(let former): former.restore()
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

    /// Reads of the same keys that are under way leave the cache alone from now on.
    private func overtakingReads<Value>(of query: any Sendable, _ write: () -> Future<Value>) -> Future<Value> {
        let writing = versions.beginWrite(to: Self.selection(of: query))
        return write().onCompletion { writing.end() }
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
        if case .other = operation.kind { return Future(error: operation.notSupported) }
        return overtakingReads(of: query) {
            if case .main = operation.kind { return main.delete(query) }
            guard query is Cache.DeleteQuery else { return deleteFromCache() }
            switch operation.kind {
            case .cache: return deleteFromCache()
            case .cacheSync: return deleteFromCache().flatMap { main.delete(query) }
            default: return main.delete(query).flatMap { deleteFromCache() }
            }
        }
    }
}
