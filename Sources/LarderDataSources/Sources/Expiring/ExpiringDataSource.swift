import Foundation
public import LarderCore

/// How long what a cache holds may be used.
public struct CacheLifetime: Sendable {
    let fresh: Duration?
    let missing: Duration
    let jitter: Double
    let random: @Sendable () -> Double

    /// How long values may be used.
    ///
    /// - Parameters:
    ///   - fresh: Since they were written; `nil` without end.
    ///   - missing: How long it is remembered that there is no such value; zero does not remember it.
    ///   - jitter: By which part of `fresh`, at most, each value expires earlier, so that what was written together is not fetched
    ///     together again: from 0 to 1.
    ///   - random: A number from 0 up to 1, excluded; for tests.
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

/// A source whose values expire, over any source: how old each is and until when it may be used is kept beside it.
///
/// What has expired stays where it is, and is `CoreError.NotValid` to `get` and `getAll`; ``getStored(_:)`` returns it all the same. A
/// value of which nothing is known, such as one that was written before, counts as expired.
///
/// The value is written first and its stamp then: after a crash between the two a value may count as older than it is, never as younger.
/// A stamp that can't be written is reported as a `LarderIssue`, with the same effect. Expiry is checked at every read.
///
/// What is noted of missing values is deleted once it has expired: when it is asked for again, by a read of everything, and by
/// ``removeExpired()``. Call the last now and then where many keys are asked for in vain, each once.
///
/// Only queries for keys, or everything, have stamps; others go through.
public struct ExpiringDataSource<Source: GetDataSource & PutDataSource & DeleteDataSource>: Sendable {
    private let source: Source
    private let lifetime: CacheLifetime
    private let stamps: AnyDataSource<CacheStamp>
    private let time: any TimeSource
    /// Where the values are.
    private let origin: StoredOrigin

    /// A source whose values expire.
    ///
    /// - Parameters:
    ///   - source: Where the values are.
    ///   - lifetime: How long they may be used.
    ///   - stamps: Where it is noted how old they are.
    ///   - time: Says how late it is; expiry goes by the wall clock, since it has to outlive the process.
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

    /// Deletes every value that has expired, and what is noted of missing ones whose time is over.
    ///
    /// Values without a stamp stay. One that is written at this very moment may go with the expired one.
    ///
    /// - Returns: How many values were deleted.
    @discardableResult
    public func removeExpired() -> Future<Int> where Source.DeleteQuery == any StorageQuery {
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
    /// Reads one value; `CoreError.NotValid` when it has expired.
    public func get(_ query: Source.GetQuery) -> Future<Source.T> {
        getStored(query).map { try $0.valueUnlessExpired() }
    }

    /// Reads a list; `CoreError.NotValid` when it, or one of several values, has expired.
    public func getAll(_ query: Source.GetAllQuery) -> Future<[Source.T]> {
        getAllStored(query).map { try $0.valueUnlessExpired() }
    }

    /// Reads one value, expired or not, with its age.
    public func getStored(_ query: Source.GetQuery) -> Future<Stored<Source.T>> {
        source.get(query).flatMap { value in stamp(of: query, isList: false).map { describe(value, $0) } }
    }

    /// Reads a list, expired or not, with its age.
    public func getAllStored(_ query: Source.GetAllQuery) -> Future<Stored<[Source.T]>> {
        source.getAll(query).flatMap { values in
            if values.isEmpty, Self.selection(of: query) == .all { return Future(Stored(values, origin: origin)) }
            return stamp(of: query, isList: true).map { describe(values, $0) }
        }
    }

    /// Deletes a value or list, and notes that it is not to be had; see ``CacheLifetime``.
    @discardableResult
    public func noteMissing(_ query: any StorageQuery, asList: Bool) -> Future<Void> {
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

    /// Whether it is noted that there is no such value, and not too long ago.
    public func isKnownMissing(_ query: any StorageQuery, asList: Bool) -> Future<Bool> {
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
    /// Writes one value, then its stamp.
    @discardableResult
    public func put(_ value: Source.T?, in query: Source.PutQuery) -> Future<Source.T> {
        source.put(value, in: query).flatMap { value in written(query, isList: false).map { value } }
    }

    /// Writes a list, then its stamp, or one for each of several values.
    @discardableResult
    public func putAll(_ values: [Source.T], in query: Source.PutAllQuery) -> Future<[Source.T]> {
        source.putAll(values, in: query).flatMap { values in written(query, isList: true).map { values } }
    }

    /// Deletes values, then their stamps.
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
    /// Changes one value in one step, expired or not, then its stamp.
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
    /// Every single value with its key, expired ones included.
    public func entries() -> Future<[DataSourceEntry<Source.T>]> { source.entries() }
}

extension ExpiringDataSource: ObservableDataSource where Source: ObservableDataSource {
    /// What changes from now on in the source; that a value expires is no change.
    public func changes(for query: any StorageQuery) throws -> DataSourceChanges<Source.T> {
        try source.changes(for: query)
    }
}

// MARK: - Stamps

extension ExpiringDataSource {
    /// The stamps that count for a query: of one key its own, of several keys the one that ends first.
    private enum Known: Sendable {
        /// Queries that have none.
        case notStamped
        /// A value of which nothing is known.
        case unknown
        case stamp(CacheStamp)
    }

    private static func selection(of query: Any) -> StorageSelection? { (query as? any StorageQuery)?.selection }

    private func stamp(of query: Any, isList: Bool) -> Future<Known> {
        switch Self.selection(of: query) {
        case nil: return Future(.notStamped)
        case .key(let key)?: return stamp(key, isList: isList)
        case .keys(let keys)?: return Future.batch(keys.map { stamp($0, isList: false) }).map(Self.oldest)
        case .all?:
            let now = time.now
            return stamps.entries().flatMap { entries in
                let oldest = Self.oldest(entries.map(\.value).filter { !$0.isMissing }.map { .stamp($0) })
                // Each was read, and this may be the only read that ever meets them again.
                let over = entries.filter { $0.value.isMissing && $0.value.isExpired(at: now) }.map(\.key)
                return over.isEmpty ? Future(oldest) : deleteStamps(over).map { oldest }
            }
        }
    }

    private func stamp(_ key: String, isList: Bool) -> Future<Known> {
        stamps.get(StringKeyQuery(CacheStamp.name(of: key, isList: isList)))
            // What says that a value is missing says nothing of the value that is there.
            .map { $0.isMissing || !$0.key.utf8.elementsEqual(key.utf8) ? .unknown : .stamp($0) }
            .recover { error in
                // A stamp that can't be read is as good as none.
                if !(error is CoreError.NotFound) { report("read", error) }
                return Future(.unknown)
            }
    }

    /// The stamp that ends first; unknown when one is.
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

    /// A stamp that could not be written or deleted does not undo what happened to the value.
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
                "The age of a cached value could not be \(verb): the value counts as older than it is.",
                underlying: error
            )
        )
    }
}

extension ExpiringDataSource: PlacedDataSource {
    /// Where the source behind it has its values.
    public var storedOrigin: StoredOrigin { origin }
}
