public import LarderCore

/// Brings what is stored to the form that this program's keys have: other names, other types, the forms of other libraries.
///
/// ```swift
/// let migration = DefaultsMigration<DefaultsKeys>("settings 2", [
///     .adopt(\.tags),                                                   // a foreign form, rewritten
///     .rename("userName", to: \.name),
///     .change(\.volume, from: Int.self) { Double($0) / 100 },
///     .remove("unused"),
/// ])
/// print(try migration.preview(in: Defaults))                           // writes nothing
/// try migration.run(in: Defaults)
/// ```
///
/// - **Once.** The store remembers the migration by its name, in the commit that makes the changes; later runs do nothing.
/// - **Whole.** There is one commit. When one step can't read or write its value, nothing is changed, and the report names it.
/// - **Nothing is lost.** A value that is already there under a key's name stays when another would be put in its place.
///
/// It is needed less often than it seems: the forms of SwiftyUserDefaults 3 to 5, Defaults 9 and `@AppStorage` are read anyway, and
/// `was:` in a key finds an earlier name.
public struct DefaultsMigration<KeyStore: DefaultsKeyStore> {
    /// What the store remembers it by.
    public let name: String
    /// What it does, in this order.
    public let steps: [DefaultsMigrationStep<KeyStore>]
    private let source: (any KeyValueStore)?

    /// A migration, which does nothing yet.
    ///
    /// - Parameters:
    ///   - name: Choose one and keep it: under another name it runs again.
    ///   - source: Where values are read; it is not changed. Without it, the adapter's own store.
    ///   - steps: What to do, in this order.
    public init(_ name: String, from source: (any KeyValueStore)? = nil, _ steps: [DefaultsMigrationStep<KeyStore>]) {
        self.name = name
        self.source = source
        self.steps = steps
    }

    /// What ``run(in:)`` would do now; writes nothing.
    ///
    /// - Parameter adapter: What it is for.
    /// - Returns: The report that it would return, with ``DefaultsMigrationReport/isPreview`` set.
    /// - Throws: The error of a store that can't be read.
    public func preview(in adapter: DefaultsAdapter<KeyStore>) throws -> DefaultsMigrationReport {
        var report = try attempt(in: adapter, isPreview: true)
        report.isPreview = true
        return report
    }

    /// Carries it out, unless that was done before.
    ///
    /// When this returns, other readers of the store see all of it. Observers are told one change, whose origin is `.imported`.
    ///
    /// - Parameter adapter: What it is for.
    /// - Returns: What every step did.
    /// - Throws: The error of a store that can't be read or written; then nothing was changed.
    @discardableResult
    public func run(in adapter: DefaultsAdapter<KeyStore>) throws -> DefaultsMigrationReport {
        try attempt(in: adapter, isPreview: false)
    }

    /// Ends a transaction of which nothing is to be kept.
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
                    guard report.outcome == .carried, !isPreview else { throw Abandoned() }
                    try transaction.set(.int(Int64(report.items.count)), for: marker)
                    for work in work where work.isTyped {
                        place.written.insert(work.key, of: KeyStoreIdentity(KeyStore.self))
                    }
                }
            }
            for loss in losses { place.store.issues.report(loss) }
        } catch is Abandoned {}
        return report
    }
}
