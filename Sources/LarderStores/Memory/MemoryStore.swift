public import LarderCore
import LarderFiles

/// A store in memory: for tests, previews, and what need not outlive the process.
///
/// Commits are atomic and ordered like in any store; nothing reaches a disk, so both durabilities and ``flush()-(Void)`` return
/// at once.
public final class MemoryStore: KeyValueStore {
    private struct State {
        var table = StoreTable()
        var revision: UInt64 = 0
    }

    /// Nothing survives the process; a write costs what the entry costs.
    public let capabilities = StoreCapabilities(
        writeCost: .entry,
        limitations: ["Everything is gone when the process ends."]
    )
    /// Where failures go that no call could throw; a store in memory has none of its own.
    public let issues = IssueChannel(label: "larder.memory")
    /// What the store is called where several are shown.
    public let inspectionName: String
    /// "memory".
    public var inspectionKind: String { "memory" }

    private let state = Lock(State())
    private let hub = StoreChangeHub()

    /// An empty store.
    ///
    /// - Parameter name: What it is called where several are shown.
    public init(name: String = "memory") { inspectionName = name }

    deinit { hub.finish() }

    /// A number that changes with every commit that changed a value.
    public var revision: UInt64 { state.withLock(\.revision) }

    /// The value under `key`, or `nil` when there is none.
    ///
    /// - Parameter key: Checked by ``StoreKey/validate()``.
    /// - Returns: The value exactly as it was set.
    /// - Throws: ``StoreError`` for a key that can't be one.
    public func get(_ key: StoreKey) throws -> StoredValue? {
        try key.validate()
        return state.withLock { $0.table[key] }
    }

    /// The entries whose key begins with exactly the bytes of `prefix`, sorted by key bytes.
    ///
    /// - Complexity: O(*n*) in the number of entries of the store, and sorting those found.
    public func entries(prefix: String) -> [StoreEntry] { state.withLock(\.table).entries(prefix: prefix) }

    /// Carries out all writes of `batch`, or none.
    ///
    /// Never waits for anything but another commit.
    ///
    /// - Parameters:
    ///   - batch: What must hold and what to write.
    ///   - durability: Both mean the same here.
    /// - Returns: `false` when an expectation did not hold.
    /// - Throws: ``StoreError`` for a key or value that can't be stored; then nothing was changed.
    @available(*, noasync, message: "This call may wait for the disk: use `try await commit(_:durability:)`.")
    public func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool { try commit(batch) }

    /// Carries out all writes of `batch`, or none.
    ///
    /// - Parameters:
    ///   - batch: What must hold and what to write.
    ///   - durability: Both mean the same here.
    /// - Returns: `false` when an expectation did not hold.
    /// - Throws: ``StoreError`` for a key or value that can't be stored; then nothing was changed.
    public func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool { try commit(batch) }

    /// Carries out all writes of `batch`, or none.
    ///
    /// - Parameter batch: What must hold and what to write.
    /// - Returns: `false` when an expectation did not hold.
    /// - Throws: ``StoreError`` for a key or value that can't be stored; then nothing was changed.
    public func commit(_ batch: StoreBatch) throws -> Bool {
        try batch.validate()
        let isCommitted = state.withLock { state in
            guard state.table.fulfils(batch) else { return false }
            let change = state.table.apply(batch)
            if !change.isEmpty {
                state.revision &+= 1
                hub.publish(change.published)
            }
            return true
        }
        hub.deliver()
        return isCommitted
    }

    /// Does nothing: there is no disk to wait for.
    @available(*, noasync, message: "This call waits for the disk: use `try await flush()`.")
    public func flush() throws {}

    /// Does nothing: there is no disk to wait for.
    public func flush() async throws {}

    /// The commits from now on, in commit order.
    ///
    /// - Parameters:
    ///   - prefix: Only changes of keys that begin with exactly these bytes.
    ///   - buffering: What to do when the reader falls behind.
    /// - Returns: A sequence for one reader.
    public func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        hub.changes(prefix: prefix, buffering: buffering)
    }

    /// Calls `handler` for every commit from now on, in commit order, one call at a time, outside every lock.
    ///
    /// - Parameters:
    ///   - prefix: Only changes of keys that begin with exactly these bytes.
    ///   - handler: Called with one event a commit.
    /// - Returns: The observation; it ends when cancelled or released.
    public func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        hub.observe(prefix: prefix, handler)
    }

    /// Checks that every entry may be in a store.
    public func verify() -> StoreVerification { state.withLock(\.table).verification() }
}
