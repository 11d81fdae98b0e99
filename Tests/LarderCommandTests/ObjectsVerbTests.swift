#if Command && Objects
import Foundation
import LarderCore
import LarderObjects
import Testing

@testable import LarderCommand

/// A later version of the model that gives up the notes of books, which it allows.
enum WithoutNote {
    @Entity(dropping: ["note"]) final class Book {
        @Attribute(.unique) var number: Int64
        var title: String
        var price: Decimal = 0
        @Relationship(deleteRule: .cascade, inverse: \Chapter.book, ordered: true) var chapters: [Chapter]
    }
    @Entity final class Chapter {
        var title: String
        @Relationship var book: Book?
    }
}

/// Tests the actions of `larder objects FILE` that compare, copy and recover databases.
@Suite struct ObjectsVerbTests {
    private static let bar = "[################################] 100 %"

    /// Writes a copy of a database in which bytes are inverted.
    private func damaged(_ path: String, _ folder: URL, from page: Int = 4, keeping last: Int = 0) throws -> String {
        var content = try Data(contentsOf: URL(filePath: path))
        for offset in stride(from: 4_096 * page, to: content.count - 4_096 * last, by: 64) { content[offset] ^= 0xFF }
        let damaged = folder.appending(path: "damaged.sqlite")
        try content.write(to: damaged)
        return damaged.path
    }

    private func count(_ path: String) throws -> Int {
        let database = try ObjectDatabase(reading: path)
        defer { database.close() }
        #expect(try database.verify() == [])
        return database.entities.reduce(0) { $0 + $1.count }
    }

    // MARK: diff

    @Test func diffPrintsMigrationToNewerModel() async throws {
        try await withBooks { path, folder throws in
            let later = folder.appending(path: "later.sqlite").path
            try makeDatabase(later, [Later.Book.self, Later.Chapter.self, Later.Author.self], version: 2).close()
            let run = Invocation("objects", path, "diff", later)
            #expect(run.status == 0 && run.complaint.isEmpty)
            #expect(
                run.output == """
                    version 1 to 2, 0 rows rewritten
                      create Author
                      add Book.subtitle
                      create index Book.index.title

                    """
            )
            #expect(Invocation("objects", path, "diff", path).output == "no difference\n")
        }
    }

    @Test func diffListsAllowedAndRefusedDataLosses() async throws {
        try await withBooks { path, folder throws in
            let later = folder.appending(path: "later.sqlite").path
            try makeDatabase(later, [WithoutNote.Book.self, WithoutNote.Chapter.self], version: 2).close()
            let allowed = Invocation("objects", path, "diff", later)
            #expect(allowed.status == 0)
            #expect(allowed.output.contains("allowed: Book.note: 1 value would be dropped (first: Book/3)\n"))
            // In the other direction, the file is newer, and nothing allows what would be lost.
            let newer = folder.appending(path: "newer.sqlite").path
            try makeDatabase(newer, [Later.Book.self, Later.Chapter.self, Later.Author.self], version: 2).close()
            let refused = Invocation("objects", newer, "diff", path)
            #expect(refused.status == 1)
            #expect(refused.output.contains("refused: Author: 0 objects would be dropped. Write ObjectModel"))
            #expect(refused.output.contains("refused: Book.subtitle: 0 values would be dropped. Write @Entity"))
            #expect(
                refused.output.contains("refused: The file has version 2 of the model, which is newer than version 1.")
            )
            #expect(refused.complaint.contains("because of 3 problems. Resolve each problem with a declaration"))
        }
    }

    @Test func diffPrintsJSON() async throws {
        try await withBooks { path, folder throws in
            let later = folder.appending(path: "later.sqlite").path
            try makeDatabase(later, [WithoutNote.Book.self, WithoutNote.Chapter.self], version: 2).close()
            let object = try Invocation("objects", path, "diff", later, "--format", "json").object()
            #expect(object["isRefused"] as? Bool == false && object["refusals"] as? [String] == [])
            #expect(object["database"] as? String == path && object["other"] as? String == later)
            let steps = try #require(object["steps"] as? [[String: Any]])
            #expect(
                steps.map { $0["toVersion"] as? Int } == [2] && steps[0]["actions"] as? [String] == ["drop Book.note"]
            )
            let losses = try #require(object["losses"] as? [[String: Any]])
            #expect(losses.map { $0["kind"] as? String } == ["attribute"] && losses[0]["count"] as? Int == 1)
            #expect(losses[0]["isAllowed"] as? Bool == true && losses[0]["objects"] as? [String] == ["Book/3"])
            let refused = Invocation("objects", later, "diff", path, "--format", "json")
            #expect(refused.status == 1)
            #expect(try refused.object()["isRefused"] as? Bool == true)
        }
    }

    // MARK: freeze

    @Test func frozenModelCanBeDiffed() async throws {
        try await withBooks { path, folder throws in
            let models = folder.appending(path: "Models").path
            let run = Invocation("objects", path, "freeze", models)
            #expect(run.status == 0)
            #expect(run.output == "Wrote version 1 of the model of \"\(path)\" to \"\(models)/v1.json\".\n")
            let frozen = try FrozenModel(contentsOf: URL(filePath: models + "/v1.json"))
            #expect(try frozen == ObjectModel([Book.self, Chapter.self]).frozen())
            #expect(Invocation("objects", path, "diff", models + "/v1.json").output == "no difference\n")
            let object = try Invocation("objects", path, "freeze", models, "--format", "json").object()
            #expect(object["model"] as? String == models + "/v1.json" && object["version"] as? Int == 1)
            #expect(object["fingerprint"] as? String == frozen.fingerprint)
        }
    }

    @Test func freezeDoesNotOverwriteFileOfDifferentModel() async throws {
        try await withBooks { path, folder throws in
            let models = folder.appending(path: "Models")
            let url = try ObjectModel([Later.Book.self, Later.Chapter.self]).freeze(in: models)
            let content = try Data(contentsOf: url)
            let run = Invocation("objects", path, "freeze", models.path)
            #expect(run.status == 2 && run.complaint.contains("already frozen"))
            #expect(try Data(contentsOf: url) == content)
        }
    }

    // MARK: history

    @Test func historyListsMigrations() async throws {
        try await withBooks { path, folder throws in
            let copy = folder.appending(path: "copy.sqlite").path
            #expect(Invocation("objects", path, "backup", copy).status == 0)
            try makeDatabase(copy, [WithoutNote.Book.self, WithoutNote.Chapter.self], version: 2).close()
            let run = Invocation("objects", copy, "history")
            let lines = run.output.split(separator: "\n")
            #expect(run.status == 0 && lines.count == 6)
            #expect(lines[0].contains("  version 1  ") && lines[1] == "  create the database")
            #expect(lines[2].contains("  version 2  ") && lines[3] == "  drop Book.note")
            #expect(lines[4] == "  lost: Book.note, 1 (attribute)" && lines[5] == "  backup: copy.sqlite.version-1")
            let json = Invocation("objects", copy, "history", "--format", "json").output
            let entries = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
            #expect(entries.map { $0["version"] as? Int } == [1, 2])
            #expect(entries[0]["backup"] is NSNull && entries[1]["backup"] as? String == "copy.sqlite.version-1")
            #expect((entries[1]["losses"] as? [[String: Any]])?.first?["count"] as? Int == 1)
        }
    }

    @Test func databaseInVersion1FormatHasNoHistory() throws {
        try withFolder { folder throws in
            let golden = URL(filePath: #filePath).appending(path: "../../LarderObjectsTests/Golden/objects-v1.sqlite")
            let path = folder.appending(path: "old.sqlite").path
            try FileManager.default.copyItem(at: golden.standardized, to: URL(filePath: path))
            let run = Invocation("objects", path, "history")
            #expect(run.status == 0 && run.output.hasPrefix("The database has no history before its first migration"))
            #expect(Invocation("objects", path, "history", "--format", "json").output == "[]\n")
            let freeze = Invocation("objects", path, "freeze", folder.appending(path: "Models").path)
            #expect(freeze.status == 0 && freeze.complaint.contains("lacks declarations and enumerations"))
        }
    }

    // MARK: verify

    @Test func deepVerifyFindsInvalidValuesThatSQLiteAccepts() async throws {
        try await withBooks { path, folder throws in
            let intact = Invocation("objects", path, "verify", "--deep")
            #expect(intact.status == 0 && intact.output.hasPrefix("Checked 3 objects in \"\(path)\", model version 1."))
            // The title of a book is turned into an invalid price by exchanging two columns of the stored description.
            let copy = folder.appending(path: "copy.sqlite").path
            var text = try Data(contentsOf: URL(filePath: path))
            for (old, new) in [("\"format\":\"string\"", "\"format\":\"uint64\"")] {
                while let range = text.range(of: Data(old.utf8)) { text.replaceSubrange(range, with: Data(new.utf8)) }
            }
            try text.write(to: URL(filePath: copy))
            #expect(Invocation("objects", copy, "verify").status == 0)
            let deep = Invocation("objects", copy, "verify", "--deep")
            #expect(deep.status == 2 && deep.output.isEmpty)
            #expect(
                deep.complaint.contains(
                    "Book/1.title: The stored value can't be converted to uint64. Set another value."
                )
            )
            #expect(deep.complaint.contains("has 4 problems"))
            let object = try Invocation("objects", copy, "verify", "--deep", "--format", "json").object()
            #expect(object["isIntact"] as? Bool == false && object["checkedObjects"] as? Int == 3)
            let problems = try #require(object["problems"] as? [[String: Any]])
            #expect(problems.count == 4 && problems[0]["key"] as? String == "Book/1.title")
        }
    }

    @Test func verifyPrintsJSON() async throws {
        try await withBooks { path, folder throws in
            let object = try Invocation("objects", path, "verify", "--format", "json").object()
            #expect(object["isIntact"] as? Bool == true && object["checkedObjects"] as? Int == 3)
            #expect(object["modelVersion"] as? Int == 1 && (object["problems"] as? [Any])?.isEmpty == true)
            let damaged = Invocation("objects", try damaged(path, folder), "verify", "--format", "json")
            #expect(damaged.status == 2)
            #expect(try damaged.object()["isIntact"] as? Bool == false)
        }
    }

    // MARK: backup and restore

    @Test func backupCopiesDatabase() async throws {
        try await withBooks { path, folder throws in
            let copy = folder.appending(path: "copies/copy.sqlite").path
            let run = Invocation("objects", path, "backup", copy)
            #expect(run.status == 0 && run.output == "Copied \"\(path)\" to \"\(copy)\".\n")
            #expect(try count(copy) == 3)
            let again = Invocation("objects", path, "backup", copy)
            #expect(again.status == 2 && again.complaint.contains("A file already exists at \"\(copy)\""))
            let other = folder.appending(path: "other.sqlite").path
            let object = try Invocation("objects", path, "backup", other, "--format", "json").object()
            #expect(object["backup"] as? String == other && object["objects"] as? Int == 3)
        }
    }

    @Test func openDatabaseCanBeBackedUpButNotReplaced() async throws {
        try await withBooks { path, folder throws in
            let used = folder.appending(path: "used.sqlite").path
            #expect(Invocation("objects", path, "backup", used).status == 0)
            let manager = try makeDatabase(used, [Book.self, Chapter.self])
            let copy = folder.appending(path: "copy.sqlite").path
            #expect(Invocation("objects", used, "backup", copy).status == 0)
            #expect(try count(copy) == 3)
            for action in [["restore", path], ["salvage", folder.appending(path: "new").path]] {
                let run = Invocation(["objects", used] + action)
                #expect(run.status == 2 && run.complaint.contains("open"), "\(run.complaint)")
            }
            #expect(try manager.verify().isIntact)
            try manager.close()
        }
    }

    @Test func restoreReplacesDatabaseAndKeepsPreviousFile() async throws {
        try await withBooks { path, folder throws in
            let target = folder.appending(path: "target.sqlite").path
            let made = try Invocation("objects", target, "restore", path, "--format", "json").object()
            #expect(made["database"] as? String == target && made["movedTo"] is NSNull)
            let run = Invocation("objects", target, "restore", path)
            #expect(run.status == 0)
            #expect(run.output.contains("Restored \"\(target)\" from \"\(path)\".\n"))
            #expect(run.output.contains("The previous database was moved to \"\(target).quarantined-1\".\n"))
            #expect(try count(target) == 3 && count(target + ".quarantined-1") == 3)
        }
    }

    @Test func corruptOrMissingBackupIsNotRestored() async throws {
        try await withBooks { path, folder throws in
            let content = try Data(contentsOf: URL(filePath: path))
            let damaged = Invocation("objects", path, "restore", try damaged(path, folder))
            #expect(damaged.status == 2 && damaged.complaint.contains("damaged"))
            let missing = Invocation("objects", path, "restore", folder.appending(path: "none").path)
            #expect(missing.status == 1 && missing.complaint.contains("There is no file"))
            #expect(try Data(contentsOf: URL(filePath: path)) == content)
        }
    }

    // MARK: salvage

    @Test func salvageCopiesReadableObjects() async throws {
        try await withBooks { path, folder throws in
            // The command needs the model, whose end is on the last pages.
            let broken = try damaged(path, folder, from: 8, keeping: 2)
            let copy = folder.appending(path: "copy.sqlite").path
            let run = Invocation("objects", broken, "salvage", copy)
            #expect(run.status == 0, "\(run.complaint)")
            #expect(run.output.hasPrefix("ENTITY   KEPT  LOST"))
            #expect(run.output.hasSuffix("Copied the readable objects of \"\(broken)\" to \"\(copy)\".\n"))
            _ = try count(copy)
            let again = Invocation("objects", broken, "salvage", copy)
            #expect(again.status == 2 && again.complaint.contains("A file already exists"))
        }
    }

    @Test func salvagePrintsJSON() async throws {
        try await withBooks { path, folder throws in
            let copy = folder.appending(path: "copy.sqlite").path
            let object = try Invocation("objects", path, "salvage", copy, "--format", "json").object()
            #expect(object["isComplete"] as? Bool == true && object["copy"] as? String == copy)
            let entities = try #require(object["entities"] as? [[String: Any]])
            #expect(entities.map { $0["name"] as? String } == ["Book", "Chapter"])
            #expect(
                entities.map { $0["kept"] as? Int } == [2, 1] && entities.map { $0["mostLost"] as? Int } == [0, 0]
            )
            #expect(try count(copy) == 3)
        }
    }

    @Test func salvageUsesFrozenModelIfModelDescriptionIsLost() async throws {
        try await withBooks { path, folder throws in
            let models = folder.appending(path: "Models").path
            #expect(Invocation("objects", path, "freeze", models).status == 0)
            var content = try Data(contentsOf: URL(filePath: path))
            content.replaceSubrange(0..<4_096, with: Data(count: 4_096))
            let broken = folder.appending(path: "broken.sqlite")
            try content.write(to: broken)
            let copy = folder.appending(path: "copy.sqlite").path
            let without = Invocation("objects", broken.path, "salvage", copy)
            #expect(without.status == 2 && !FileManager.default.fileExists(atPath: copy))
            let run = Invocation("objects", broken.path, "salvage", copy, "--model", models + "/v1.json")
            #expect(run.status == 0, "\(run.complaint)")
            #expect(FileManager.default.fileExists(atPath: copy))
        }
    }

    // MARK: Failures and progress

    /// The actions with their arguments.
    ///
    /// "FILE" is replaced with the path of the database, and "NEW" with a path where no file exists.
    static let actions = [
        ["diff", "FILE"], ["freeze", "NEW"], ["history"], ["verify"], ["verify", "--deep"], ["backup", "NEW"],
        ["salvage", "NEW"], ["restore", "FILE"],
    ]

    private func arguments(_ action: [String], _ path: String, _ folder: URL) -> [String] {
        action.map { ["FILE": path, "NEW": folder.appending(path: "new").path][$0] ?? $0 }
    }

    @Test(arguments: actions)
    func everyActionExitsWithStatusOneIfFileIsMissing(action: [String]) throws {
        try withFolder { folder throws in
            let path = folder.appending(path: "none.sqlite").path
            let run = Invocation(["objects", path] + arguments(action, path, folder))
            #expect(run.status == 1 && run.output.isEmpty)
            #expect(run.complaint.contains("There is no file at \"\(path)\". Check the path."))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    @Test(arguments: actions)
    func everyActionRejectsDatabaseInNewerFormat(action: [String]) async throws {
        try await withBooks { path, folder throws in
            var content = try Data(contentsOf: URL(filePath: path))
            // The version of Larder's tables, in the header.
            content[63] = 99
            let newer = folder.appending(path: "newer.sqlite")
            try content.write(to: newer)
            let run = Invocation(["objects", newer.path] + arguments(action, newer.path, folder))
            #expect(run.status == 2 && run.output.isEmpty)
            #expect(run.complaint.contains("written by a newer version of Larder"), "\(run.complaint)")
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "new").path))
        }
    }

    @Test(arguments: actions)
    func everyActionRejectsNonDatabaseFile(action: [String]) throws {
        try withFolder { folder throws in
            let path = folder.appending(path: "text").path
            try Data("no database".utf8).write(to: URL(filePath: path))
            let run = Invocation(["objects", path] + arguments(action, path, folder))
            #expect(run.status == 2 && run.output.isEmpty && !run.complaint.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "new").path))
        }
    }

    @Test(arguments: actions.filter { $0.count == 2 && $0[1] != "--deep" })
    func missingArgumentIsRejectedWithUsage(action: [String]) async throws {
        try await withBooks { path, folder throws in
            let missing = Invocation("objects", path, action[0])
            #expect(missing.status == 2 && missing.complaint.contains("Write `larder objects FILE \(action[0]) "))
            let csv = Invocation(["objects", path] + arguments(action, path, folder) + ["--format", "csv"])
            #expect(csv.status == 2 && csv.complaint.contains("Use --format table or json."))
        }
    }

    @Test(arguments: [
        (["verify", "--deep"], "verifying"), (["backup", "NEW"], "backing up"), (["salvage", "NEW"], "salvaging"),
    ])
    func longActionDrawsAndRemovesProgressBar(action: [String], title: String) async throws {
        try await withBooks { path, folder throws in
            let run = Invocation(["objects", path] + arguments(action, path, folder), showsProgress: true)
            #expect(run.status == 0)
            #expect(run.complaint.contains("\(title) \(Self.bar)") && run.complaint.hasSuffix("\r\u{1B}[K"))
        }
    }

    @Test func restoreDrawsAndRemovesProgressBar() async throws {
        try await withBooks { path, folder throws in
            let target = folder.appending(path: "target.sqlite").path
            let run = Invocation(["objects", target, "restore", path], showsProgress: true)
            #expect(run.status == 0)
            #expect(run.complaint.contains("restoring \(Self.bar)") && run.complaint.hasSuffix("\r\u{1B}[K"))
        }
    }
}
#endif
