public import LarderCore
import Synchronization

/// A store that passes everything on to another one and remembers what was written, for tests to look at.
///
/// ```swift
/// let store = RecordingStore(MemoryStore())
/// withDefaults(store) { finishLevel(3) }
/// #expect(store.writes == [.set("level", 3), .set("isNew", false)])
/// ```
///
/// Only what was committed is recorded, in the order of the commits of this object; not what others write to the store beneath,
/// and not what Larder keeps for itself. Safe from any thread.
public final class RecordingStore: KeyValueStore {
    /// One key of one commit.
    public struct Write: Sendable, Hashable, CustomStringConvertible {
        /// The whole key.
        public let key: String
        /// What was written; `nil` for a removal.
        public let value: StoredValue?

        /// A value was written, which may have been there already.
        ///
        /// - Parameters:
        ///   - key: The whole key.
        ///   - value: The value.
        /// - Returns: The record to compare with.
        public static func set(_ key: String, _ value: StoredValue) -> Write { Write(key: key, value: value) }

        /// A key was removed, which may not have been there.
        ///
        /// - Parameter key: The whole key.
        /// - Returns: The record to compare with.
        public static func remove(_ key: String) -> Write { Write(key: key, value: nil) }

        /// The key and the value.
        public var description: String { "\(key) = \(value.map { "\($0)" } ?? "nothing")" }
    }

    private let base: any KeyValueStore
    private let recorded = Mutex<[[Write]]>([])

    /// A recording store over another one.
    ///
    /// - Parameter base: What reads and writes go to.
    public init(_ base: any KeyValueStore) { self.base = base }

    /// Every write so far, in order.
    public var writes: [Write] { commits.flatMap(\.self) }

    /// The writes of each commit so far: a transaction is one.
    public var commits: [[Write]] { recorded.withLock { $0 } }

    /// Forgets what was recorded.
    public func forgetWrites() {
        // Released outside the lock.
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

    // MARK: - Passing on

    /// Those of the store beneath.
    public var capabilities: StoreCapabilities { base.capabilities }
    /// Those of the store beneath.
    public var issues: IssueChannel { base.issues }
    /// That of the store beneath.
    public var revision: UInt64 { get throws { try base.revision } }
    /// That of the store beneath.
    public var inspectionName: String { base.inspectionName }
    /// That of the store beneath.
    public var inspectionKind: String { base.inspectionKind }

    /// Reads from the store beneath.
    public func get(_ key: StoreKey) throws -> StoredValue? { try base.get(key) }

    /// Lists what is in the store beneath.
    public func entries(prefix: String) throws -> [StoreEntry] { try base.entries(prefix: prefix) }

    /// Commits to the store beneath, and records it when that was done.
    public func commit(_ batch: StoreBatch) throws -> Bool {
        let isCommitted = try base.commit(batch)
        record(batch, if: isCommitted)
        return isCommitted
    }

    /// Commits to the store beneath, and records it when that was done.
    @available(*, noasync, message: "This call may wait for the disk: use `try await commit(_:durability:)`.")
    public func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool {
        let isCommitted = try base.commit(batch, durability: durability)
        record(batch, if: isCommitted)
        return isCommitted
    }

    /// Commits to the store beneath, and records it when that was done.
    public func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        let isCommitted = try await base.commit(batch, durability: durability)
        record(batch, if: isCommitted)
        return isCommitted
    }

    /// Flushes the store beneath.
    @available(*, noasync, message: "This call waits for the disk: use `try await flush()`.")
    public func flush() throws { try base.flush() }

    /// Flushes the store beneath.
    public func flush() async throws { try await base.flush() }

    /// The changes of the store beneath.
    public func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        base.changes(prefix: prefix, buffering: buffering)
    }

    /// Observes the store beneath.
    public func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        base.observe(prefix: prefix, handler)
    }

    /// Verifies the store beneath.
    public func verify() throws -> StoreVerification { try base.verify() }
}
