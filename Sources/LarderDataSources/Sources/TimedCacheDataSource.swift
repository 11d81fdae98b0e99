import Foundation
public import LarderCore
import Synchronization

/// A memory in front of a source: what was read or written lately is not asked for again until it expires.
///
/// Every write goes through to the source first; a read that a write overtakes is not remembered. The memory is bounded: what was used least recently goes first, and goes too
/// once it has expired. Expiry is checked at every read, by a clock that never runs backwards. Only queries for one key are remembered; others go through.
///
/// **A source that does not answer** is given up after a time limit, 60 seconds for each call unless told. A read then fails with
/// ``FutureError/Code/timedOut``, a write with ``FutureError/Code/mayHaveHappened``, and nothing is remembered of either. Each read asks
/// the source for itself, so one that is not answered does not hold up later readers.
public final class TimedCacheDataSource<Source: GetDataSource & PutDataSource & DeleteDataSource>: Sendable {
    /// How much is remembered, and how long.
    public struct Bounds: Sendable {
        /// How long a value may be used.
        public let expiry: Duration
        /// How many keys are remembered at most.
        public let count: Int
        /// How many bytes the values may have together.
        public let bytes: Int
        /// How many bytes a value counts for.
        let size: @Sendable (Source.T) -> Int

        /// Bounds.
        ///
        /// - Parameters:
        ///   - expiry: How long a value may be used.
        ///   - count: How many keys are remembered at most; any number of those used within their expiry unless given.
        ///   - bytes: How many bytes the values may have together.
        ///   - size: How many bytes a value counts for; one unless given.
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
    /// Set when the source knows how old its values are.
    private let stamping: Stamping<Source.T>?
    /// Where the source has its values.
    private let origin: StoredOrigin

    /// A memory in front of a source.
    ///
    /// - Parameters:
    ///   - source: What is asked when nothing is remembered.
    ///   - bounds: How much is remembered, and how long.
    ///   - time: What the expiry and the time limit are measured with.
    ///   - timeLimit: How long one call of the source may take; `nil` for as long as it takes.
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

    /// How many keys are remembered now, expired ones included.
    public var count: Int { memory.withLock(\.count) }

    /// Forgets everything; the source keeps it.
    public func forgetAll() { _ = memory.withLock { $0.forgetAll() } }
}

extension TimedCacheDataSource: StampedDataSource {
    /// Reads one value, from memory while it is fresh.
    public func get(_ query: Source.GetQuery) -> Future<Source.T> {
        getStored(query).map { try $0.valueUnlessExpired() }
    }

    /// Reads a list, from memory while it is fresh.
    public func getAll(_ query: Source.GetAllQuery) -> Future<[Source.T]> {
        getAllStored(query).map { try $0.valueUnlessExpired() }
    }

    /// Reads one value, from memory while it is fresh, and says which of the two it was.
    ///
    /// - Parameter query: Says which.
    /// - Returns: The value, of ``StoredOrigin/memory`` or where the source has it. Its age is known when the source knows it, or when
    ///   the value was written here. What has expired in the source is returned all the same, and not remembered.
    public func getStored(_ query: Source.GetQuery) -> Future<Stored<Source.T>> {
        read(query, { if case .value(let value) = $0 { value } else { nil } }, { .value($0) }) {
            source.get(query)
        } stamped: {
            $0.getStored($1)
        }
    }

    /// Reads a list, from memory while it is fresh, and says which of the two it was.
    ///
    /// - Parameter query: Says which.
    /// - Returns: The list; see ``getStored(_:)``.
    public func getAllStored(_ query: Source.GetAllQuery) -> Future<Stored<[Source.T]>> {
        read(query, { if case .list(let list) = $0 { list } else { nil } }, { .list($0) }) {
            source.getAll(query)
        } stamped: {
            $0.getAllStored($1)
        }
    }

    /// Notes in the source that there is no such value, if it remembers such things; else nothing is done.
    @discardableResult
    public func noteMissing(_ query: any StorageQuery, asList: Bool) -> Future<Void> {
        guard let stamping else { return Future(()) }
        return changing(query, { nil }) { stamping.noteMissing(query, asList) }
    }

    /// Whether the source remembers that there is no such value.
    public func isKnownMissing(_ query: any StorageQuery, asList: Bool) -> Future<Bool> {
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
            let age = recalled.written.map { now - $0 }
            return Future(Stored(value, origin: .memory, age: age, expiry: recalled.lastUse))
        }
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
            // What was written while the source was being read is newer than what it answered.
            self?.remember(held(stored.value), StoreKey(name), of: stored) { $0.isUndisturbed(since: stamp) }
        }
    }

    /// Remembers what still holds under the memory's lock: a write says that it begins before it takes that lock to forget.
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
        // A value that comes with its expiry is remembered no longer than that.
        let limit = stored.expiry.map { Duration.seconds($0.timeIntervalSince(time.now)) } ?? bounds.expiry
        let entry = CacheMemory<Source.T>.Entry(
            key: key,
            held: held,
            size: size,
            expiry: now + min(bounds.expiry, limit),
            written: stored.age.map { now - $0 },
            lastUse: stored.expiry
        )
        let forgotten = memory.withLock { memory in
            holds(versions) ? memory.remember(entry, at: now, count: bounds.count, bytes: bounds.bytes) : []
        }
        withExtendedLifetime(forgotten) {}
    }

    /// The keys that a query names, if it is known which.
    private static func selection(of query: Any) -> StorageSelection? { (query as? any StorageQuery)?.selection }
}

extension Int {
    /// The sum, or the largest number there is.
    fileprivate func addingSaturated(_ other: Int) -> Int {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}

extension TimedCacheDataSource: PutDataSource, DeleteDataSource {
    /// Writes one value to the source, then to memory.
    ///
    /// Of two writes to one key that are under way at once neither is remembered: the source alone knows which came last.
    @discardableResult
    public func put(_ value: Source.T?, in query: Source.PutQuery) -> Future<Source.T> {
        changing(query, { .value($0) }) { source.put(value, in: query) }
    }

    /// Writes a list to the source, then to memory.
    @discardableResult
    public func putAll(_ values: [Source.T], in query: Source.PutAllQuery) -> Future<[Source.T]> {
        changing(query, { .list($0) }) { source.putAll(values, in: query) }
    }

    /// Deletes from memory and from the source.
    @discardableResult
    public func delete(_ query: Source.DeleteQuery) -> Future<Void> {
        changing(query, { nil }) { source.delete(query) }
    }

    /// Forgets what a write may change before it begins, and remembers what came of it.
    ///
    /// Until it ends no read of the same keys is remembered: when it fails halfway, nobody is told an old value.
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
            case .all?, nil: ([], memory.forgetAll())
            }
        }
        withExtendedLifetime((forgotten, former)) {}
        return timeLimit.writing(change()).filter { [weak self] value in
            // What comes with its expiry is remembered when it is read.
            guard self?.stamping == nil, case .key(let key)? = selection, let held = held(value) else { return }
            let written = Stored(value, origin: .memory, age: .zero)
            self?.remember(held, StoreKey(key), of: written) { _ in write.isAlone }
        }.onCompletion { write.end() }
    }
}
