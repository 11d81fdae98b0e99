public import Foundation
public import LarderCore

/// A `KeyValueStore` over any `UserDefaults` object.
///
/// **Exact.** Every `StoredValue` is read exactly as it was written, even after a relaunch. Values that `UserDefaults` can hold exactly are
/// stored directly, so `UserDefaults` can read them. After `set(.double(0.5), for: "x")`, `userDefaults.double(forKey: "x")` is 0.5. Values
/// that Foundation would change (on Linux a `Float`, a URL, a fraction of a second, a negative zero, null) are stored in the tagged form
/// that `Documentation/Formats/property-list-v1.md` describes. Values written by other code are read unchanged.
///
/// **Durable when the call returns.** Each commit ends with `synchronize()`. If that fails, the previous values are restored and the
/// call throws `StoreError` with code `inputOutput`.
///
/// **A corrupt file is never overwritten.** On non-Apple platforms Foundation would treat a corrupt file as empty and overwrite it. This
/// store throws `StoreError` with code `damaged` from every call until the file is repaired or moved away.
///
/// **Foundation may miss its file.** On non-Apple platforms, a program may call `persistentDomain(forName:)` for the standard domain before
/// it has read any key. Foundation then treats that domain as empty for the life of the process. Foundation also keeps writes in memory
/// only, although `synchronize()` returns `true`. This store throws `StoreError` with code `inputOutput` instead, and the file is
/// unchanged.
///
/// **Domain.** The store covers only the domain to which the `UserDefaults` object writes. Launch arguments are neither read nor listed.
/// ``get(_:)`` returns a registered value if nothing is stored. Listings contain registered values only if Foundation does not distinguish
/// them. If a value is not a property list or has an unreadable tagged form, ``get(_:)`` throws an error. Listings omit such a value and
/// report a `LarderIssue` with code `damaged`. Such a value is never overwritten. Remove it with `UserDefaults.removeObject(forKey:)`.
///
/// **Shared lock.** All stores over the same `UserDefaults` object, and on non-Apple platforms over the same suite, share one lock and
/// observe each other's commits. If other code calls `set(_:forKey:)`, the write bypasses the lock, is not observed, and does not change
/// ``revision``. However, a transaction detects at its end whether a value that it has read was changed.
///
/// **Code that `UserDefaults` calls.** Observers of `UserDefaults` notifications and methods of subclasses run inside calls to
/// `UserDefaults`, while the store uses the object. Such code may read the store, even during a commit. Writes by such code throw
/// `StoreError` with code `busy`, and so do calls on another thread that would wait for more than 30 seconds.
///
/// ``capabilities`` lists further limitations, such as a file that is written in place. Prefer another store if these limitations matter.
public struct UserDefaultsStore: KeyValueStore {
    /// The underlying store, which is a ``UserDefaultsDomain`` or the store that a ``UserDefaultsFacade`` wraps.
    private let base: any KeyValueStore

    /// Creates a store over a `UserDefaults` object.
    ///
    /// - Parameter userDefaults: Any `UserDefaults` object. If it is a ``UserDefaultsFacade``, all calls go to the
    ///   store that the facade wraps.
    public init(_ userDefaults: UserDefaults) {
        base = (userDefaults as? UserDefaultsFacade)?.store ?? UserDefaultsDomain.shared(userDefaults)
    }

    /// The capabilities of this store, including its known limitations.
    public var capabilities: StoreCapabilities { base.capabilities }

    /// The channel for failures that can't be thrown as errors.
    public var issues: IssueChannel { base.issues }

    /// The name of the suite, "standard", or "unnamed" if Foundation does not provide the suite's name.
    public var inspectionName: String { base.inspectionName }

    /// The kind of this store, which is always "user defaults".
    public var inspectionKind: String { base.inspectionKind }

    /// A number that increases with each commit that changes a value, through any store over the same `UserDefaults` object.
    public var revision: UInt64 { get throws { try base.revision } }

    /// Returns the value under `key`, or `nil` if there is no value.
    ///
    /// - Parameter key: The key to read, which must pass `StoreKey.validate()`.
    /// - Returns: The value exactly as it was written, or a value written by other code.
    /// - Throws: `StoreError` if the value can't be read.
    public func get(_ key: StoreKey) throws -> StoredValue? { try base.get(key) }

    /// Returns the entries whose keys begin with exactly the bytes of `prefix`, sorted by key bytes.
    ///
    /// - Parameter prefix: The prefix of the keys to list. The empty string lists all entries.
    /// - Returns: A consistent snapshot of the matching entries.
    /// - Throws: `StoreError` if the store can't be read.
    /// - Complexity: O(*n* log *n*) in the number of keys in the domain.
    public func entries(prefix: String) throws -> [StoreEntry] { try base.entries(prefix: prefix) }

    /// Commits all writes in `batch` atomically, and blocks until they are on disk.
    ///
    /// - Parameters:
    ///   - batch: The writes to commit, and the expectations that must hold at the time of the commit.
    ///   - durability: Any durability except `.replicated`. Every commit is written to disk before the call returns.
    /// - Returns: `true` if the batch was committed, or `false` if an expectation did not hold.
    /// - Throws: `StoreError` if the commit fails. A failed commit writes nothing.
    @available(
        *,
        noasync,
        message:
            "This call may block on disk I/O. Use `try await commit(_:durability:)`. At top level, call it in a function."
    )
    public func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool {
        try base.commit(batch, durability: durability)
    }

    /// Commits all writes in `batch` atomically, and suspends the caller until they are on disk.
    ///
    /// - Parameters:
    ///   - batch: The writes to commit, and the expectations that must hold at the time of the commit.
    ///   - durability: Any durability except `.replicated`. Every commit is written to disk before the call returns.
    /// - Returns: `true` if the batch was committed, or `false` if an expectation did not hold.
    /// - Throws: `StoreError` if the commit fails. A failed commit writes nothing.
    public func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        try await base.commit(batch, durability: durability)
    }

    /// Commits all writes in `batch` atomically, and blocks until they are on disk.
    ///
    /// - Parameter batch: The writes to commit, and the expectations that must hold at the time of the commit.
    /// - Returns: `true` if the batch was committed, or `false` if an expectation did not hold.
    /// - Throws: `StoreError` if the commit fails. A failed commit writes nothing.
    public func commit(_ batch: StoreBatch) throws -> Bool { try base.commit(batch) }

    /// Checks that the underlying store accepts a value.
    ///
    /// - Parameters:
    ///   - value: The value to check.
    ///   - key: The key under which to write the value.
    /// - Throws: The `StoreError` that a commit would throw.
    public func validate(_ value: StoredValue, for key: StoreKey) throws { try base.validate(value, for: key) }

    /// Writes to disk any values that other code has set through `UserDefaults`.
    ///
    /// Commits need no flush, because each commit is on disk when the committing call returns.
    ///
    /// - Throws: `StoreError` if Foundation could not write its file.
    @available(
        *,
        noasync,
        message: "This call blocks on disk I/O. Use `try await flush()`. At top level, call it in a function."
    )
    public func flush() throws { try base.flush() }

    /// Writes to disk any values that other code has set through `UserDefaults`, and suspends the caller until they are on disk.
    ///
    /// - Throws: `StoreError` if Foundation could not write its file.
    public func flush() async throws { try await base.flush() }

    /// Returns a sequence of the commits that this process makes after this call, in commit order.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the keys to observe, compared bytewise.
    ///   - buffering: The policy for commits that the reader has not read yet.
    /// - Returns: A sequence for a single reader.
    public func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        base.changes(prefix: prefix, buffering: buffering)
    }

    /// Calls `handler` for each commit that this process makes after this call.
    ///
    /// Calls are made one at a time, in commit order, while no lock is held.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the keys to observe, compared bytewise.
    ///   - handler: The closure to call with one event per commit.
    /// - Returns: The observation, which ends when it is canceled or released.
    public func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        base.observe(prefix: prefix, handler)
    }

    /// Reads all values, and reports values that can't be read.
    ///
    /// - Returns: The number of checked entries, and all problems found.
    /// - Throws: `StoreError` if the store can't be read.
    public func verify() throws -> StoreVerification { try base.verify() }
}

extension UserDefaultsStore: TransparentStore {
    /// The store of the domain, which all instances for the domain share.
    package var wrappedStore: any KeyValueStore { base }
}
