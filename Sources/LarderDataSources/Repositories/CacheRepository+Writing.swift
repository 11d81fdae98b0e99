import LarderCore
import Synchronization

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
        let (main, cache, timeLimit) = (main, cache, timeLimit)
        let writeMain = { @Sendable in timeLimit.writing(writeMain()) }
        let writeCache = { @Sendable in timeLimit.writing(writeCache()) }
        if case .other = operation.kind { return Future(error: operation.notSupported) }
        if case .main = operation.kind { return overtakingReads(of: query, touchesCache: false) { _ in writeMain() } }
        guard cacheTakes else {
            return Future(
                error: CoreError.QueryNotSupported("The cache, a \(Cache.self), does not take a \(type(of: query)).")
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

    /// Writes to both; when the second fails, the first is given back what it held, read beforehand.
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
                            "The second source failed and what the first one was told could not be undone: write again.",
                            underlying: error,
                            undoError: undoError
                        )
                    }.flatMap { _ in throw error }
                }
            }
        }
    }

    /// Carries out a write.
    ///
    /// Reads of the same keys that are under way leave the cache alone from now on.
    ///
    /// - Parameters:
    ///   - query: Says which keys.
    ///   - touchesCache: Whether the cache is to hold what the main source does: if the outcome is unknown, it is invalidated.
    ///   - write: Says through its argument when the first source is told to write.
    /// - Returns: The outcome of the write, once the cache is invalidated where it has to be.
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
        // Called with the `CancellationError` when `result` is cancelled.
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
                "What the cache holds under the keys of a write could not be deleted: it may be older than what the main source holds. Delete it from the cache.",
                key: key,
                underlying: error
            )
        )
    }
}

/// Whether a write has reached the first of its sources.
private final class WriteStart: Sendable {
    private let isBegun = Atomic(false)

    var hasBegun: Bool { isBegun.load(ordering: .acquiring) }

    func begin() { isBegun.store(true, ordering: .releasing) }
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
