import Foundation
import LarderCore
import LarderDeviceStore
import LarderStores
import LarderTestSupport
import Testing

@Suite struct StoreMigrationTests {
    let source: PropertyListStore
    let store: DeviceStore
    // Declared after the stores, because properties are released in this order and the folder is removed with its last reference.
    let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        source = try PropertyListStore(path: folder.path("old.plist"))
        store = try DeviceStore(path: folder.path("new.larder"))
        var batch = StoreBatch()
        batch.set(true, for: "flag")
        batch.set(.float(0.1), for: "ratio")
        batch.set(.date(Date(timeIntervalSinceReferenceDate: 0.5)), for: "moment")
        batch.set(.url("https://a.b/c"), for: "home")
        batch.set(["a": [1, .null]], for: "nested")
        batch.set(.unsigned(.max), for: "most")
        _ = try source.commit(batch)
    }

    /// Runs the migration with the blocking method, which asynchronous tests can't call directly.
    private func run(_ migration: StoreMigration) throws -> StoreMigration.Report { try migration.run(into: store) }

    private var migration: StoreMigration { StoreMigration("old settings", from: source) }

    @Test func allEntriesAreMigratedExactlyWithoutChangingSource() throws {
        let report = try run(migration)
        #expect(report.outcome == .migrated && report.transfer.isExact && report.kept.isEmpty)
        #expect(report.transfer.copied == ["flag", "home", "moment", "most", "nested", "ratio"])
        #expect(report.description == "6 entries were copied.")
        #expect(try store.entries() == source.entries())
        #expect(try source.count() == 6)
        #expect(try store.verify().isIntact)
    }

    @Test func secondMigrationRunHasNoEffectEvenAfterReopening() throws {
        _ = try run(migration)
        try store.remove("flag")
        try source.set(1, for: "later")
        let again = try DeviceStore(path: store.path)
        #expect(try migration.isDone(in: again))
        let report = try run(migration)
        #expect(report.outcome == .alreadyDone && report.transfer.copied.isEmpty)
        #expect(try !store.contains("flag") && !store.contains("later"))
        #expect(try store.verify().isIntact)
    }

    @Test func previewReportsMigrationWithoutWriting() throws {
        let revision = try store.revision
        let report = try migration.preview(into: store)
        #expect(report.isPreview && report.outcome == .migrated && report.transfer.copied.count == 6)
        #expect(report.description == "6 entries would be copied.")
        #expect(try store.revision == revision && store.count() == 0)
        #expect(try !migration.isDone(in: store))
    }

    @Test func migrationKeepsExistingValueByDefault() throws {
        try store.set(false, for: "flag")
        let report = try run(migration)
        #expect(report.kept == ["flag"] && report.transfer.copied.count == 5)
        #expect(try store.get("flag") == false)
        var other = StoreMigration("again", from: source)
        other.conflicts = .replace
        #expect(try run(other).transfer.copied.count == 6)
        #expect(try store.get("flag") == true)
        #expect(try store.verify().isIntact)
    }

    @Test func rejectedEntryStopsMigrationByDefault() throws {
        let long = String(repeating: "k", count: StoreKey.maximumLength + 1)
        let list = ["a": 1, long: 2]
        let path = folder.path("foreign.plist")
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: folder.url("foreign.plist"))
        var migration = try StoreMigration("foreign", fromPropertyListAt: path)
        let refused = try run(migration)
        #expect(refused.outcome == .refused && refused.transfer.refused.map(\.key) == [long])
        #expect(try store.count() == 0 && !migration.isDone(in: store))
        migration.completeness = .possible
        let report = try run(migration)
        #expect(report.outcome == .migrated && report.transfer.copied == ["a"])
        #expect(report.transfer.refused.map(\.key) == [long])
        #expect(try store.verify().isIntact)
    }

    @Test func unreadableSourceEntryIsReportedAndStopsMigration() throws {
        let xml = "<?xml version='1.0'?><map><int name=\"a\" value=\"1\"/><int name=\"b\" value=\"one\"/></map>"
        try Data(xml.utf8).write(to: folder.url("p.xml"))
        try withIssueHandler({ _ in }) {
            let preferences = try SharedPreferencesStore(path: folder.path("p.xml"))
            var migration = StoreMigration("android", from: preferences)
            let refused = try run(migration)
            #expect(refused.outcome == .refused && refused.unreadable.map(\.key) == ["b"])
            #expect(try store.count() == 0)
            migration.completeness = .possible
            #expect(try run(migration).transfer.copied == ["a"])
        }
        #expect(try store.verify().isIntact)
    }

    @Test func missingFileIsNeitherMigratedNorRecorded() throws {
        let missing = try StoreMigration("later", fromPropertyListAt: folder.path("none.plist"))
        #expect(try run(missing).outcome == .nothingToMigrate)
        #expect(try !missing.isDone(in: store))
        #expect(!FileManager.default.fileExists(atPath: folder.path("none.plist")))
    }

    @Test func migrationRejectsAndDoesNotChangeCorruptFile() throws {
        try Data("garbage".utf8).write(to: folder.url("bad.plist"))
        #expect {
            try run(StoreMigration("bad", fromPropertyListAt: folder.path("bad.plist")))
        } throws: {
            ($0 as? StoreError)?.code == .damaged
        }
        #expect(try Data(contentsOf: folder.url("bad.plist")) == Data("garbage".utf8))
        #expect(try store.count() == 0)
    }

    @Test func onlyEntriesWithPrefixAreMigrated() throws {
        var migration = migration
        migration.prefix = "m"
        #expect(try run(migration).transfer.copied == ["moment", "most"])
        #expect(try store.keys() == ["moment", "most"])
    }

    @Test func migrationNotifiesObserversOnceWithOrigin() async throws {
        let observed = Observed(store)
        _ = try await migration.run(into: store)
        guard case .change(let change)? = observed.events.first else { throw CancellationError() }
        #expect(observed.events.count == 1 && change.origin == .imported && change.entries.count == 6)
    }
}
