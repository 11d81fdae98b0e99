import Foundation
import LarderCore
import LarderDefaults
import LarderStores
import LarderTestSupport
import Testing

private struct PlayerKeys: DefaultsKeyStore {
    let tags = DefaultsKey<[String]>("tags", defaultValue: [])
    let name = DefaultsKey<String>("name", defaultValue: "")
    let volume = DefaultsKey<Double>("volume", defaultValue: 0.5, validation: .clamp(to: 0...1))
    let frog = DefaultsKey<CodableFrog?>("frog")
}

struct MigrationTests {
    private let store: any KeyValueStore = MemoryStore()
    private var adapter: DefaultsAdapter<PlayerKeys> { DefaultsAdapter(store: store, keyStore: PlayerKeys()) }

    private func steps() -> [DefaultsMigrationStep<PlayerKeys>] {
        [
            .adopt(\.tags),
            .adopt(\.frog),
            .rename("userName", to: \.name),
            .change(\.volume, was: "loudness", from: Int.self) { Double($0) / 100 },
            .remove("unused"),
        ]
    }

    private func fill(_ store: any KeyValueStore) throws {
        try store.set(.data(Data(#"["a","b"]"#.utf8)), for: "tags")
        try store.set(.string(#"{"name":"x","weight":1}"#), for: "frog")
        try store.set("Ada", for: "userName")
        try store.set(80, for: "loudness")
        try store.set(1, for: "unused")
    }

    private let expected: [String] = [
        "The migration would make these changes:", "  tags: data becomes array", "  frog: string becomes data",
        "  userName -> name: string becomes string", "  loudness -> volume: int becomes double",
        "  unused: int removed",
    ]

    @Test func migrationPreviewChangesNothing() throws {
        try fill(store)
        let before = try store.entries()
        let report = try DefaultsMigration("1", steps()).preview(in: adapter)
        #expect(report.outcome == .migrated && report.isPreview)
        #expect(report.description.split(separator: "\n").map(String.init) == expected)
        #expect(try store.entries() == before)
        #expect(try DefaultsMigration("1", steps()).preview(in: adapter).outcome == .migrated)
    }

    @Test func allMigrationStepsAreCommittedTogether() throws {
        try fill(store)
        let commits = Recorder<[String]>()
        let token = adapter.observeAll { commits.add($0.keys) }
        let report = try DefaultsMigration("1", steps()).run(in: adapter)
        token.dispose()
        #expect(report.outcome == .migrated && !report.isPreview)
        #expect(adapter.tags == ["a", "b"] && adapter.name == "Ada" && adapter.volume == 0.8)
        #expect(try adapter.read(\.frog) == CodableFrog(name: "x"))
        #expect(try store.keys() == ["frog", "name", "tags", "volume"])
        #expect(commits.all.filter { !$0.isEmpty }.count == 1)
        #expect(try store.verify().isIntact)
    }

    @Test func migrationRunsOnlyOnce() throws {
        try fill(store)
        _ = try DefaultsMigration("1", steps()).run(in: adapter)
        adapter.remove(\.name)
        try store.set("Eve", for: "userName")
        let again = try DefaultsMigration("1", steps()).run(in: adapter)
        #expect(again.outcome == .alreadyDone && again.items.isEmpty)
        #expect(adapter.name.isEmpty)
        #expect(try DefaultsMigration("2", steps()).run(in: adapter).outcome == .migrated)
    }

    @Test func migrationDoesNotChangeSourceStore() throws {
        let old = MemoryStore()
        try fill(old)
        let before = try old.entries()
        let report = try DefaultsMigration("1", from: old, steps()).run(in: adapter)
        #expect(report.outcome == .migrated)
        #expect(adapter.volume == 0.8 && adapter.tags == ["a", "b"])
        #expect(try old.entries() == before)
    }

    @Test func failedStepCancelsEntireMigration() throws {
        try fill(store)
        try store.set("loud", for: "loudness")
        let before = try store.entries()
        let report = try DefaultsMigration("1", steps()).run(in: adapter)
        #expect(report.outcome == .refused)
        guard case .failed(let reason) = report.items[3].outcome else { throw CoreError.Failed("no reason") }
        #expect(reason.contains("volume"))
        #expect(report.description.contains("because a step failed"))
        #expect(try store.entries() == before)
    }

    @Test func throwingConversionFailsMigrationStep() throws {
        try store.set(80, for: "loudness")
        let migration = DefaultsMigration<PlayerKeys>(
            "1",
            [.change(\.volume, was: "loudness", from: Int.self) { _ in throw CoreError.Failed("not today") }]
        )
        #expect(try migration.run(in: adapter).outcome == .refused)
        #expect(try store.get("loudness") == 80)
    }

    @Test func migrationDoesNotReplaceExistingValue() throws {
        adapter.name = "Eve"
        try store.set("Ada", for: "userName")
        let report = try DefaultsMigration("1", steps()).run(in: adapter)
        #expect(report.items[2].outcome == .kept)
        #expect(adapter.name == "Eve")
    }

    @Test func migrationWithoutStoredValuesIsNotRecorded() throws {
        let report = try DefaultsMigration("1", steps()).run(in: adapter)
        #expect(report.outcome == .nothingToMigrate)
        try fill(store)
        #expect(try DefaultsMigration("1", steps()).run(in: adapter).outcome == .migrated)
    }

    @Test func migrationKeepsValueAlreadyInTargetForm() throws {
        adapter.tags = ["a"]
        let report = try DefaultsMigration<PlayerKeys>("1", [.adopt(\.tags)]).run(in: adapter)
        #expect(report.items.map(\.outcome) == [.unchanged])
    }

    @Test func removeAllRemovesMigratedValues() throws {
        try fill(store)
        _ = try DefaultsMigration("1", steps()).run(in: adapter)
        adapter.removeAll()
        #expect(try store.count() == 0)
    }

    @Test func settingsMigrateFromApplePropertyList() throws {
        let folder = try TemporaryDirectory()
        let file = folder.url("com.example.player.plist")
        let list: [String: Any] = [
            "tags": Data(#"["a"]"#.utf8), "userName": "Ada", "loudness": 30,
            "name__DEFAULTS__synchronizeTimestamp": Date(),
        ]
        try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0).write(to: file)
        let old = try PropertyListStore(path: file.path)
        let report = try DefaultsMigration("from the app", from: old, steps()).run(in: adapter)
        #expect(report.outcome == .migrated)
        #expect(adapter.tags == ["a"] && adapter.name == "Ada" && adapter.volume == 0.3)
        #expect(try store.keys() == ["name", "tags", "volume"])
    }
}
