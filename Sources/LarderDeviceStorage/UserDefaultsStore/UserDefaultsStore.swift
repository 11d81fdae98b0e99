public import Foundation
public import LarderCore

/// Any `UserDefaults` as a ``KeyValueStore``.
///
/// **Exact in spite of Foundation.** Every ``StoredValue`` comes back as it was set, also after a relaunch. What `UserDefaults`
/// holds exactly is stored plainly and stays readable by it: after `set(.double(0.5), for: "x")`,
/// `userDefaults.double(forKey: "x")` is 0.5. What it would damage (on Linux a `Float`, a URL, a fraction of a second, a negative
/// zero, null) is stored in the tagged form of `Documentation/Formats/property-list-v1.md`. Values that other code put there are
/// read as what they are.
///
/// **On disk when the call returns.** Each commit ends with `synchronize()`. When that fails the earlier values are put back and
/// the call throws ``StoreError`` with code `inputOutput`.
///
/// **A damaged file stays as it is.** Off Apple platforms Foundation would take it for empty and write over it; here every call
/// throws ``StoreError`` with code `damaged` until the file is repaired or moved away.
///
/// **Asked too early, Foundation forgets its file.** Off Apple platforms a program that calls `persistentDomain(forName:)` for the
/// standard domain before it has read any key makes Foundation take that domain for empty for as long as the process lives, and
/// keep what is written in memory alone, while `synchronize()` returns `true`. Here such a call throws ``StoreError`` with code
/// `inputOutput` instead, and the file keeps what it had.
///
/// **Which values.** Those of the one domain that the `UserDefaults` writes to. Launch arguments are neither read nor listed.
/// A registered value is read by ``get(_:)`` where nothing is stored, and listed only where Foundation does not tell it apart.
/// A value that is no property list, or in a tagged form that cannot be read, is thrown by ``get(_:)``, left out of listings
/// with a ``LarderIssue`` of code `damaged`, and never overwritten; remove it with `UserDefaults.removeObject(forKey:)`.
///
/// **One store for each domain.** All stores over the same `UserDefaults`, and off Apple platforms over the same suite, share one
/// lock and observe each other's commits. Other code's `set(_:forKey:)` goes by that lock: it is not observed, and does not
/// change ``revision``; a transaction still notices at its end when a value it has read was changed.
///
/// **Code that `UserDefaults` runs.** Observers of its notifications and methods of its subclasses run inside its calls, while the store
/// uses it. They may read the store, in the middle of a commit; a write that they make throws ``StoreError`` with code `busy`, and so
/// does a call on another thread that would wait longer than 30 seconds.
///
/// The weaknesses that remain, such as a file that is written in place, are told by ``capabilities``. Prefer another store where
/// they matter.
public struct UserDefaultsStore: KeyValueStore {
    /// What is over `UserDefaults`, or the store that a facade stands for.
    private let base: any KeyValueStore

    /// The store of what `userDefaults` shows.
    ///
    /// - Parameter userDefaults: Any. Of a ``StoreUserDefaults`` it is the facade's own store: nothing is stored twice.
    public init(_ userDefaults: UserDefaults) {
        base = (userDefaults as? StoreUserDefaults)?.store ?? UserDefaultsDomain.shared(userDefaults)
    }

    /// What this store promises, its weaknesses in `limitations`.
    public var capabilities: StoreCapabilities { base.capabilities }

    /// Where failures go that no call could throw.
    public var issues: IssueChannel { base.issues }

    /// The name of the suite, "standard", or "unnamed" where Foundation does not tell.
    public var inspectionName: String { base.inspectionName }

    /// "user defaults".
    public var inspectionKind: String { base.inspectionKind }

    /// A number that changes with every commit that changed a value, through any store over the same `UserDefaults`.
    public var revision: UInt64 { get throws { try base.revision } }

    /// The value under `key`, or `nil` when there is none.
    ///
    /// - Parameter key: Checked by ``StoreKey/validate()``.
    /// - Returns: The value exactly as it was set, or what other code put there.
    /// - Throws: ``StoreError`` when what is there cannot be read.
    public func get(_ key: StoreKey) throws -> StoredValue? { try base.get(key) }

    /// The entries whose key begins with exactly the bytes of `prefix`, sorted by key bytes.
    ///
    /// - Parameter prefix: The empty text lists everything.
    /// - Returns: The entries at one moment.
    /// - Throws: ``StoreError`` when the store cannot be read.
    /// - Complexity: O(*n* log *n*) in the number of keys in the domain.
    public func entries(prefix: String) throws -> [StoreEntry] { try base.entries(prefix: prefix) }

    /// Carries out all writes of `batch`, or none, and waits for the disk whatever the durability.
    ///
    /// - Parameters:
    ///   - batch: What must hold and what to write.
    ///   - durability: Both mean the same here.
    /// - Returns: `false` when an expectation did not hold.
    /// - Throws: ``StoreError``; then nothing was changed.
    @available(*, noasync, message: "This call may wait for the disk: use `try await commit(_:durability:)`.")
    public func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool {
        try base.commit(batch, durability: durability)
    }

    /// The suspending form of ``commit(_:durability:)-(_,_)``.
    ///
    /// - Parameters:
    ///   - batch: What must hold and what to write.
    ///   - durability: Both mean the same here.
    /// - Returns: `false` when an expectation did not hold.
    /// - Throws: ``StoreError``; then nothing was changed.
    public func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        try await base.commit(batch, durability: durability)
    }

    /// Carries out all writes of `batch`, or none, and waits for the disk.
    ///
    /// - Parameter batch: What must hold and what to write.
    /// - Returns: `false` when an expectation did not hold.
    /// - Throws: ``StoreError``; then nothing was changed.
    public func commit(_ batch: StoreBatch) throws -> Bool { try base.commit(batch) }

    /// Checks that the store beneath would take `value`.
    ///
    /// - Parameters:
    ///   - value: What would be written.
    ///   - key: Where.
    /// - Throws: ``StoreError``, as a commit would.
    public func validate(_ value: StoredValue, for key: StoreKey) throws { try base.validate(value, for: key) }

    /// Writes what other code has set, too; a commit has been written when it returned.
    ///
    /// - Throws: ``StoreError`` when Foundation could not write.
    @available(*, noasync, message: "This call waits for the disk: use `try await flush()`.")
    public func flush() throws { try base.flush() }

    /// The suspending form of ``flush()-(Void)``.
    ///
    /// - Throws: ``StoreError`` when Foundation could not write.
    public func flush() async throws { try await base.flush() }

    /// The commits of this process from now on, in commit order.
    ///
    /// - Parameters:
    ///   - prefix: Only changes of keys that begin with exactly these bytes.
    ///   - buffering: What to do when the reader falls behind.
    /// - Returns: A sequence for one reader.
    public func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        base.changes(prefix: prefix, buffering: buffering)
    }

    /// Calls `handler` for every commit of this process from now on, in commit order, one call at a time, outside every lock.
    ///
    /// - Parameters:
    ///   - prefix: Only changes of keys that begin with exactly these bytes.
    ///   - handler: Called with one event a commit.
    /// - Returns: The observation; it ends when cancelled or released.
    public func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        base.observe(prefix: prefix, handler)
    }

    /// Reads every value and reports those that cannot be read.
    ///
    /// - Returns: What was checked, and every problem found.
    /// - Throws: ``StoreError`` when the store cannot be read.
    public func verify() throws -> StoreVerification { try base.verify() }
}
