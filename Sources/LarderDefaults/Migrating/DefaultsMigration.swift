public import LarderCore

/// A migration that converts stored values to the names, types and formats of the program's keys.
///
/// ```swift
/// let migration = DefaultsMigration<DefaultsKeys>("settings 2", [
///     .adopt(\.tags),                                                   // converts to Larder's format
///     .rename("userName", to: \.name),
///     .change(\.volume, from: Int.self) { Double($0) / 100 },
///     .remove("unused"),
/// ])
/// print(try migration.preview(in: Defaults))                           // writes nothing
/// try migration.run(in: Defaults)
/// ```
///
/// - **Once.** The commit that makes the changes also records the migration's name, so later runs have no effect.
/// - **Atomic.** All changes are made in one commit. If a step can't read or write its value, nothing is changed and the report names
///   the step.
/// - **No loss.** A step never replaces a different value that is already stored under a key's name.
///
/// Many apps need no migration. Values stored by SwiftyUserDefaults 3 to 5, Defaults 9 and `@AppStorage` can be read directly, and a key
/// with the argument `was:` reads the value under its former name.
public struct DefaultsMigration<KeyStore: DefaultsKeyStore> {
    /// The name under which the store records that the migration has run.
    public let name: String
    /// The steps, in the order in which they run.
    public let steps: [DefaultsMigrationStep<KeyStore>]
    private let source: (any KeyValueStore)?

    /// Creates a migration without running it.
    ///
    /// - Parameters:
    ///   - name: A permanent name. If the name changes, the migration runs again.
    ///   - source: The store to read values from, which the migration does not change. The default is the adapter's own store.
    ///   - steps: The steps, in the order in which they run.
    public init(_ name: String, from source: (any KeyValueStore)? = nil, _ steps: [DefaultsMigrationStep<KeyStore>]) {
        self.name = name
        self.source = source
        self.steps = steps
    }

    /// Returns the report that `run(in:)` would return now, without writing anything.
    ///
    /// - Parameter adapter: The adapter whose values to convert.
    /// - Returns: The report, with ``DefaultsMigrationReport/isPreview`` set.
    /// - Throws: The store's error if the store can't be read.
    public func preview(in adapter: DefaultsAdapter<KeyStore>) throws -> DefaultsMigrationReport {
        var report = try attempt(in: adapter, isPreview: true)
        report.isPreview = true
        return report
    }

    /// Runs the migration, unless it has already run, and blocks until the store has taken the changes.
    ///
    /// After this method returns, all readers of the store see all changes. Observers receive one change, whose origin is `.imported`, or
    /// `.cluster` in a store that replicates. Such a store makes the changes with `Durability.replicated`, so that of several machines only
    /// one migrates, and the call waits for its cluster.
    ///
    /// - Parameter adapter: The adapter whose values to convert.
    /// - Returns: The results of all steps.
    /// - Throws: The store's error if the store can't be read or written. A failed migration changes nothing, unless the error has the code
    ///   `notConfirmed` and says that the changes may have been made.
    @discardableResult
    @available(*, noasync, message: "This call may block. Use `try await run(in:)`.")
    public func run(in adapter: DefaultsAdapter<KeyStore>) throws -> DefaultsMigrationReport {
        let place = adapter.place
        guard place.store.capabilities.replicates else { return try attempt(in: adapter, isPreview: false) }
        var run = Run(self, adapter)
        do {
            try RunningTransaction.refuse(run.keys, in: place.claimPlace)
            try place.store.transaction(durability: .replicated) { transaction in
                try run.make(in: &transaction, in: adapter, isPreview: false)
            }
            run.reportLosses(in: adapter)
        } catch is Abandoned {}
        return run.report
    }

    /// Runs the migration, unless it has already run, and suspends until the store has taken the changes.
    ///
    /// See the blocking form for what readers and observers see. In a store that replicates, the call suspends until the cluster has confirmed
    /// the changes.
    ///
    /// - Parameter adapter: The adapter whose values to convert.
    /// - Returns: The results of all steps.
    /// - Throws: The same errors as the blocking form.
    @discardableResult
    nonisolated(nonsending)
        public func run(in adapter: DefaultsAdapter<KeyStore>) async throws -> DefaultsMigrationReport
    {
        let place = adapter.place
        guard place.store.capabilities.replicates else { return try attempt(in: adapter, isPreview: false) }
        var run = Run(self, adapter)
        do {
            try RunningTransaction.refuse(run.keys, in: place.claimPlace)
            try await place.store.transaction(durability: .replicated) { transaction in
                try run.make(in: &transaction, in: adapter, isPreview: false)
            }
            run.reportLosses(in: adapter)
        } catch is Abandoned {}
        return run.report
    }

    /// An error that rolls back the transaction of a preview or a failed migration.
    private struct Abandoned: Error {}

    /// One run of the steps, which is repeated after a conflict.
    private struct Run {
        let work: [DefaultsMigrationStep<KeyStore>.Work]
        let marker: StoreKey
        let source: (any KeyValueStore)?
        var report = DefaultsMigrationReport(outcome: .alreadyDone, items: [])
        private var losses: [LarderIssue] = []

        init(_ migration: DefaultsMigration, _ adapter: DefaultsAdapter<KeyStore>) {
            work = migration.steps.map { $0.work(adapter.keyStore) }
            marker = StoreKey(reserved: ".defaults.migrated." + migration.name)
            source = migration.source
        }

        var keys: [StoreKey] { work.map { StoreKey($0.key) } }

        mutating func make(
            in transaction: inout StoreTransaction,
            in adapter: DefaultsAdapter<KeyStore>,
            isPreview: Bool
        ) throws {
            transaction.origin = .imported
            losses = []
            report = DefaultsMigrationReport(outcome: .alreadyDone, items: [])
            guard try transaction.get(marker) == nil else { return }
            var found: [LarderIssue] = []
            report = DefaultsMigrationReport(
                try work.map { try $0.run(reading: source, in: &transaction, &found) }
            )
            losses = found
            guard report.outcome == .migrated, !isPreview else { throw Abandoned() }
            try transaction.set(.int(Int64(report.items.count)), for: marker)
            for work in work where work.isTyped {
                adapter.place.written.insert(StoreKey(work.key), of: adapter.identity)
            }
        }

        /// Reports the lossy conversions, after the changes were made.
        func reportLosses(in adapter: DefaultsAdapter<KeyStore>) {
            for loss in losses { adapter.place.store.issues.report(loss) }
        }
    }

    private func attempt(in adapter: DefaultsAdapter<KeyStore>, isPreview: Bool) throws -> DefaultsMigrationReport {
        let place = adapter.place
        var run = Run(self, adapter)
        do {
            try place.exclusively(run.keys) {
                try place.store.transaction { try run.make(in: &$0, in: adapter, isPreview: isPreview) }
            }
            run.reportLosses(in: adapter)
        } catch is Abandoned {}
        return run.report
    }
}
