import Foundation
public import LarderCore
import Synchronization

/// A data source that caches the values of another source in memory.
///
/// Writes go to the source first. If a key is written while it is being read, the value that was read is not cached. The size of the cache
/// is limited. The cache evicts expired entries and the least recently used ones. Expiry is checked at each read with a monotonic clock.
/// Only the results of queries for a single key are cached. Other queries always call the source.
///
/// **Time limit.** A call to the source that takes longer than 60 seconds (by default) fails. A read fails with
/// ``FutureError/Code/timedOut``, and a write fails with ``FutureError/Code/mayHaveHappened``. In both cases nothing is cached. Each read
/// calls the source independently, so an unanswered read does not delay later reads.
public final class TimedCacheDataSource<Source: GetDataSource & PutDataSource & DeleteDataSource>: Sendable {
    /// The limits on the age, the number and the size of cached values.
    public struct Bounds: Sendable {
        /// The time to live of a cached value.
        public let expiry: Duration
        /// The maximum number of cached keys.
        public let count: Int
        /// The maximum total size of all cached values, in bytes.
        public let bytes: Int
        /// A closure that returns the size of a value in bytes.
        let size: @Sendable (Source.T) -> Int

        /// Creates limits on the age, the number and the size of cached values.
        ///
        /// - Parameters:
        ///   - expiry: The time to live of a cached value.
        ///   - count: The maximum number of cached keys. By default, there is no maximum.
        ///   - bytes: The maximum total size of all cached values, in bytes. By default, there is no maximum.
        ///   - size: A closure that returns the size of a value in bytes. The default returns 1 for each value.
        public init(
            expiry: Duration = .seconds(300),
            count: Int = .max,
            bytes: Int = .max,
            size: @escaping @Sendable (Source.T) -> Int = { _ in 1 }
        ) {
            self.expiry = expiry
            self.count = count
            self.bytes = bytes
            self.size = size
        }
    }

    let source: Source
    private let bounds: Bounds
    private let time: any TimeSource
    let timeLimit: SourceTimeLimit
    private let memory = Mutex(CacheMemory<Source.T>())
    private let versions = WriteVersions()
    private let counts = CacheCounts()
    /// The source as a ``StampedDataSource``, or `nil` if the source does not conform to that protocol.
    private let stamping: Stamping<Source.T>?
    private let origin: StoredOrigin

    /// Creates a cache for the values of a source.
    ///
    /// - Parameters:
    ///   - source: The source that holds the values.
    ///   - bounds: The limits on the age, the number and the size of cached values.
    ///   - time: The clock that measures the age of cached values and the duration of calls.
    ///   - timeLimit: The timeout for each call to the source, or `nil` for no timeout.
    public init(
        _ source: Source,
        bounds: Bounds = Bounds(),
        time: any TimeSource = .system,
        timeLimit: Duration? = .seconds(60)
    ) {
        self.source = source
        self.bounds = bounds
        self.time = time
        self.timeLimit = SourceTimeLimit(limit: timeLimit, time: time)
        stamping = Stamping(source)
        origin = .of(source)
    }

    /// The number of cached keys, including expired ones.
    public var count: Int { memory.withLock(\.count) }

    /// The numbers that inspection tools display.
    var inspectionStatistics: [InspectionStatistic] {
        let now = time.monotonic
        // Reads wait for the lock, so the times are sorted outside.
        let (count, bytes, times) = memory.withLock { ($0.count, $0.bytes, $0.writingTimes) }
        var statistics = counts.statistics
        statistics.append(InspectionStatistic("held values", Double(count)))
        statistics.append(InspectionStatistic("size by the bounds", Double(bytes)))
        let ages = times.map { (now - $0) / .seconds(1) }.sorted()
        if let oldest = ages.last {
            statistics.append(InspectionStatistic("age, median", ages[(ages.count - 1) / 2], .gauge, .seconds))
            statistics.append(InspectionStatistic("age, oldest", oldest, .gauge, .seconds))
        }
        return statistics
    }

    /// Removes all values from the cache.
    ///
    /// Values in the underlying source are not affected.
    public func removeAll() { _ = memory.withLock { $0.removeAll() } }
}

extension TimedCacheDataSource: StampedDataSource {
    /// Returns a value from the cache, or from the underlying source if no unexpired value is cached.
    public func get(_ query: Source.GetQuery) -> Future<Source.T> {
        getStored(query).map { try $0.valueUnlessExpired() }
    }

    /// Returns a list from the cache, or from the underlying source if no unexpired list is cached.
    public func getAll(_ query: Source.GetAllQuery) -> Future<[Source.T]> {
        getAllStored(query).map { try $0.valueUnlessExpired() }
    }

    /// Returns a value with its origin and age from the cache, or from the underlying source if no unexpired value is cached.
    ///
    /// - Parameter query: The query that selects the value.
    /// - Returns: A future that settles with the value. Its origin is ``StoredOrigin/memory`` or the origin that the source reports. Its
    ///   age is known if the source records ages or if the value was written through this cache. A value that has expired in the source is
    ///   returned, but not cached.
    public func getStored(_ query: Source.GetQuery) -> Future<Stored<Source.T>> {
        read(query, { if case .value(let value) = $0 { value } else { nil } }, { .value($0) }) {
            source.get(query)
        } stamped: {
            $0.getStored($1)
        }
    }

    /// Returns a list with its origin and age from the cache, or from the underlying source if no unexpired list is cached.
    ///
    /// - Parameter query: The query that selects the list.
    /// - Returns: A future that settles with the list; see ``getStored(_:)``.
    public func getAllStored(_ query: Source.GetAllQuery) -> Future<Stored<[Source.T]>> {
        read(query, { if case .list(let list) = $0 { list } else { nil } }, { .list($0) }) {
            source.getAll(query)
        } stamped: {
            $0.getAllStored($1)
        }
    }

    /// Records in the underlying source that no value exists for `query`.
    ///
    /// Has no effect if the underlying source does not record ages.
    @discardableResult
    public func noteMissing(_ query: any StoreQuery, asList: Bool) -> Future<Void> {
        guard let stamping else { return Future(()) }
        return changing(query, { nil }) { stamping.noteMissing(query, asList) }
    }

    /// Returns whether the underlying source has recorded that no value exists for `query`.
    public func isKnownMissing(_ query: any StoreQuery, asList: Bool) -> Future<Bool> {
        guard let stamping else { return Future(false) }
        return timeLimit.reading(stamping.isKnownMissing(query, asList))
    }

    private func read<Value>(
        _ query: Any,
        _ value: (Held<Source.T>) -> Value?,
        _ held: @escaping @Sendable (Value) -> Held<Source.T>,
        plain: () -> Future<Value>,
        stamped: (Stamping<Source.T>, any Query) -> Future<Stored<Value>>
    ) -> Future<Stored<Value>> {
        let now = time.monotonic
        let name: String? = if case .key(let name)? = Self.selection(of: query) { name } else { nil }
        if let name, let recalled = memory.withLock({ $0.recall(StoreKey(name), at: now) }).fresh,
            let value = value(recalled.held)
        {
            counts.noteHit()
            let age = recalled.written.map { now - $0 }
            return Future(Stored(value, origin: .memory, age: age, expiry: recalled.sourceExpiry))
        }
        // Queries for several keys are never cached.
        if name != nil { counts.noteMiss() }
        let stamp = name.map { versions.stamp(of: .key($0)) }
        let asked: Future<Stored<Value>> =
            if let stamping, let query = query as? any Query {
                stamped(stamping, query)
            } else {
                plain().map { [origin] in Stored($0, origin: origin) }
            }
        let answer = timeLimit.reading(asked)
        guard let name, let stamp else { return answer }
        return answer.filter { [weak self] stored in
            guard !stored.isExpired else { return }
            // If the key was written during the read, the source's answer may be outdated.
            self?.remember(held(stored.value), StoreKey(name), of: stored) { $0.isUndisturbed(since: stamp) }
        }
    }

    /// Caches a value if `holds` returns `true`.
    ///
    /// `holds` runs under the cache's lock, which each write also acquires after registering its start.
    private func remember<Value>(
        _ held: Held<Source.T>,
        _ key: StoreKey,
        of stored: Stored<Value>,
        if holds: (WriteVersions) -> Bool
    ) {
        let size =
            switch held {
            case .value(let value): max(0, bounds.size(value))
            case .list(let list): list.reduce(0) { $0.addingSaturated(max(0, bounds.size($1))) }
            }
        let now = time.monotonic
        // A value with an expiry date is not cached beyond that date.
        let limit = stored.expiry.map { Duration.seconds($0.timeIntervalSince(time.now)) } ?? bounds.expiry
        let entry = CacheMemory<Source.T>.Entry(
            key: key,
            held: held,
            size: size,
            expiry: now + min(bounds.expiry, limit),
            written: stored.age.map { now - $0 },
            sourceExpiry: stored.expiry
        )
        let forgotten = memory.withLock { memory in
            holds(versions) ? memory.remember(entry, at: now, count: bounds.count, bytes: bounds.bytes) : []
        }
        withExtendedLifetime(forgotten) {}
    }

    /// Returns the keys that a query selects, or `nil` if the query does not select keys.
    private static func selection(of query: Any) -> StoreSelection? { (query as? any StoreQuery)?.selection }
}

extension Int {
    /// Returns the sum of this number and `other`, or `Int.max` on overflow.
    fileprivate func addingSaturated(_ other: Int) -> Int {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}

extension TimedCacheDataSource: PutDataSource, DeleteDataSource {
    /// Writes a value to the underlying source, then to the cache.
    ///
    /// After two concurrent writes to one key, neither value is cached, because the order of the writes in the source is unknown.
    @discardableResult
    public func put(_ value: Source.T?, in query: Source.PutQuery) -> Future<Source.T> {
        changing(query, { .value($0) }) { source.put(value, in: query) }
    }

    /// Writes a list to the underlying source, then to the cache.
    @discardableResult
    public func putAll(_ values: [Source.T], in query: Source.PutAllQuery) -> Future<[Source.T]> {
        changing(query, { .list($0) }) { source.putAll(values, in: query) }
    }

    /// Deletes values from the cache and from the underlying source.
    @discardableResult
    public func delete(_ query: Source.DeleteQuery) -> Future<Void> {
        changing(query, { nil }) { source.delete(query) }
    }

    /// Evicts the keys that a write selects, performs the write, and caches its result.
    ///
    /// Reads of these keys are not cached until the write ends, so a write that fails halfway leaves no stale value in the cache.
    func changing<Value: Sendable>(
        _ query: Any,
        _ held: @escaping @Sendable (Value) -> Held<Source.T>?,
        _ change: () -> Future<Value>
    ) -> Future<Value> {
        let selection = Self.selection(of: query)
        let write = versions.beginWrite(to: selection)
        let (forgotten, former) = memory.withLock { memory -> ([CacheMemory<Source.T>.Entry], CacheMemory<Source.T>?) in
            switch selection {
            case .key(let key)?: ([memory.forget(StoreKey(key))].compactMap(\.self), nil)
            case .keys(let keys)?: (keys.compactMap { memory.forget(StoreKey($0)) }, nil)
            case .all?, nil: ([], memory.removeAll())
            }
        }
        withExtendedLifetime((forgotten, former)) {}
        return timeLimit.writing(change()).filter { [weak self] value in
            // A source that records ages may set an expiry date for the value, so the value is cached only when it is read.
            guard self?.stamping == nil, case .key(let key)? = selection, let held = held(value) else { return }
            let written = Stored(value, origin: .memory, age: .zero)
            self?.remember(held, StoreKey(key), of: written) { _ in write.isAlone }
        }.onCompletion { write.end() }
    }
}
