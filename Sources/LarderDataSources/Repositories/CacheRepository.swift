import LarderCore

/// A repository over a main source and a cache of it.
///
/// Its queries are those of the main source. Where the cache does not take one, an operation that needs the cache fails with
/// `CoreError.QueryNotSupported` before any source is asked.
///
/// **Concurrent readers** of one key who wait for the main source share one read of it. Cancelling one of them leaves the others;
/// once all are cancelled, the read is. A read that began before a write is not shared with whoever reads after it.
///
/// **A read that a write overtakes** returns what it read, but does not store it in the cache over what was written.
///
/// **A write to both whose second half fails** is undone: what the first source held before is put back. Where even that fails,
/// the error is ``RepositoryError/Code/sourcesDiffer``.
///
/// **Reading the main source succeeds** even when its answer can't be kept in the cache; that is reported as a `LarderIssue`.
public final class CacheRepository<
    Main: GetDataSource & PutDataSource & DeleteDataSource,
    Cache: GetDataSource & PutDataSource & DeleteDataSource
>: Sendable where Main.T == Cache.T {
    /// What it holds.
    public typealias T = Main.T

    let main: Main
    let cache: Cache
    let validator: any ObjectValidation<T>
    private let reads = SharedReads<T>()
    private let listReads = SharedReads<[T]>()
    let versions = WriteVersions()

    /// A repository over two sources.
    ///
    /// - Parameters:
    ///   - main: Where the values come from, such as a server.
    ///   - cache: Where they are kept nearby.
    ///   - validator: Says which of the cache's values may still be used; all unless given.
    public init(main: Main, cache: Cache, validator: any ObjectValidation<T> = ClosureValidator<T>()) {
        self.main = main
        self.cache = cache
        self.validator = validator
    }

    /// How many shared reads of the main source are under way.
    package var readsUnderWay: Int { reads.count + listReads.count }
}

extension CacheRepository: GetRepository {
    /// Reads one value.
    ///
    /// - Parameters:
    ///   - query: Says which.
    ///   - operation: `cacheSync` unless told.
    /// - Returns: The value, or the failure of the source that had the last word.
    public func get(_ query: Main.GetQuery, operation: RepositoryOperation) -> Future<T> {
        let (main, cache, validator) = (main, cache, validator)
        return read(
            query,
            operation,
            reads,
            fromMain: { main.get(query) },
            fromCache: { narrowed(query, for: Cache.self) { cache.get($0) } },
            toCache: { value in narrowed(query, for: Cache.self) { cache.put(value, in: $0) } },
            cacheTakes: query is Cache.GetQuery && query is Cache.PutQuery,
            isValid: { validator.isObjectValid($0) }
        )
    }

    /// Reads a list.
    ///
    /// - Parameters:
    ///   - query: Says which.
    ///   - operation: `cacheSync` unless told.
    /// - Returns: The list, or the failure of the source that had the last word.
    public func getAll(_ query: Main.GetAllQuery, operation: RepositoryOperation) -> Future<[T]> {
        let (main, cache, validator) = (main, cache, validator)
        return read(
            query,
            operation,
            listReads,
            fromMain: { main.getAll(query) },
            fromCache: { narrowed(query, for: Cache.self) { cache.getAll($0) } },
            toCache: { values in narrowed(query, for: Cache.self) { cache.putAll(values, in: $0) } },
            cacheTakes: query is Cache.GetAllQuery && query is Cache.PutAllQuery,
            isValid: { validator.isListValid($0) }
        )
    }

    private func read<Value: Sendable>(
        _ query: any Sendable,
        _ operation: RepositoryOperation,
        _ reads: SharedReads<Value>,
        fromMain: @escaping @Sendable () -> Future<Value>,
        fromCache: @escaping @Sendable () -> Future<Value>,
        toCache: @escaping @Sendable (Value) -> Future<Value>,
        cacheTakes: Bool,
        isValid: @escaping @Sendable (Value) -> Bool
    ) -> Future<Value> {
        let (cache, versions) = (cache, versions)
        @Sendable func removeFromCache() -> Future<Void> { narrowed(query, for: Cache.self) { cache.delete($0) } }
        @Sendable func checked(_ value: Value) throws {
            guard isValid(value) else { throw CoreError.NotValid("The cache's value is not valid any more.") }
        }
        @Sendable func mainSync() -> Future<Value> {
            let selection = Self.selection(of: query)
            let stamp = versions.stamp(of: selection)
            return reads.read(selection, since: stamp) {
                fromMain().flatMap { value in
                    guard versions.isUndisturbed(since: stamp) else { return Future(value) }
                    return toCache(value).flatMap { kept in
                        // A write that began while the cache was being filled may be the older one there now.
                        versions.isUndisturbed(since: stamp) ? Future(kept) : removeFromCache().map { kept }
                    }.recover { Self.notKept(value, $0) }
                }
            }
        }
        if case .main = operation.kind { return fromMain() }
        if case .other = operation.kind { return Future(error: operation.notSupported) }
        guard cacheTakes else { return Future(error: Self.notTaken(query)) }
        switch operation.kind {
        case .main, .other: return Future(error: operation.notSupported)
        case .mainSync: return mainSync()
        case .cache(let ignoresValidation):
            return ignoresValidation ? fromCache() : fromCache().filter(checked)
        case .standard: return cacheSync { _ in false }
        case .cacheSync(let fallback): return cacheSync(fallback)
        }

        func cacheSync(_ fallback: @escaping @Sendable (FallbackReason) -> Bool) -> Future<Value> {
            let cached = fromCache()
            return cached.filter(checked).recover { cacheError in
                guard Self.isMiss(cacheError) else { throw cacheError }
                return mainSync().recover { mainError in
                    let reason = FallbackReason(mainError: mainError, cacheError: cacheError)
                    guard fallback(reason) else { throw mainError }
                    // Without a cached value to fall back to, the main source's error is the one to know.
                    return cached.recover { _ in throw mainError }
                }
            }
        }
    }

    /// The keys that a query names, if it is known which.
    static func selection(of query: Any) -> StorageSelection? { (query as? any StorageQuery)?.selection }

    /// Whether the main source may know what the cache does not.
    private static func isMiss(_ error: any Error) -> Bool {
        error is CoreError.NotFound || error is CoreError.NotValid || error is CoreError.DataSerialization
    }

    private static func notTaken(_ query: Any) -> CoreError.QueryNotSupported {
        CoreError.QueryNotSupported("The cache, a \(Cache.self), does not take a \(type(of: query)).")
    }

    private static func notKept<Value>(_ value: Value, _ error: any Error) -> Future<Value> {
        IssueChannel.shared.report(
            LarderIssue(
                .degraded,
                "A value was read from the main source but could not be kept in the cache: it will be read again.",
                underlying: error
            )
        )
        return Future(value)
    }
}

extension RepositoryOperation {
    var notSupported: CoreError.NotImplemented {
        CoreError.NotImplemented("This repository does not know the operation \(kind).")
    }
}
