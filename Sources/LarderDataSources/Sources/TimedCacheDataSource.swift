public import LarderCore
import Synchronization

/// A memory in front of a source: what was read or written lately is not asked for again until it expires.
///
/// Every write goes through to the source first. The memory is bounded: what was used least recently goes first. Expiry is
/// checked at every read, by a clock that never runs backwards. Only queries for one key are remembered; others go through.
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
        ///   - count: How many keys are remembered at most.
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
    private let memory = Mutex(CacheMemory<Source.T>())

    /// A memory in front of a source.
    ///
    /// - Parameters:
    ///   - source: What is asked when nothing is remembered.
    ///   - bounds: How much is remembered, and how long.
    ///   - time: What the expiry is measured with.
    public init(_ source: Source, bounds: Bounds = Bounds(), time: any TimeSource = .system) {
        self.source = source
        self.bounds = bounds
        self.time = time
    }

    /// How many keys are remembered now, expired ones included.
    public var count: Int { memory.withLock(\.count) }

    /// Forgets everything; the source keeps it.
    public func forgetAll() { memory.withLock { $0.forgetAll() } }
}

extension TimedCacheDataSource: GetDataSource {
    /// Reads one value, from memory while it is fresh.
    public func get(_ query: Source.GetQuery) -> Future<Source.T> {
        recalled(query, { if case .value(let value) = $0 { value } else { nil } }) { remember in
            let future = source.get(query)
            return remember.map { remember in future.filter { remember(.value($0)) } } ?? future
        }
    }

    /// Reads a list, from memory while it is fresh.
    public func getAll(_ query: Source.GetAllQuery) -> Future<[Source.T]> {
        recalled(query, { if case .list(let list) = $0 { list } else { nil } }) { remember in
            let future = source.getAll(query)
            return remember.map { remember in future.filter { remember(.list($0)) } } ?? future
        }
    }

    private func recalled<Value>(
        _ query: Any,
        _ value: (CacheMemory<Source.T>.Held) -> Value?,
        ask: ((@Sendable (CacheMemory<Source.T>.Held) -> Void)?) -> Future<Value>
    ) -> Future<Value> {
        guard let key = Self.key(of: query) else { return ask(nil) }
        let now = time.monotonic
        let (held, version) = memory.withLock { ($0.recall(key, at: now), $0.version) }
        if let held, let value = value(held) { return Future(value) }
        return ask { [weak self] held in self?.remember(held, key, ifVersion: version) }
    }

    private func remember(_ held: CacheMemory<Source.T>.Held, _ key: StoreKey, ifVersion version: UInt64?) {
        let size =
            switch held {
            case .value(let value): bounds.size(value)
            case .list(let list): list.reduce(0) { $0 + bounds.size($1) }
            }
        let expiry = time.monotonic + bounds.expiry
        memory.withLock { memory in
            // What was written while the source was being read is newer than what it answered.
            if let version, memory.version != version { return }
            memory.remember(held, key, size: size, expiry: expiry, count: bounds.count, bytes: bounds.bytes)
        }
    }

    /// The one key that a query names.
    private static func key(of query: Any) -> StoreKey? {
        guard case .key(let key)? = (query as? any StorageQuery)?.selection else { return nil }
        return StoreKey(key)
    }
}

extension TimedCacheDataSource: PutDataSource, DeleteDataSource {
    /// Writes one value to the source, then to memory.
    @discardableResult
    public func put(_ value: Source.T?, in query: Source.PutQuery) -> Future<Source.T> {
        let key = changing(query)
        let future = source.put(value, in: query)
        guard let key else { return future }
        return future.filter { [weak self] in self?.remember(.value($0), key, ifVersion: nil) }
    }

    /// Writes a list to the source, then to memory.
    @discardableResult
    public func putAll(_ values: [Source.T], in query: Source.PutAllQuery) -> Future<[Source.T]> {
        let key = changing(query)
        let future = source.putAll(values, in: query)
        guard let key else { return future.onCompletion { [weak self] in self?.forgetAll() } }
        return future.filter { [weak self] in self?.remember(.list($0), key, ifVersion: nil) }
    }

    /// Deletes from memory and from the source.
    @discardableResult
    public func delete(_ query: Source.DeleteQuery) -> Future<Void> {
        let key = changing(query)
        return source.delete(query).onCompletion { [weak self] in
            if let key { self?.memory.withLock { $0.forget(key) } } else { self?.forgetAll() }
        }
    }

    /// Forgets what a write may change, before it begins: when it fails halfway, nobody is told an old value.
    @discardableResult
    func changing(_ query: Any) -> StoreKey? {
        let key = Self.key(of: query)
        memory.withLock { if let key { $0.forget(key) } else { $0.forgetAll() } }
        return key
    }
}

/// What a cache remembers, and in which order it was used.
struct CacheMemory<T: Sendable>: Sendable {
    enum Held: Sendable {
        case value(T)
        case list([T])
    }

    private struct Entry {
        let held: Held
        let size: Int
        let expiry: Duration
        var lastUse: UInt64
    }

    private var entries: [StoreKey: Entry] = [:]
    /// How often anything was written or deleted; it tells an answer that was overtaken.
    private(set) var version: UInt64 = 0
    private var useCount: UInt64 = 0
    private var bytes = 0

    var count: Int { entries.count }

    /// What is remembered and fresh; what has expired is forgotten.
    mutating func recall(_ key: StoreKey, at now: Duration) -> Held? {
        guard var entry = entries[key] else { return nil }
        guard now < entry.expiry else {
            drop(key)
            return nil
        }
        useCount += 1
        entry.lastUse = useCount
        entries[key] = entry
        return entry.held
    }

    mutating func remember(_ held: Held, _ key: StoreKey, size: Int, expiry: Duration, count: Int, bytes limit: Int) {
        drop(key)
        guard size <= limit, count > 0 else { return }
        useCount += 1
        entries[key] = Entry(held: held, size: size, expiry: expiry, lastUse: useCount)
        bytes += size
        while entries.count > count || bytes > limit {
            guard let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })?.key else { return }
            drop(oldest)
        }
    }

    mutating func forget(_ key: StoreKey) {
        version += 1
        drop(key)
    }

    mutating func forgetAll() {
        version += 1
        entries = [:]
        bytes = 0
    }

    private mutating func drop(_ key: StoreKey) {
        if let entry = entries.removeValue(forKey: key) { bytes -= entry.size }
    }
}
