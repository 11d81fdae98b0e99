import Foundation
import Larder
import Testing

// The code of the README, in its order. The test below compares it with the README.

// README
extension DefaultsKeys {
    var launchCount: DefaultsKey<Int> { DefaultsKey("launchCount", defaultValue: 0) }
}
// end

private struct Profile: Codable {
    var name: String
}

private func readmeCode(path: String, profile: Profile) throws {
    // README
    Defaults[\.launchCount] += 1

    let store = try DeviceStore(path: path)
    try store.set(profile, for: "profile")  // any Codable type
    let name = try store.value(Profile.self, for: "profile")?.name ?? "unknown"

    let circle = DeviceStorageDataSource<Double>(store, storageType: .escapedPrefix("Double"))
    circle.put(3.14159265359, forId: "pi")
    let pi = try store.value(String.self, for: "Double.pi")  // "3.14159265359"

    try store.transaction { transaction in
        let count = try transaction.value(Int.self, for: "count") ?? 0
        try transaction.set(count + 1, for: "count")
    }
    // end
    #expect(name == "Ann")
    #expect(pi == "3.14159265359")
    #expect(try store.keys() == ["Double.pi", "count", "profile"])
    #expect(try store.get("count") == 1)
    #expect(Defaults.launchCount == 1)
    #expect(try store.verify().isIntact)
}

@Suite struct ReadmeTests {
    @Test func readmeCodeRunsAsDocumented() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "larder-readme-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try readmeCode(path: folder.appending(path: "store.larder").path, profile: Profile(name: "Ann"))
    }

    @Test func readmeCodeMatchesTestedCode() throws {
        let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
        let printed = try #require(readme.firstMatch(of: /```swift\nimport Larder\n(?<code>[\s\S]*?)```/))
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let tested = source.matches(of: /\/\/ README\n(?<code>[\s\S]*?) *\/\/ end\n/).map(\.code).joined(
            separator: "\n"
        )
        #expect(Self.lines(printed.code) == Self.lines(tested))
    }

    @Test(arguments: [
        "README.md", "CONTRIBUTING.md", "Documentation/Architecture.md", "Documentation/Decisions/README.md",
        "Documentation/SourceDocuments.md",
    ])
    func everyLinkInDocumentPointsToExistingFile(document: String) throws {
        let file = Self.root.appending(path: document)
        for match in try String(contentsOf: file, encoding: .utf8).matches(of: /\]\((?<target>[^)#:]+)\)/) {
            let target = file.deletingLastPathComponent().appending(path: String(match.target))
            #expect(FileManager.default.fileExists(atPath: target.path), "\(match.target)")
        }
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Returns the nonempty lines without their indentation, which differs between a function body and an article.
    private static func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}
