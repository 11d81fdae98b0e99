import Foundation
public import LarderCore

/// The expiration settings of an ``ExpiringDataSource``.
public struct CacheLifetime: Sendable {
    let fresh: Duration?
    let missing: Duration
    let jitter: Double
    let random: @Sendable () -> Double

    /// Creates expiration settings for values and for records of missing values.
    ///
    /// - Parameters:
    ///   - fresh: The time to live of a value, measured from its write, or `nil` if values never expire.
    ///   - missing: The duration for which a value is recorded as missing. If it is zero, missing values are not recorded.
    ///   - jitter: The maximum fraction of `fresh`, from 0 to 1, by which a value expires early. The fraction is random for each value, so
    ///     that values written together don't expire together.
    ///   - random: A closure that returns a number from 0 up to but not including 1. Tests can pass their own generator.
    public init(
        fresh: Duration?,
        missing: Duration = .zero,
        jitter: Double = 0,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.fresh = fresh
        self.missing = missing
        self.jitter = min(max(jitter, 0), 1)
        self.random = random
    }
}

/// A data source whose values expire.
///
/// The source stores a timestamp for each value, with the date of the write and the expiry date.
///
/// Expired values are kept. `get` and `getAll` fail with `CoreError.NotValid` for expired values, and ``getStored(_:)`` returns them. A
/// value without a timestamp is treated as expired, for example a value that was written before the source was wrapped.
///
/// A value is written before its timestamp. After a crash between the two writes, a value can appear older than it is, but never newer. If
/// a timestamp can't be written, the effect is the same and a `LarderIssue` is reported.
///
/// Expired records of missing values are deleted when they are read again, by a read of all values, and by ``removeExpired()``. Call
/// ``removeExpired()`` from time to time if many missing keys are read only once.
///
/// Values expire only for queries that select keys or all values. Other queries are forwarded to the underlying source.
public struct ExpiringDataSource<Source: GetDataSource & PutDataSource & DeleteDataSource>: Sendable {
    private let source: Source
    private let lifetime: CacheLifetime
    private let stamps: AnyDataSource<CacheStamp>
    private let time: any TimeSource
    private let origin: StoredOrigin

    /// Creates a source whose values expire.
    ///
    /// - Parameters:
    ///   - source: The source that holds the values.
    ///   - lifetime: The expiration settings.
    ///   - stamps: The storage for the timestamps.
    ///   - time: The clock that provides the current date. Expiry uses wall-clock time, so that expiry dates outlive the process.
    public init(
        _ source: Source,
        lifetime: CacheLifetime,
        stamps: CacheStamps = .memory,
        time: any TimeSource = .system
    ) {
        self.source = source
        self.lifetime = lifetime
        self.stamps = stamps.source
        self.time = time
        origin = .of(source)
    }

    /// Deletes all expired values and all expired records of missing values.
    ///
    /// Values without a timestamp are kept. A value that is written concurrently may be deleted instead of the expired value.
    ///
    /// - Returns: A future that settles with the number of deleted values.
    @discardableResult
    public func removeExpired() -> Future<Int> where Source.DeleteQuery == any StoreQuery {
        let now = time.now
        return stamps.entries().map { entries in entries.filter { $0.value.isExpired(at: now) } }
            .flatMap { [source, stamps] expired in
                let values = expired.filter { !$0.value.isMissing }
                let deletions = expired.map { entry -> Future<Void> in
                    let value = entry.value.isMissing ? Future(()) : source.delete(StringKeyQuery(entry.value.key))
                    return value.flatMap { stamps.delete(StringKeyQuery(entry.key)) }
                }
                return Future.batch(deletions).map { _ in values.count }
            }
    }
}

extension ExpiringDataSource: StampedDataSource {
    /// Reads a value that has not expired.
    ///
    /// Fails with `CoreError.NotValid` if the value has expired.
    public func get(_ query: Source.GetQuery) -> Future<Source.T> {
        getStored(query).map { try $0.valueUnlessExpired() }
    }

    /// Reads a list that has not expired.
    ///
    /// Fails with `CoreError.NotValid` if the list or one of its values has expired.
    public func getAll(_ query: Source.GetAllQuery) -> Future<[Source.T]> {
        getAllStored(query).map { try $0.valueUnlessExpired() }
    }

    /// Reads a value with its age, whether or not it has expired.
    public func getStored(_ query: Source.GetQuery) -> Future<Stored<Source.T>> {
        source.get(query).flatMap { value in stamp(of: query, isList: false).map { describe(value, $0) } }
    }

    /// Reads a list with its age, whether or not it has expired.
    public func getAllStored(_ query: Source.GetAllQuery) -> Future<Stored<[Source.T]>> {
        source.getAll(query).flatMap { values in
            if values.isEmpty, Self.selection(of: query) == .all { return Future(Stored(values, origin: origin)) }
            return stamp(of: query, isList: true).map { describe(values, $0) }
        }
    }

    /// Deletes the value or list under a key, and records it as missing for the duration that ``CacheLifetime`` specifies.
    @discardableResult
    public func noteMissing(_ query: any StoreQuery, asList: Bool) -> Future<Void> {
        guard case .key(let key) = query.selection else { return Future(()) }
        let deleted = narrowed(query, for: Source.self) { source.delete($0) }
        guard lifetime.missing > .zero else { return deleted.flatMap { forget([key]) } }
        let now = time.now
        let stamp = CacheStamp(
            key: key,
            isList: asList,
            writtenAt: now,
            expiry: now + lifetime.missing.seconds,
            isMissing: true
        )
        return deleted.flatMap { forget([key]) }.flatMap { keep([stamp]) }
    }

    /// Returns whether the value is recorded as missing and the record has not expired.
    public func isKnownMissing(_ query: any StoreQuery, asList: Bool) -> Future<Bool> {
        guard case .key(let key) = query.selection else { return Future(false) }
        let now = time.now
        let name = CacheStamp.name(of: key, isList: asList)
        return stamps.get(StringKeyQuery(name))
            .flatMap { stamp in
                guard stamp.isMissing, stamp.isExpired(at: now) else { return Future(stamp.isMissing) }
                return deleteStamps([name]).map { false }
            }
            .recover(if: CoreError.NotFound.self) { _ in Future(false) }
    }
}

extension ExpiringDataSource: PutDataSource, DeleteDataSource {
    /// Writes a value, then its timestamp.
    @discardableResult
    public func put(_ value: Source.T?, in query: Source.PutQuery) -> Future<Source.T> {
        source.put(value, in: query).flatMap { value in written(query, isList: false).map { value } }
    }

    /// Writes a list, or the values of several keys, and then their timestamps.
    @discardableResult
    public func putAll(_ values: [Source.T], in query: Source.PutAllQuery) -> Future<[Source.T]> {
        source.putAll(values, in: query).flatMap { values in written(query, isList: true).map { values } }
    }

    /// Deletes values, then their timestamps.
    @discardableResult
    public func delete(_ query: Source.DeleteQuery) -> Future<Void> {
        source.delete(query).flatMap {
            switch Self.selection(of: query) {
            case .key(let key)?: forget([key])
            case .keys(let keys)?: forget(keys)
            case .all?: reported(stamps.delete(AllObjectsQuery()))
            case nil: Future(())
            }
        }
    }
}

extension ExpiringDataSource: UpdateDataSource where Source: UpdateDataSource {
    /// Updates a value atomically, even if the value has expired, and then writes its timestamp.
    @discardableResult
    public func update(
        _ query: Source.UpdateQuery,
        _ change: @escaping @Sendable (inout Source.T?) throws -> Void
    ) -> Future<Source.T?> {
        source.update(query, change).flatMap { value in
            guard value != nil else {
                guard case .key(let key)? = Self.selection(of: query) else { return Future(nil) }
                return forget([key]).map { nil }
            }
            return written(query, isList: false).map { value }
        }
    }
}

extension ExpiringDataSource: EntriesDataSource where Source: EntriesDataSource {
    /// Returns all values except lists, with their keys, including expired values.
    public func entries() -> Future<[DataSourceEntry<Source.T>]> { source.entries() }
}

extension ExpiringDataSource: ObservableDataSource where Source: ObservableDataSource {
    /// Returns the changes that the underlying source reports.
    ///
    /// A value that expires is not reported as a change.
    public func changes(for query: any StoreQuery) throws -> DataSourceChanges<Source.T> {
        try source.changes(for: query)
    }
}

// MARK: - Stamps

extension ExpiringDataSource {
    /// The timestamp of the values that a query selects.
    ///
    /// If the query selects several keys, this is the timestamp of the value that expires first.
    private enum Known: Sendable {
        /// The query does not select keys, so no timestamps apply.
        case notStamped
        /// The value has no timestamp.
        case unknown
        case stamp(CacheStamp)
    }

    private static func selection(of query: Any) -> StoreSelection? { (query as? any StoreQuery)?.selection }

    private func stamp(of query: Any, isList: Bool) -> Future<Known> {
        switch Self.selection(of: query) {
        case nil: return Future(.notStamped)
        case .key(let key)?: return stamp(key, isList: isList)
        case .keys(let keys)?: return Future.batch(keys.map { stamp($0, isList: false) }).map(Self.oldest)
        case .all?:
            let now = time.now
            return stamps.entries().flatMap { entries in
                let oldest = Self.oldest(entries.map(\.value).filter { !$0.isMissing }.map { .stamp($0) })
                // Expired records are deleted here because they may never be read again.
                let over = entries.filter { $0.value.isMissing && $0.value.isExpired(at: now) }.map(\.key)
                return over.isEmpty ? Future(oldest) : deleteStamps(over).map { oldest }
            }
        }
    }

    private func stamp(_ key: String, isList: Bool) -> Future<Known> {
        stamps.get(StringKeyQuery(CacheStamp.name(of: key, isList: isList)))
            // A record of a missing value does not apply to a value that exists.
            .map { $0.isMissing || !$0.key.utf8.elementsEqual(key.utf8) ? .unknown : .stamp($0) }
            .recover { error in
                // An unreadable timestamp is treated as missing.
                if !(error is CoreError.NotFound) { report("read", error) }
                return Future(.unknown)
            }
    }

    /// Returns the timestamp of the value that expires first, or `unknown` if any value has no timestamp.
    @Sendable private static func oldest(_ known: [Known]) -> Known {
        var oldest: CacheStamp?
        for each in known {
            guard case .stamp(let stamp) = each else { return .unknown }
            let ends = (stamp.expiry ?? .distantFuture, stamp.writtenAt)
            if let first = oldest, (first.expiry ?? .distantFuture, first.writtenAt) <= ends { continue }
            oldest = stamp
        }
        return oldest.map { .stamp($0) } ?? .unknown
    }

    private func describe<Value>(_ value: Value, _ known: Known) -> Stored<Value> {
        let now = time.now
        return switch known {
        case .notStamped: Stored(value, origin: origin)
        case .unknown: Stored(value, origin: origin, isExpired: true)
        case .stamp(let stamp):
            Stored(
                value,
                origin: origin,
                age: stamp.age(at: now),
                expiry: stamp.expiry,
                isExpired: stamp.isExpired(at: now)
            )
        }
    }

    private func written(_ query: Any, isList: Bool) -> Future<Void> {
        let now = time.now
        func stamp(_ key: String, isList: Bool) -> CacheStamp {
            let lifetime = lifetime.fresh.map { $0.seconds * (1 - self.lifetime.jitter * self.lifetime.random()) }
            return CacheStamp(
                key: key,
                isList: isList,
                writtenAt: now,
                expiry: lifetime.map { now + $0 },
                isMissing: false
            )
        }
        switch Self.selection(of: query) {
        case .key(let key)?: return keep([stamp(key, isList: isList)])
        case .keys(let keys)?: return keep(keys.map { stamp($0, isList: false) })
        case .all?, nil: return Future(())
        }
    }

    private func keep(_ new: [CacheStamp]) -> Future<Void> {
        let names = new.map { CacheStamp.name(of: $0.key, isList: $0.isList) }
        if new.count == 1 {
            return reported(stamps.put(new[0], in: StringKeyQuery(names[0])).map { _ in })
        }
        return reported(Future.batch(zip(names, new).map { stamps.put($1, in: StringKeyQuery($0)) }).map { _ in })
    }

    private func forget(_ keys: [String]) -> Future<Void> {
        deleteStamps(keys.flatMap { [CacheStamp.name(of: $0, isList: false), CacheStamp.name(of: $0, isList: true)] })
    }

    private func deleteStamps(_ names: [String]) -> Future<Void> { reported(stamps.delete(IdsQuery(names))) }

    /// Reports a failure to write or delete a timestamp as an issue, so that the change to the value itself succeeds.
    private func reported(_ future: Future<Void>) -> Future<Void> {
        future.recover { error in
            report("written", error)
            return Future(())
        }
    }

    private func report(_ verb: String, _ error: any Error) {
        IssueChannel.shared.report(
            LarderIssue(
                .degraded,
                "The timestamp of a cached value could not be \(verb), so the value may be treated as expired. Read the value from its main source again.",
                underlying: error
            )
        )
    }
}

extension ExpiringDataSource: PlacedDataSource {
    /// The storage location of the values, as reported by the underlying source.
    public var storedOrigin: StoredOrigin { origin }
}
