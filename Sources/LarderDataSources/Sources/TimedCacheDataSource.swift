import Foundation
public import LarderCore
import Synchronization

/// A memory in front of a source: what was read or written lately is not asked for again until it expires.
///
/// Every write goes through to the source first; a read that a write overtakes is not remembered. The memory is bounded: what was used least recently goes first. Expiry is
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
    private let versions = WriteVersions()
    /// Set when the source knows how old its values are.
    private let stamping: Stamping<Source.T>?

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
        stamping = Stamping(source)
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
            guard let remember else { return source.get(query) }
            guard let stamping, let query = query as? any Query else {
                return source.get(query).filter { remember(.value($0), nil) }
            }
            return stamping.getStored(query).map { [time] stored in
                try Self.remembered(stored, time) { remember(.value($0), $1) }
            }
        }
    }

    /// Reads a list, from memory while it is fresh.
    public func getAll(_ query: Source.GetAllQuery) -> Future<[Source.T]> {
        recalled(query, { if case .list(let list) = $0 { list } else { nil } }) { remember in
            guard let remember else { return source.getAll(query) }
            guard let stamping, let query = query as? any Query else {
                return source.getAll(query).filter { remember(.list($0), nil) }
            }
            return stamping.getAllStored(query).map { [time] stored in
                try Self.remembered(stored, time) { remember(.list($0), $1) }
            }
        }
    }

    /// A value that comes with its expiry is remembered no longer than that.
    private static func remembered<Value>(
        _ stored: Stored<Value>,
        _ time: any TimeSource,
        _ remember: (Value, Duration?) -> Void
    ) throws -> Value {
        guard !stored.isExpired else { throw CoreError.NotValid("The value has expired.") }
        remember(stored.value, stored.expiry.map { .seconds($0.timeIntervalSince(time.now)) })
        return stored.value
    }

    private func recalled<Value>(
        _ query: Any,
        _ value: (CacheMemory<Source.T>.Held) -> Value?,
        ask: ((@Sendable (CacheMemory<Source.T>.Held, Duration?) -> Void)?) -> Future<Value>
    ) -> Future<Value> {
        guard case .key(let name)? = Self.selection(of: query) else { return ask(nil) }
        let key = StoreKey(name)
        let now = time.monotonic
        if let held = memory.withLock({ $0.recall(key, at: now) }), let value = value(held) { return Future(value) }
        let stamp = versions.stamp(of: .key(name))
        return ask { [weak self] held, limit in
            // What was written while the source was being read is newer than what it answered.
            self?.remember(held, key, noLongerThan: limit) { $0.isUndisturbed(since: stamp) }
        }
    }

    /// Remembers what still holds under the memory's lock: a write says that it begins before it takes that lock to forget.
    private func remember(
        _ held: CacheMemory<Source.T>.Held,
        _ key: StoreKey,
        noLongerThan limit: Duration? = nil,
        if holds: (WriteVersions) -> Bool
    ) {
        let size =
            switch held {
            case .value(let value): bounds.size(value)
            case .list(let list): list.reduce(0) { $0.addingSaturated(max(0, bounds.size($1))) }
            }
        let expiry = time.monotonic + min(bounds.expiry, limit ?? bounds.expiry)
        memory.withLock { memory in
            guard holds(versions) else { return }
            memory.remember(held, key, size: size, expiry: expiry, count: bounds.count, bytes: bounds.bytes)
        }
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
    func changing<Value>(
        _ query: Any,
        _ held: @escaping @Sendable (Value) -> CacheMemory<Source.T>.Held?,
        _ change: () -> Future<Value>
    ) -> Future<Value> {
        let selection = Self.selection(of: query)
        let write = versions.beginWrite(to: selection)
        memory.withLock { memory in
            switch selection {
            case .key(let key)?: memory.forget(StoreKey(key))
            case .keys(let keys)?: for key in keys { memory.forget(StoreKey(key)) }
            case .all?, nil: memory.forgetAll()
            }
        }
        return change().filter { [weak self] value in
            // What comes with its expiry is remembered when it is read.
            guard self?.stamping == nil, case .key(let key)? = selection, let held = held(value) else { return }
            self?.remember(held, StoreKey(key)) { _ in write.isAlone }
        }.onCompletion { write.end() }
    }
}
