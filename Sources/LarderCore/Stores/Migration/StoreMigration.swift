/// Moves what is in one store into another: once, whole, and with a report.
///
/// ```swift
/// let migration = StoreMigration("settings of version 1", from: try PropertyListStore(path: old))
/// let report = try migration.run(into: store)
/// ```
///
/// - **Once.** The destination remembers the migration by its name, in the same commit that writes the entries. Running it again,
///   at every start of a program, does nothing; so a value that was removed since does not come back.
/// - **Whole.** There is one commit. After a crash at any moment all entries are there or none is, and then running it again
///   does all of it.
/// - **Nothing is lost.** The source is only read; remove it yourself when you no longer want it. Values that are already in
///   the destination stay, unless ``conflicts`` says otherwise.
///
/// What Larder keeps beside values in a store, such as the times at which cached values expire, stays behind.
public struct StoreMigration: Sendable {
    /// What to do with a key that has another value in the destination.
    public struct Conflicts: Sendable, Hashable {
        private enum Choice { case keep, replace }
        private let choice: Choice

        /// Leaves what is there, and says so in ``Report/kept``.
        public static let keep = Conflicts(choice: .keep)
        /// Writes the value of the source over it.
        public static let replace = Conflicts(choice: .replace)
    }

    /// What the destination remembers it by.
    public let name: String
    /// Where the entries come from.
    public let source: any KeyValueStore
    /// Only keys that begin with exactly these bytes; all unless set.
    public var prefix = ""
    /// Whether everything must be carried or nothing is: ``StoreTransfer/Completeness/all`` unless set.
    ///
    /// Entries of the source that can't be read count as well.
    public var completeness = StoreTransfer.Completeness.all
    /// What to do with a key that has another value in the destination: ``Conflicts/keep`` unless set.
    public var conflicts = Conflicts.keep

    /// A migration, which does nothing yet.
    ///
    /// - Parameters:
    ///   - name: Choose one and keep it: under another name it runs again. Not the path of a file, which may move.
    ///   - source: Any store.
    public init(_ name: String, from source: any KeyValueStore) {
        self.name = name
        self.source = source
    }

    /// Whether it was carried out in `destination` before.
    ///
    /// - Parameter destination: The store that it is for.
    /// - Returns: Whether `run(into:)` would do nothing.
    /// - Throws: ``StoreError`` when the destination cannot be read.
    public func isDone(in destination: any KeyValueStore) throws -> Bool { try destination.get(marker) != nil }

    /// What `run(into:)` would do now; writes nothing.
    ///
    /// In which form the destination would hold a value is not known before it does.
    ///
    /// - Parameter destination: The store that it is for.
    /// - Returns: The report that it would return, with ``Report/isPreview`` set.
    /// - Throws: ``StoreError`` when a store cannot be read.
    public func preview(into destination: any KeyValueStore) throws -> Report {
        var report = try MigrationAttempt(self, into: destination).report
        report.isPreview = true
        return report
    }

    /// Carries it out, unless that was done before.
    ///
    /// When this returns the entries are on the disk. Blocks the thread.
    ///
    /// - Parameter destination: Any store that keeps reserved keys, such as a `DeviceStore`.
    /// - Returns: What was carried, what was converted and what could not be carried.
    /// - Throws: ``StoreError`` when a store cannot be read or written. Then nothing was changed, unless the error says that the
    ///   commit was made and that the disk then did not confirm it: then everything was carried, and running it again says so.
    @available(*, noasync, message: "This call waits for the disk: use `try await run(into:)`.")
    public func run(into destination: any KeyValueStore) throws -> Report {
        while true {
            let attempt = try MigrationAttempt(self, into: destination)
            guard let batch = attempt.batch else { return attempt.report }
            if try destination.commit(batch, durability: .synced) { return attempt.finished(in: destination) }
        }
    }

    /// The suspending form of `run(into:)`.
    ///
    /// - Parameter destination: Any store that keeps reserved keys, such as a `DeviceStore`.
    /// - Returns: What was carried, what was converted and what could not be carried.
    /// - Throws: ``StoreError``, as the blocking form.
    public func run(into destination: any KeyValueStore) async throws -> Report {
        while true {
            let attempt = try MigrationAttempt(self, into: destination)
            guard let batch = attempt.batch else { return attempt.report }
            if try await destination.commit(batch, durability: .synced) { return attempt.finished(in: destination) }
        }
    }

    var marker: StoreKey { StoreKey(reserved: ".migrated." + name) }
}
