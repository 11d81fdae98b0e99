public import LarderCore
import LarderFiles

/// An in-memory store for tests, previews, and data that need not outlive the process.
///
/// Commits are atomic and ordered as in any store. Commits at either durability level, and calls to `flush()`, return immediately
/// because nothing is written to disk.
public final class MemoryStore: KeyValueStore {
    private struct State {
        var table = StoreTable()
        var revision: UInt64 = 0
    }

    /// The capabilities of the store.
    ///
    /// Entries are lost when the process exits. The cost of a write does not depend on the size of the store.
    public let capabilities = StoreCapabilities(
        writeCost: .entry,
        limitations: ["All entries are lost when the process exits."]
    )
    /// The channel for failures that can't be thrown as errors.
    ///
    /// An in-memory store has no such failures.
    public let issues = IssueChannel(label: "larder.memory")
    /// The name that identifies the store in inspection tools.
    public let inspectionName: String
    /// The type of the store, which is always "memory".
    public var inspectionKind: String { "memory" }

    private let state = Lock(State())
    private let hub = StoreChangeHub()

    /// Creates an empty store.
    ///
    /// - Parameter name: The name that identifies the store in inspection tools.
    public init(name: String = "memory") { inspectionName = name }

    deinit { hub.finish() }

    /// A number that changes with every commit that changes a value.
    public var revision: UInt64 { state.withLock(\.revision) }

    /// Returns the value under `key`, or `nil` if there is no value.
    ///
    /// - Parameter key: A key that passes `StoreKey.validate()`.
    /// - Returns: The value exactly as it was set, or `nil` if there is no value for `key`.
    /// - Throws: `StoreError` if the key is invalid.
    public func get(_ key: StoreKey) throws -> StoredValue? {
        try key.validate()
        return state.withLock { $0.table[key] }
    }

    /// Returns all entries whose keys begin with exactly the bytes of `prefix`, sorted by key bytes.
    ///
    /// - Complexity: O(*n* + *m* log *m*) for *m* results among *n* entries.
    public func entries(prefix: String) -> [StoreEntry] { table.entries(prefix: prefix) }

    /// A consistent snapshot of the entries.
    var table: StoreTable { state.withLock(\.table) }

    /// Commits all writes of `batch` atomically if its expectations hold.
    ///
    /// Blocks the current thread only while another commit is in progress.
    ///
    /// - Parameters:
    ///   - batch: The expectations to check and the writes to make.
    ///   - durability: Any durability except `.replicated`. The levels do not differ, because nothing is written to disk.
    /// - Returns: `true` if the batch was committed, or `false` if an expectation did not hold.
    /// - Throws: `StoreError` if a key or value can't be stored. A failed commit changes nothing.
    @available(
        *,
        noasync,
        message: "Call `try await commit(_:durability:)` in asynchronous code. At top level, call it in a function."
    )
    public func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool {
        try durability.requireLocal()
        return try commit(batch)
    }

    /// Commits all writes of `batch` atomically if its expectations hold.
    ///
    /// - Parameters:
    ///   - batch: The expectations to check and the writes to make.
    ///   - durability: Any durability except `.replicated`. The levels do not differ, because nothing is written to disk.
    /// - Returns: `true` if the batch was committed, or `false` if an expectation did not hold.
    /// - Throws: `StoreError` if a key or value can't be stored. A failed commit changes nothing.
    public func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        try durability.requireLocal()
        return try commit(batch)
    }

    /// Commits all writes of `batch` atomically if its expectations hold.
    ///
    /// - Parameter batch: The expectations to check and the writes to make.
    /// - Returns: `true` if the batch was committed, or `false` if an expectation did not hold.
    /// - Throws: `StoreError` if a key or value can't be stored. A failed commit changes nothing.
    public func commit(_ batch: StoreBatch) throws -> Bool {
        try batch.validate()
        let isCommitted = state.withLock { state in
            guard state.table.fulfills(batch) else { return false }
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

    /// Has no effect, because nothing is written to disk.
    @available(
        *,
        noasync,
        message: "Call `try await flush()` in asynchronous code. At top level, call it in a function."
    )
    public func flush() throws {}

    /// Has no effect, because nothing is written to disk.
    public func flush() async throws {}

    /// Returns a sequence of the changes made by subsequent commits, in commit order.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the keys to observe, compared bytewise. An empty string matches all keys.
    ///   - buffering: The policy for buffering unread commits.
    /// - Returns: A sequence of changes for one reader.
    public func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        hub.changes(prefix: prefix, buffering: buffering)
    }

    /// Calls `handler` after each subsequent commit.
    ///
    /// Calls are serialized and made in commit order, while no lock is held.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the keys to observe, compared bytewise. An empty string matches all keys.
    ///   - handler: A closure that receives one event per commit.
    /// - Returns: The observation, which ends when it is canceled or released.
    public func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        hub.observe(prefix: prefix, handler)
    }

    /// Checks that every entry is valid.
    public func verify() -> StoreVerification { state.withLock(\.table).verification() }
}
