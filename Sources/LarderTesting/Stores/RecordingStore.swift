public import LarderCore
import Synchronization

/// A store for tests that forwards calls to another store and records all writes.
///
/// ```swift
/// let store = RecordingStore(MemoryStore())
/// withDefaults(store) { finishLevel(3) }
/// #expect(store.writes == [.set("level", 3), .set("isNew", false)])
/// ```
///
/// Only commits through this object are recorded, in order. Writes made directly to the underlying store and writes to reserved keys are
/// not recorded. The store is thread-safe.
public final class RecordingStore: KeyValueStore {
    /// A write to one key in a commit.
    public struct Write: Sendable, Hashable, CustomStringConvertible {
        /// The key, including any prefix.
        public let key: String
        /// The value that was written, or `nil` for a removal.
        public let value: StoredValue?

        /// Returns the record of a write, whether or not the stored value changed.
        ///
        /// - Parameters:
        ///   - key: The key, including any prefix.
        ///   - value: The value that was written.
        /// - Returns: A record to compare with the elements of ``writes``.
        public static func set(_ key: String, _ value: StoredValue) -> Write { Write(key: key, value: value) }

        /// Returns the record of a removal, whether or not the key existed.
        ///
        /// - Parameter key: The key, including any prefix.
        /// - Returns: A record to compare with the elements of ``writes``.
        public static func remove(_ key: String) -> Write { Write(key: key, value: nil) }

        /// The key and the value, separated by " = ".
        public var description: String { "\(key) = \(value.map { "\($0)" } ?? "nothing")" }
    }

    let base: any KeyValueStore
    private let recorded = Mutex<[[Write]]>([])

    /// Creates a store that forwards calls to another store.
    ///
    /// - Parameter base: The underlying store.
    public init(_ base: any KeyValueStore) { self.base = base }

    /// The writes that the store has recorded so far, in order.
    public var writes: [Write] { commits.flatMap(\.self) }

    /// The recorded writes, grouped by commit.
    ///
    /// A transaction is one commit.
    public var commits: [[Write]] { recorded.withLock { $0 } }

    /// Removes all recorded writes.
    public func forgetWrites() {
        // The removed writes are released without holding the lock.
        let former = recorded.withLock { recorded in
            defer { recorded = [] }
            return recorded
        }
        withExtendedLifetime(former) {}
    }

    private func record(_ batch: StoreBatch, if isCommitted: Bool) {
        let writes = batch.writes.filter { !$0.key.isReserved }.map { Write(key: $0.key.text, value: $0.value) }
        if isCommitted, !writes.isEmpty { recorded.withLock { $0.append(writes) } }
    }

    // MARK: - Forwarding

    /// The capabilities of the underlying store.
    public var capabilities: StoreCapabilities { base.capabilities }
    /// The issue channel to which the underlying store reports.
    public var issues: IssueChannel { base.issues }
    /// The revision of the underlying store.
    public var revision: UInt64 { get throws { try base.revision } }
    /// The name of the underlying store.
    public var inspectionName: String { base.inspectionName }
    /// The kind of the underlying store, such as `device store`.
    public var inspectionKind: String { base.inspectionKind }

    /// Reads a value from the underlying store.
    public func get(_ key: StoreKey) throws -> StoredValue? { try base.get(key) }

    /// Returns the entries in the underlying store whose keys begin with a prefix.
    public func entries(prefix: String) throws -> [StoreEntry] { try base.entries(prefix: prefix) }

    /// Commits a batch to the underlying store and records its writes if they were committed.
    public func commit(_ batch: StoreBatch) throws -> Bool {
        let isCommitted = try base.commit(batch)
        record(batch, if: isCommitted)
        return isCommitted
    }

    /// Commits a batch to the underlying store and records its writes if they were committed.
    @available(
        *,
        noasync,
        message:
            "This call may block on disk I/O. Use `try await commit(_:durability:)`. At top level, call it in a function."
    )
    public func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool {
        let isCommitted = try base.commit(batch, durability: durability)
        record(batch, if: isCommitted)
        return isCommitted
    }

    /// Commits a batch to the underlying store and records its writes if they were committed.
    public func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        let isCommitted = try await base.commit(batch, durability: durability)
        record(batch, if: isCommitted)
        return isCommitted
    }

    /// Flushes the underlying store.
    @available(
        *,
        noasync,
        message: "This call blocks on disk I/O. Use `try await flush()`. At top level, call it in a function."
    )
    public func flush() throws { try base.flush() }

    /// Flushes the underlying store.
    public func flush() async throws { try await base.flush() }

    /// Returns the changes that the underlying store reports.
    public func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        base.changes(prefix: prefix, buffering: buffering)
    }

    /// Adds an observer to the underlying store.
    public func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        base.observe(prefix: prefix, handler)
    }

    /// Verifies the underlying store.
    public func verify() throws -> StoreVerification { try base.verify() }
}

extension RecordingStore: TransparentStore {
    /// The underlying store.
    package var wrappedStore: any KeyValueStore { base }
}
