import Foundation
public import LarderCore

/// A repository that combines a main source with a cache.
///
/// The repository accepts the queries that the main source accepts. If the cache does not support a query, an operation that needs the
/// cache fails with `CoreError.QueryNotSupported` before any source is called.
///
/// **Concurrent readers** of one key that wait for the main source share a single read of that source. Cancelling one reader does not
/// affect the others. Cancelling the last reader cancels the read. Readers that start after a write do not share a read that started before
/// the write.
///
/// **Reads that overlap with a write** to the same key return the value that they read, but do not store it in the cache.
///
/// **Failed writes** are undone. If the write to the second source fails, the previous value is restored in the first source. If restoring
/// also fails, the error is ``RepositoryError/Code/sourcesDiffer``.
///
/// **Writes with an unknown outcome**, such as a cancellation or a timeout, delete the affected values from the cache, so that the next
/// read calls the main source. If the cache can't delete the values, a `LarderIssue` is reported.
///
/// **Time limit.** A call to a source that takes too long (60 seconds by default) fails. A read fails with ``FutureError/Code/timedOut``,
/// and a write fails with ``FutureError/Code/mayHaveHappened``. The next reader of the key calls the main source again.
///
/// **With a cache that records ages** (a ``StampedDataSource``), values expire, values that the main source does not have are recorded as
/// missing, and ``getStored(_:operation:maximumAge:)`` returns the origin and the age of a value.
///
/// **Failures to fill the cache** do not fail a read of the main source. Each failure is reported as a `LarderIssue`.
public final class CacheRepository<
    Main: GetDataSource & PutDataSource & DeleteDataSource,
    Cache: GetDataSource & PutDataSource & DeleteDataSource
>: Sendable where Main.T == Cache.T {
    /// The value type of the main source.
    public typealias T = Main.T

    let main: Main
    let cache: Cache
    let validator: any ObjectValidation<T>
    private let reads = SharedReads<T>()
    private let listReads = SharedReads<[T]>()
    /// The cache as a ``StampedDataSource``, or `nil` if the cache does not conform to that protocol.
    private let stamping: Stamping<T>?
    private let cacheOrigin: StoredOrigin
    private let time: any TimeSource
    let timeLimit: SourceTimeLimit
    let isOutcomeUnknown: @Sendable (any Error) -> Bool
    let versions = WriteVersions()
    private let counts = CacheCounts()

    /// Creates a repository from two sources.
    ///
    /// - Parameters:
    ///   - main: The main source of the values, such as a server.
    ///   - cache: The source that stores copies of the values.
    ///   - validator: A validator that decides which cached values are valid. By default, all values that have not expired are valid.
    ///   - time: The clock that measures the age of values and the duration of calls.
    ///   - timeLimit: The timeout for each call to either source, or `nil` for no timeout.
    ///   - isOutcomeUnknown: A closure that returns whether a write that failed with a given error may have happened, for example because a
    ///     connection was lost. The default is ``WriteOutcome/isUnknown(_:)``.
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

    /// The number of shared reads of the main source that are in progress.
    package var readsUnderWay: Int { reads.count + listReads.count }

    /// The numbers that inspection tools display.
    var inspectionStatistics: [InspectionStatistic] {
        counts.statistics + [InspectionStatistic("fetches under way", Double(readsUnderWay))]
    }
}

extension CacheRepository: GetRepository {
    /// Reads a value from the sources that an operation selects.
    ///
    /// - Parameters:
    ///   - query: The query that selects the value.
    ///   - operation: The operation that selects which sources are read, and in which order. ``RepositoryOperation/standard`` is the same
    ///     as ``RepositoryOperation/cacheSync``.
    /// - Returns: A future that settles with the value. It fails with the error of the last source that was called.
    public func get(_ query: Main.GetQuery, operation: RepositoryOperation) -> Future<T> {
        getStored(query, operation: operation).map(\.value)
    }

    /// Reads a list from the sources that an operation selects.
    ///
    /// - Parameters:
    ///   - query: The query that selects the list.
    ///   - operation: The operation that selects which sources are read, and in which order. ``RepositoryOperation/standard`` is the same
    ///     as ``RepositoryOperation/cacheSync``.
    /// - Returns: A future that settles with the list. It fails with the error of the last source that was called.
    public func getAll(_ query: Main.GetAllQuery, operation: RepositoryOperation) -> Future<[T]> {
        getAllStored(query, operation: operation).map(\.value)
    }

    /// Reads a value, and returns it with its origin and age.
    ///
    /// - Parameters:
    ///   - query: The query that selects the value.
    ///   - operation: The operation that selects which sources are read, and in which order. ``RepositoryOperation/standard`` is the same
    ///     as ``RepositoryOperation/cacheSync``.
    ///   - maximumAge: The age at which a cached value becomes stale, or `nil` for no maximum. With a maximum, a value of unknown age is
    ///     also stale. With a maximum of zero, every cached value is stale.
    /// - Returns: A future that settles with the value. It fails with the error of the last source that was called. Ages are known if the
    ///   cache is a ``StampedDataSource``, such as an ``ExpiringDataSource``.
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

    /// Reads a list, and returns it with its origin and age.
    ///
    /// - Parameters:
    ///   - query: The query that selects the list.
    ///   - operation: The operation that selects which sources are read, and in which order. ``RepositoryOperation/standard`` is the same
    ///     as ``RepositoryOperation/cacheSync``.
    ///   - maximumAge: The age at which a cached list becomes stale; see ``getStored(_:operation:maximumAge:)``.
    /// - Returns: A future that settles with the list. It fails with the error of the last source that was called.
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
        let counts = counts
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
            guard isFresh(stored) else {
                throw CoreError.NotValid(
                    "The cached value is stale. Read the value with an operation that includes the main source, such as `cacheSync`."
                )
            }
        }
        @Sendable func mainSync() -> Future<Stored<Value>> {
            let selection = Self.selection(of: query)
            let stamp = versions.stamp(of: selection)
            return reads.read(selection, since: stamp) {
                fromMain().recover { error in
                    guard error is CoreError.NotFound, let stamping, let query = query as? any StoreQuery,
                        versions.isUndisturbed(since: stamp)
                    else { throw error }
                    return timeLimit.writing(stamping.noteMissing(query, asList)).recover { Self.notKept((), $0) }
                        .flatMap { _ in throw error }
                }.flatMap { value in
                    guard versions.isUndisturbed(since: stamp) else { return Future(value) }
                    return toCache(value).flatMap { kept in
                        // If a write began while the cache was being filled, the cache may now hold the older value.
                        versions.isUndisturbed(since: stamp) ? Future(kept) : removeFromCache().map { kept }
                    }.recover { Self.notKept(value, $0) }
                }
            }.map { Stored($0, origin: .main, age: .zero) }
        }
        /// Reads from the main source, unless the cache has recorded the value as missing.
        @Sendable func mainSyncUnlessMissing(_ cacheError: any Error) -> Future<Stored<Value>> {
            guard cacheError is CoreError.NotFound, maximumAge == nil, let stamping,
                let query = query as? any StoreQuery
            else { return mainSync() }
            return timeLimit.reading(stamping.isKnownMissing(query, asList)).flatMap { isMissing in
                guard !isMissing else { throw cacheError }
                return mainSync()
            }
        }
        @Sendable func fromMainOnly() -> Future<Stored<Value>> {
            fromMain().map { Stored($0, origin: .main, age: .zero) }
        }
        // Hits and misses are counted in the steps that a read has anyway.
        @Sendable func counted(_ stored: Stored<Value>) throws {
            try checked(stored)
            counts.noteHit()
        }
        @Sendable func countedMiss(_ error: any Error) throws {
            guard Self.isMiss(error) else { throw error }
            counts.noteMiss()
        }
        if case .main = operation.kind { return fromMainOnly() }
        if case .other = operation.kind { return Future(error: operation.notSupported) }
        guard cacheTakes else { return Future(error: Self.notTaken(query)) }
        switch operation.kind {
        case .main, .other: return Future(error: operation.notSupported)
        case .mainSync: return mainSync()
        case .cache(let ignoresValidation):
            return fromCache().filter { stored in
                if ignoresValidation { counts.noteHit() } else { try counted(stored) }
            }.mapError { error in
                if Self.isMiss(error) { counts.noteMiss() }
                return error
            }
        case .standard: return cacheSync { _ in false }
        case .cacheSync(let fallback): return cacheSync(fallback)
        case .staleWhileRevalidate(let limit): return stale(limit)
        }

        func cacheSync(_ fallback: @escaping @Sendable (FallbackReason) -> Bool) -> Future<Stored<Value>> {
            let cached = fromCache()
            return cached.filter(counted).recover { cacheError in
                try countedMiss(cacheError)
                return mainSyncUnlessMissing(cacheError).recover { mainError in
                    let reason = FallbackReason(mainError: mainError, cacheError: cacheError)
                    guard fallback(reason) else { throw mainError }
                    // The main source's error is more useful than the cache's if there is no cached value to fall back to.
                    return cached.map { $0.asFallback() }.recover { _ in throw mainError }
                }
            }
        }

        func stale(_ limit: Duration?) -> Future<Stored<Value>> {
            fromCache().map { Result<Stored<Value>, any Error>.success($0) }.recover { error in
                try countedMiss(error)
                return Future(.failure(error))
            }.flatMap { cached in
                switch cached {
                case .failure(let error): return mainSyncUnlessMissing(error)
                case .success(let stored) where isFresh(stored):
                    counts.noteHit()
                    return Future(stored)
                case .success(let stored):
                    counts.noteMiss()
                    if let limit {
                        // A value of unknown age may have expired too long ago.
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

    /// Returns the keys that a query selects, or `nil` if the query does not select keys.
    static func selection(of query: Any) -> StoreSelection? { (query as? any StoreQuery)?.selection }

    /// Returns whether `error` is a cache miss, after which the main source is read.
    private static func isMiss(_ error: any Error) -> Bool {
        error is CoreError.NotFound || error is CoreError.NotValid || error is CoreError.DataSerialization
    }

    static func notTaken(_ query: Any) -> CoreError.QueryNotSupported {
        CoreError.QueryNotSupported(
            "The cache (\(Cache.self)) does not support \(type(of: query)). Use the operation `main`, or a cache that supports this query."
        )
    }

    @Sendable private static func reportNotRenewed(_ error: any Error) {
        // If the main source no longer has the value, there is no failure to report.
        guard !(error is CoreError.NotFound) else { return }
        IssueChannel.shared.report(
            LarderIssue(
                .degraded,
                "A stale cached value could not be refreshed from the main source. Read the value again to retry.",
                underlying: error
            )
        )
    }

    private static func notKept<Value>(_ value: Value, _ error: any Error) -> Future<Value> {
        IssueChannel.shared.report(
            LarderIssue(
                .degraded,
                "A value from the main source could not be stored in the cache, so each read calls the main source. Make sure that the cache is writable.",
                underlying: error
            )
        )
        return Future(value)
    }
}

extension RepositoryOperation {
    var notSupported: CoreError.NotImplemented {
        CoreError.NotImplemented(
            "This repository does not support the operation \"\(self)\". Use one of the operations that `RepositoryOperation` defines."
        )
    }
}
