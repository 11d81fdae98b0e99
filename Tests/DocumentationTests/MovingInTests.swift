import Foundation
import Larder
import Testing

// The code of the article "Moving in", in the text's order; the test below compares it with the article's.

/// The blocking forms are tested; the article names the others.
private func running(oldPath: String, _ store: DeviceStore) throws -> StoreMigration {
    // MovingIn
    let migration = try StoreMigration("settings of version 1", fromPropertyListAt: oldPath)
    let report = try migration.run(into: store)
    if report.outcome == .carried { print(report) }  // 2 entries were carried.
    // end
    #expect(report.description == "2 entries were carried.")
    return migration
}

private func looking(_ migration: StoreMigration, _ store: DeviceStore) throws {
    // MovingIn
    let plan = try migration.preview(into: store)
    print(plan)  // 2 entries would be carried.
    // end
    #expect(plan.description == "2 entries would be carried.")
}

private func carryingOthers(_ migration: StoreMigration, _ store: DeviceStore) throws {
    // MovingIn
    var others = migration
    others.completeness = .possible
    let partial = try others.run(into: store)
    for refusal in partial.transfer.refused { print(refusal.key, refusal.reason) }
    for problem in partial.unreadable { print(problem.key ?? "", problem.message) }
    // end
    #expect(partial.transfer.isExact)
}

private func copying(oldPath: String, _ store: DeviceStore) throws {
    // MovingIn
    let copy = try store.copyEntries(from: PropertyListStore(path: oldPath), .all)
    // end
    #expect(copy.isExact && copy.carried == ["colour", "volume"])
}

@Suite struct MovingInTests {
    @Test func theCodeOfTheArticleDoesWhatItSays() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "larder-moving-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let old = folder.appending(path: "old.plist").path
        let settings = try PropertyListStore(path: old)
        try settings.set("green", for: "colour")
        try settings.set(0.5, for: "volume")
        let first = try DeviceStore(path: folder.appending(path: "first.larder").path)
        let second = try DeviceStore(path: folder.appending(path: "second.larder").path)
        let migration = try running(oldPath: old, first)
        try looking(migration, second)
        try carryingOthers(migration, second)
        try copying(oldPath: old, second)
        for store in [first, second] {
            #expect(try store.entries() == settings.entries())
            #expect(try store.verify().isIntact)
        }
    }

    @Test func theCodeOfTheArticleIsTheCodeThatIsTested() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let article = try String(
            contentsOf: root.appending(path: "Sources/LarderStores/LarderStores.docc/MovingIn.md"),
            encoding: .utf8
        )
        let printed = article.matches(of: /```swift\n(?<code>[\s\S]*?)```/).map(\.code).joined(separator: "\n")
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let tested = source.matches(of: /\/\/ MovingIn\n(?<code>[\s\S]*?) *\/\/ end\n/).map(\.code).joined(
            separator: "\n"
        )
        #expect(Self.lines(printed) == Self.lines(tested))
    }

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}
