import Foundation
import Larder
import Testing

// The code of the article "Migrating from another store", in its order. The test below compares it with the article.

/// Runs the article's code, which uses the blocking methods.
///
/// The article only mentions the asynchronous methods.
private func running(
    path: String
) throws -> (settings: PropertyListStore, store: MemoryStore, migration: StoreMigration) {
    // Article
    let settings = try PropertyListStore(path: path)  // in an app: the file that version 1 wrote
    try settings.set("green", for: "color")
    try settings.set(0.5, for: "volume")

    let store = MemoryStore()  // or StandardStore.shared, the device's storage
    let migration = try StoreMigration("settings of version 1", fromPropertyListAt: path)
    let report = try migration.run(into: store)
    print(report)  // 2 entries were copied.
    // end
    #expect(report.description == "2 entries were copied.")
    #expect(try migration.run(into: store).outcome == .alreadyDone)
    return (settings, store, migration)
}

private func looking(_ migration: StoreMigration, _ store: DeviceStore) throws {
    // Article
    let plan = try migration.preview(into: store)
    print(plan)  // 2 entries would be copied.
    // end
    #expect(plan.description == "2 entries would be copied.")
}

private func carryingOthers(_ migration: StoreMigration, _ store: DeviceStore) throws {
    // Article
    var others = migration
    others.completeness = .possible
    let partial = try others.run(into: store)
    for refusal in partial.transfer.refused { print(refusal.key, refusal.reason) }
    for problem in partial.unreadable { print(problem.key ?? "", problem.message) }
    // end
    #expect(partial.transfer.isExact)
}

private func copying(path: String, _ store: DeviceStore) throws {
    // Article
    let copy = try store.copyEntries(from: PropertyListStore(path: path), .all)
    // end
    #expect(copy.isExact && copy.copied == ["color", "volume"])
}

@Suite struct MovingInTests {
    @Test func articleCodeRunsAsDocumented() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "larder-moving-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "settings.plist").path
        let (settings, first, migration) = try running(path: path)
        let second = try DeviceStore(path: folder.appending(path: "second.larder").path)
        try looking(migration, second)
        try carryingOthers(migration, second)
        try copying(path: path, second)
        let stores: [any KeyValueStore] = [settings, first, second]
        for store in stores {
            #expect(try store.entries() == settings.entries())
            #expect(try store.verify().isIntact)
        }
    }

    @Test func articleCodeMatchesTestedCode() throws {
        try expectSameCode(article: "LarderStores/LarderStores.docc/MovingIn.md", source: #filePath)
    }
}
