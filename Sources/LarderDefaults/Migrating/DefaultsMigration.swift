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

    /// Returns the report that ``run(in:)`` would return now, without writing anything.
    ///
    /// - Parameter adapter: The adapter whose values to convert.
    /// - Returns: The report, with ``DefaultsMigrationReport/isPreview`` set.
    /// - Throws: The store's error if the store can't be read.
    public func preview(in adapter: DefaultsAdapter<KeyStore>) throws -> DefaultsMigrationReport {
        var report = try attempt(in: adapter, isPreview: true)
        report.isPreview = true
        return report
    }

    /// Runs the migration, unless it has already run.
    ///
    /// After this method returns, all readers of the store see all changes. Observers receive one change, whose origin is `.imported`.
    ///
    /// - Parameter adapter: The adapter whose values to convert.
    /// - Returns: The results of all steps.
    /// - Throws: The store's error if the store can't be read or written. A failed migration changes nothing.
    @discardableResult
    public func run(in adapter: DefaultsAdapter<KeyStore>) throws -> DefaultsMigrationReport {
        try attempt(in: adapter, isPreview: false)
    }

    /// An error that rolls back the transaction of a preview or a failed migration.
    private struct Abandoned: Error {}

    private func attempt(in adapter: DefaultsAdapter<KeyStore>, isPreview: Bool) throws -> DefaultsMigrationReport {
        let place = adapter.place
        let marker = StoreKey(reserved: ".defaults.migrated." + name)
        let work = steps.map { $0.work(adapter.keyStore) }
        var report = DefaultsMigrationReport(outcome: .alreadyDone, items: [])
        var losses: [LarderIssue] = []
        do {
            try place.exclusively(work.map { StoreKey($0.key) }) {
                try place.store.transaction { transaction in
                    transaction.origin = .imported
                    guard try transaction.get(marker) == nil else {
                        report = DefaultsMigrationReport(outcome: .alreadyDone, items: [])
                        return
                    }
                    losses = []
                    report = DefaultsMigrationReport(
                        try work.map { try $0.run(reading: source, in: &transaction, &losses) }
                    )
                    guard report.outcome == .migrated, !isPreview else { throw Abandoned() }
                    try transaction.set(.int(Int64(report.items.count)), for: marker)
                    for work in work where work.isTyped {
                        place.written.insert(StoreKey(work.key), of: adapter.identity)
                    }
                }
            }
            for loss in losses { place.store.issues.report(loss) }
        } catch is Abandoned {}
        return report
    }
}
