/// A migration that copies the entries of one store into another, exactly once and atomically.
///
/// ```swift
/// let migration = StoreMigration("settings of version 1", from: try PropertyListStore(path: old))
/// let report = try migration.run(into: store)
/// ```
///
/// - **Once.** The destination records the migration under its name, in the same commit that writes the entries. Running the migration
///   again, for example at every launch, has no effect, so a value that has since been removed is not restored.
/// - **Atomic.** All entries are written in one commit. After a crash either all entries are in the destination or none, and running the
///   migration again completes it.
/// - **Non-destructive.** The source is never modified. Remove it when you no longer need it. Values that already exist in the destination
///   are kept, unless ``conflicts`` says otherwise.
///
/// Internal records that Larder keeps alongside values, such as the expiry times of cached values, are not migrated.
public struct StoreMigration: Sendable {
    /// A policy for keys that have a different value in the destination.
    public struct Conflicts: Sendable, Hashable {
        private enum Choice { case keep, replace }
        private let choice: Choice

        /// A policy that keeps the destination's value and lists the key in ``Report/kept``.
        public static let keep = Conflicts(choice: .keep)
        /// A policy that replaces the destination's value.
        public static let replace = Conflicts(choice: .replace)
    }

    /// The name under which the destination records the migration.
    public let name: String
    /// The store to migrate from.
    public let source: any KeyValueStore
    /// The prefix of the keys to migrate, compared bytewise.
    ///
    /// The default, an empty string, matches all keys.
    public var prefix = ""
    /// The policy for entries that cannot be migrated.
    ///
    /// With ``StoreTransfer/Completeness/all``, which is the default, nothing is migrated if any entry cannot be migrated. An entry that
    /// cannot be read from the source cannot be migrated either.
    public var completeness = StoreTransfer.Completeness.all
    /// The policy for keys that have a different value in the destination.
    ///
    /// The default is ``Conflicts/keep``.
    public var conflicts = Conflicts.keep

    /// Creates a migration without running it.
    ///
    /// - Parameters:
    ///   - name: A permanent name. If the name changes, the migration runs again. Do not use a file path, which may change.
    ///   - source: The store to migrate from.
    public init(_ name: String, from source: any KeyValueStore) {
        self.name = name
        self.source = source
    }

    /// Returns whether the migration has been completed in `destination`.
    ///
    /// - Parameter destination: The store to migrate into.
    /// - Returns: `true` if `run(into:)` would have no effect.
    /// - Throws: ``StoreError`` if the destination cannot be read.
    public func isDone(in destination: any KeyValueStore) throws -> Bool { try destination.get(marker) != nil }

    /// Returns the expected result of `run(into:)`, without migrating anything.
    ///
    /// The preview does not determine which values the destination would store in another form.
    ///
    /// - Parameter destination: The store to migrate into.
    /// - Returns: The expected report, with ``Report/isPreview`` set.
    /// - Throws: ``StoreError`` if a store cannot be read.
    public func preview(into destination: any KeyValueStore) throws -> Report {
        var report = try MigrationAttempt(self, into: destination).report
        report.isPreview = true
        return report
    }

    /// Runs the migration unless it has already been completed, and blocks until the entries are synced to disk.
    ///
    /// A destination that replicates makes the changes with `Durability.replicated`, so that of several machines only one migrates.
    ///
    /// - Parameter destination: Any store that accepts reserved keys, such as a `DeviceStore`.
    /// - Returns: A report on the entries that were migrated, converted or rejected.
    /// - Throws: ``StoreError`` if a store cannot be read or written. Nothing is changed, unless the error says that the commit was made
    ///   but could not be synced to disk. The migration is then complete.
    @available(*, noasync, message: "This call blocks on disk I/O. Use `try await run(into:)`.")
    public func run(into destination: any KeyValueStore) throws -> Report {
        while true {
            let attempt = try MigrationAttempt(self, into: destination)
            guard let batch = attempt.batch else { return attempt.report }
            if try destination.commit(batch, durability: destination.durabilityOfMigrations) {
                return attempt.finished(in: destination)
            }
        }
    }

    /// Runs the migration unless it has already been completed, and suspends until the entries are synced to disk.
    ///
    /// - Parameter destination: Any store that accepts reserved keys, such as a `DeviceStore`.
    /// - Returns: A report on the entries that were migrated, converted or rejected.
    /// - Throws: The same errors as the blocking overload.
    public func run(into destination: any KeyValueStore) async throws -> Report {
        while true {
            let attempt = try MigrationAttempt(self, into: destination)
            guard let batch = attempt.batch else { return attempt.report }
            if try await destination.commit(batch, durability: destination.durabilityOfMigrations) {
                return attempt.finished(in: destination)
            }
        }
    }

    var marker: StoreKey { StoreKey(reserved: ".migrated." + name) }
}

extension KeyValueStore {
    /// The durability of a migration into this store, of which several machines must make only one.
    fileprivate var durabilityOfMigrations: Durability { capabilities.replicates ? .replicated : .synced }
}
