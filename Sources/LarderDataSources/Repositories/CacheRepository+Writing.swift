import LarderCore
import Synchronization

extension CacheRepository: PutRepository {
    /// Writes a value to the sources that an operation selects.
    ///
    /// - Parameters:
    ///   - value: The value to write.
    ///   - query: The query that selects where to store the value.
    ///   - operation: The operation that selects which sources are written, and in which order. ``RepositoryOperation/standard`` is the
    ///     same as ``RepositoryOperation/mainSync``.
    /// - Returns: A future that settles with the value that the last source returned. If a source fails, all sources keep their previous
    ///   values, unless the error is ``RepositoryError/Code/sourcesDiffer`` or leaves the outcome unknown.
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

    /// Writes a list to the sources that an operation selects.
    ///
    /// - Parameters:
    ///   - values: The complete list to write.
    ///   - query: The query that selects where to store the list.
    ///   - operation: The operation that selects which sources are written, and in which order. ``RepositoryOperation/standard`` is the
    ///     same as ``RepositoryOperation/mainSync``.
    /// - Returns: A future that settles with the list that the last source returned. If a source fails, all sources keep their previous
    ///   values, unless the error is ``RepositoryError/Code/sourcesDiffer`` or leaves the outcome unknown.
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
        let (main, cache, timeLimit) = (main, cache, timeLimit)
        let writeMain = { @Sendable in timeLimit.writing(writeMain()) }
        let writeCache = { @Sendable in timeLimit.writing(writeCache()) }
        if case .other = operation.kind { return Future(error: operation.notSupported) }
        if case .main = operation.kind { return overtakingReads(of: query, touchesCache: false) { _ in writeMain() } }
        guard cacheTakes else {
            return Future(
                error: Self.notTaken(query)
            )
        }
        if case .cache = operation.kind {
            return overtakingReads(of: query, touchesCache: false) { _ in writeCache() }
        }
        return overtakingReads(of: query, touchesCache: true) { start in
            if case .cacheSync = operation.kind {
                let former = timeLimit.reading(FormerState.read(query, asList: asList, from: cache))
                return Self.both(former, timeLimit, start, first: writeCache, second: writeMain)
            }
            let former = timeLimit.reading(FormerState.read(query, asList: asList, from: main))
            return Self.both(former, timeLimit, start, first: writeMain, second: writeCache)
        }
    }

    /// Writes to two sources, and restores the former state of the first source if the second write fails.
    private static func both<Value: Sendable, First>(
        _ former: Future<FormerState<First>>,
        _ timeLimit: SourceTimeLimit,
        _ start: WriteStart,
        first: @escaping @Sendable () -> Future<Value>,
        second: @escaping @Sendable () -> Future<Value>
    ) -> Future<Value> {
        former.map { Result.success($0) }.recover { Future(.failure($0)) }.flatMap { former in
            start.begin()
            return first().flatMap { _ in
                second().recover { error in
                    let undone: Future<Void> =
                        switch former {
                        case .success(let former): timeLimit.writing(former.restore())
                        case .failure(let unknown): Future(error: unknown)
                        }
                    return undone.mapError { undoError in
                        RepositoryError(
                            .sourcesDiffer,
                            "The main source and the cache hold different values because only one of them could be written and that write could not be undone. Write the value again.",
                            underlying: error,
                            undoError: undoError
                        )
                    }.flatMap { _ in throw error }
                }
            }
        }
    }

    /// Performs a write and prevents concurrent reads of the same keys from filling the cache.
    ///
    /// `write` calls `begin()` on its argument before it writes to the first source. If `touchesCache` is `true` and the outcome of the
    /// write is unknown, the selected values are deleted from the cache before the returned future settles.
    private func overtakingReads<Value: Sendable>(
        of query: any Sendable,
        touchesCache: Bool,
        _ write: (WriteStart) -> Future<Value>
    ) -> Future<Value> {
        let writing = versions.beginWrite(to: Self.selection(of: query))
        let start = WriteStart()
        let written = write(start)
        guard touchesCache else { return written.onCompletion { writing.end() } }
        let result = PendingFuture<Value>()
        let (cache, isOutcomeUnknown, timeLimit) = (cache, isOutcomeUnknown, timeLimit)
        // Also runs if `result` is cancelled, with a `CancellationError` as the outcome.
        written.forward { outcome, deliveries in
            guard case .failure(let failure) = outcome, start.hasBegun, isOutcomeUnknown(failure.error) else {
                writing.end()
                result.settle(outcome, &deliveries)
                return
            }
            let invalidated = narrowed(query, for: Cache.self) { cache.delete($0) }
            timeLimit.writing(invalidated).forward { invalidation, deliveries in
                if case .failure(let failure) = invalidation { Self.reportNotInvalidated(query, failure.takeError()) }
                writing.end()
                result.settle(outcome, &deliveries)
            }
        }
        result.onCancel { written.cancel(&$0) }
        return Future(storage: .pending(result)).withoutPending
    }

    static func reportNotInvalidated(_ query: any Sendable, _ error: any Error) {
        let key: String? = if case .key(let key)? = selection(of: query) { key } else { nil }
        IssueChannel.shared.report(
            LarderIssue(
                .degraded,
                "The cache may return stale values because they could not be deleted after a write. Delete these values from the cache.",
                key: key,
                underlying: error
            )
        )
    }
}

/// A thread-safe flag that records whether a write to the first source has started.
private final class WriteStart: Sendable {
    private let isBegun = Atomic(false)

    var hasBegun: Bool { isBegun.load(ordering: .acquiring) }

    func begin() { isBegun.store(true, ordering: .releasing) }
}

extension CacheRepository: DeleteRepository {
    /// Deletes values from the sources that an operation selects.
    ///
    /// - Parameters:
    ///   - query: The query that selects the values.
    ///   - operation: The operation that selects which sources delete the values, and in which order. ``RepositoryOperation/standard`` is
    ///     the same as ``RepositoryOperation/mainSync``.
    /// - Returns: A future that settles when the values are deleted. If the first source fails, the second source is not called. If the
    ///   second source fails, call this method again.
    @discardableResult
    public func delete(_ query: Main.DeleteQuery, operation: RepositoryOperation) -> Future<Void> {
        let (main, cache, timeLimit) = (main, cache, timeLimit)
        @Sendable func deleteFromCache() -> Future<Void> {
            timeLimit.writing(narrowed(query, for: Cache.self) { cache.delete($0) })
        }
        @Sendable func deleteFromMain() -> Future<Void> { timeLimit.writing(main.delete(query)) }
        switch operation.kind {
        case .other: return Future(error: operation.notSupported)
        case .main: return overtakingReads(of: query, touchesCache: false) { _ in deleteFromMain() }
        case .cache: return overtakingReads(of: query, touchesCache: false) { _ in deleteFromCache() }
        default: break
        }
        guard query is Cache.DeleteQuery else { return deleteFromCache() }
        return overtakingReads(of: query, touchesCache: true) { start in
            start.begin()
            if case .cacheSync = operation.kind { return deleteFromCache().flatMap { deleteFromMain() } }
            return deleteFromMain().flatMap { deleteFromCache() }
        }
    }
}
