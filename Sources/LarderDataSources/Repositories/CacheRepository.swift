import Foundation
public import LarderCore

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
/// **A write whose outcome is unknown**, because it was cancelled or took too long, deletes what the cache has under its keys: the next
/// read asks the main source. A cache that can't delete it is reported as a `LarderIssue`.
///
/// **A source that does not answer** is given up after a time limit, 60 seconds for each call unless told. A read then fails with
/// ``FutureError/Code/timedOut``, and the next reader of its key asks the main source anew. A write fails with
/// ``FutureError/Code/mayHaveHappened``.
///
/// **With a cache that knows how old its values are** (a ``StampedDataSource``) values expire, what the main source does not have is
/// remembered as missing, and ``getStored(_:operation:maximumAge:)`` says where a value came from.
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
    /// What the cache can say of the age of its values.
    private let stamping: Stamping<T>?
    private let cacheOrigin: StoredOrigin
    private let time: any TimeSource
    let timeLimit: SourceTimeLimit
    let isOutcomeUnknown: @Sendable (any Error) -> Bool
    let versions = WriteVersions()

    /// A repository over two sources.
    ///
    /// - Parameters:
    ///   - main: Where the values come from, such as a server.
    ///   - cache: Where they are kept nearby.
    ///   - validator: Says which of the cache's values may still be used; all that have not expired unless given.
    ///   - time: Says how long ago a value expired, and measures the time limit.
    ///   - timeLimit: How long one call of either source may take; `nil` for as long as it takes.
    ///   - isOutcomeUnknown: Whether an error of a source leaves it open whether a write has happened, such as a connection that was lost
    ///     after the request was sent; ``WriteOutcome/isUnknown(_:)`` unless given.
    public init(
        main: Main,
        cache: Cache,
        validator: any ObjectValidation<T> = ClosureValidator<T>(),
        time: any TimeSource = .system,
        timeLimit: Duration? = .seconds(60),
        isOutcomeUnknown: @escaping @Sendable (any Error) -> Bool = WriteOutcome.isUnknown
    ) {
        self.main = main
        self.cache = cache
        self.validator = validator
        self.time = time
        self.timeLimit = SourceTimeLimit(limit: timeLimit, time: time)
        self.isOutcomeUnknown = isOutcomeUnknown
        stamping = Stamping(cache)
        cacheOrigin = .of(cache)
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
        getStored(query, operation: operation).map(\.value)
    }

    /// Reads a list.
    ///
    /// - Parameters:
    ///   - query: Says which.
    ///   - operation: `cacheSync` unless told.
    /// - Returns: The list, or the failure of the source that had the last word.
    public func getAll(_ query: Main.GetAllQuery, operation: RepositoryOperation) -> Future<[T]> {
        getAllStored(query, operation: operation).map(\.value)
    }

    /// Reads one value, and says where it came from and how old it is.
    ///
    /// - Parameters:
    ///   - query: Says which.
    ///   - operation: `cacheSync` unless told.
    ///   - maximumAge: How old a value of the cache may be; an older one, or one whose age nobody knows, is not valid. Zero always asks
    ///     the main source.
    /// - Returns: The value, or the failure of the source that had the last word. Ages are known when the cache is a
    ///   ``StampedDataSource``, such as an ``ExpiringDataSource``.
    public func getStored(
        _ query: Main.GetQuery,
        operation: RepositoryOperation = .standard,
        maximumAge: Duration? = nil
    ) -> Future<Stored<T>> {
        let (main, cache, validator, stamping, cacheOrigin) = (main, cache, validator, stamping, cacheOrigin)
        return read(
            query,
            operation,
            maximumAge,
            reads,
            asList: false,
            fromMain: { main.get(query) },
            fromCache: {
                if let stamping, let query = query as? any Query { return stamping.getStored(query) }
                return narrowed(query, for: Cache.self) { cache.get($0) }.map { Stored($0, origin: cacheOrigin) }
            },
            toCache: { value in narrowed(query, for: Cache.self) { cache.put(value, in: $0) } },
            cacheTakes: query is Cache.GetQuery && query is Cache.PutQuery,
            isValid: { validator.isObjectValid($0) }
        )
    }

    /// Reads a list, and says where it came from and how old it is.
    ///
    /// - Parameters:
    ///   - query: Says which.
    ///   - operation: `cacheSync` unless told.
    ///   - maximumAge: How old the cache's list may be; see ``getStored(_:operation:maximumAge:)``.
    /// - Returns: The list, or the failure of the source that had the last word.
    public func getAllStored(
        _ query: Main.GetAllQuery,
        operation: RepositoryOperation = .standard,
        maximumAge: Duration? = nil
    ) -> Future<Stored<[T]>> {
        let (main, cache, validator, stamping, cacheOrigin) = (main, cache, validator, stamping, cacheOrigin)
        return read(
            query,
            operation,
            maximumAge,
            listReads,
            asList: true,
            fromMain: { main.getAll(query) },
            fromCache: {
                if let stamping, let query = query as? any Query { return stamping.getAllStored(query) }
                return narrowed(query, for: Cache.self) { cache.getAll($0) }.map { Stored($0, origin: cacheOrigin) }
            },
            toCache: { values in narrowed(query, for: Cache.self) { cache.putAll(values, in: $0) } },
            cacheTakes: query is Cache.GetAllQuery && query is Cache.PutAllQuery,
            isValid: { validator.isListValid($0) }
        )
    }

    private func read<Value: Sendable>(
        _ query: any Sendable,
        _ operation: RepositoryOperation,
        _ maximumAge: Duration?,
        _ reads: SharedReads<Value>,
        asList: Bool,
        fromMain: @escaping @Sendable () -> Future<Value>,
        fromCache: @escaping @Sendable () -> Future<Stored<Value>>,
        toCache: @escaping @Sendable (Value) -> Future<Value>,
        cacheTakes: Bool,
        isValid: @escaping @Sendable (Value) -> Bool
    ) -> Future<Stored<Value>> {
        let (cache, versions, stamping, time, timeLimit) = (cache, versions, stamping, time, timeLimit)
        let fromMain = { @Sendable in timeLimit.reading(fromMain()) }
        let fromCache = { @Sendable in timeLimit.reading(fromCache()) }
        let toCache = { @Sendable (value: Value) in timeLimit.writing(toCache(value)) }
        @Sendable func removeFromCache() -> Future<Void> {
            timeLimit.writing(narrowed(query, for: Cache.self) { cache.delete($0) }).recover { error in
                Self.reportNotInvalidated(query, error)
                return Future(())
            }
        }
        @Sendable func isFresh(_ stored: Stored<Value>) -> Bool {
            if let maximumAge { guard let age = stored.age, age < maximumAge else { return false } }
            return !stored.isExpired && isValid(stored.value)
        }
        @Sendable func checked(_ stored: Stored<Value>) throws {
            guard isFresh(stored) else { throw CoreError.NotValid("The cache's value is not valid any more.") }
        }
        @Sendable func mainSync() -> Future<Stored<Value>> {
            let selection = Self.selection(of: query)
            let stamp = versions.stamp(of: selection)
            return reads.read(selection, since: stamp) {
                fromMain().recover { error in
                    guard error is CoreError.NotFound, let stamping, let query = query as? any StorageQuery,
                        versions.isUndisturbed(since: stamp)
                    else { throw error }
                    return timeLimit.writing(stamping.noteMissing(query, asList)).recover { Self.notKept((), $0) }
                        .flatMap { _ in throw error }
                }.flatMap { value in
                    guard versions.isUndisturbed(since: stamp) else { return Future(value) }
                    return toCache(value).flatMap { kept in
                        // A write that began while the cache was being filled may be the older one there now.
                        versions.isUndisturbed(since: stamp) ? Future(kept) : removeFromCache().map { kept }
                    }.recover { Self.notKept(value, $0) }
                }
            }.map { Stored($0, origin: .main, age: .zero) }
        }
        /// The main source, unless the cache remembers that it has no such value.
        @Sendable func mainSyncUnlessMissing(_ cacheError: any Error) -> Future<Stored<Value>> {
            guard cacheError is CoreError.NotFound, maximumAge == nil, let stamping,
                let query = query as? any StorageQuery
            else { return mainSync() }
            return timeLimit.reading(stamping.isKnownMissing(query, asList)).flatMap { isMissing in
                guard !isMissing else { throw cacheError }
                return mainSync()
            }
        }
        @Sendable func fromMainOnly() -> Future<Stored<Value>> {
            fromMain().map { Stored($0, origin: .main, age: .zero) }
        }
        if case .main = operation.kind { return fromMainOnly() }
        if case .other = operation.kind { return Future(error: operation.notSupported) }
        guard cacheTakes else { return Future(error: Self.notTaken(query)) }
        switch operation.kind {
        case .main, .other: return Future(error: operation.notSupported)
        case .mainSync: return mainSync()
        case .cache(let ignoresValidation):
            return ignoresValidation ? fromCache() : fromCache().filter(checked)
        case .standard: return cacheSync { _ in false }
        case .cacheSync(let fallback): return cacheSync(fallback)
        case .staleWhileRevalidate(let limit): return stale(limit)
        }

        func cacheSync(_ fallback: @escaping @Sendable (FallbackReason) -> Bool) -> Future<Stored<Value>> {
            let cached = fromCache()
            return cached.filter(checked).recover { cacheError in
                guard Self.isMiss(cacheError) else { throw cacheError }
                return mainSyncUnlessMissing(cacheError).recover { mainError in
                    let reason = FallbackReason(mainError: mainError, cacheError: cacheError)
                    guard fallback(reason) else { throw mainError }
                    // Without a cached value to fall back to, the main source's error is the one to know.
                    return cached.map { $0.asFallback() }.recover { _ in throw mainError }
                }
            }
        }

        func stale(_ limit: Duration?) -> Future<Stored<Value>> {
            fromCache().map { Result<Stored<Value>, any Error>.success($0) }.recover { error in
                guard Self.isMiss(error) else { throw error }
                return Future(.failure(error))
            }.flatMap { cached in
                switch cached {
                case .failure(let error): return mainSyncUnlessMissing(error)
                case .success(let stored) where isFresh(stored): return Future(stored)
                case .success(let stored):
                    if let limit {
                        // Nobody knows since when: it may be too long.
                        guard let expiry = stored.expiry, time.now.timeIntervalSince(expiry) < limit.seconds else {
                            return mainSync()
                        }
                    }
                    mainSync().fail { Self.reportNotRenewed($0) }
                    return Future(stored)
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

    @Sendable private static func reportNotRenewed(_ error: any Error) {
        // That there is no such value any more is an answer.
        guard !(error is CoreError.NotFound) else { return }
        IssueChannel.shared.report(
            LarderIssue(
                .degraded,
                "A value was returned from the cache though it is not valid any more, and the main source could not renew it.",
                underlying: error
            )
        )
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
