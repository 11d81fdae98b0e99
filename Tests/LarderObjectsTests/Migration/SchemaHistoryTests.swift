#if Objects
import Foundation
import LarderCore
import LarderObjects
import LarderTesting
import Testing

/// What a file tells about its schema without classes.
@Suite struct SchemaHistoryTests {
    enum First {
        @Entity final class Note {
            var title = ""
            var fax: String?
        }
        static let model = ObjectModel([Note.self])
    }
    enum Second {
        @Entity(dropping: ["fax"]) final class Note {
            var title = ""
            var text: String?
        }
        static let model = ObjectModel([Note.self], version: 2)
    }

    private func withNotes(_ body: (MigratingFile) async throws -> Void) async throws {
        try await withFile(of: First.model) { storage in
            for number in 0..<3 {
                let note = try storage.insertNewObject(ofType: First.Note.self)
                note.fax = number > 0 ? "\(number)" : nil
            }
        } _: { file in
            try await body(file)
        }
    }

    @Test func schemaHistoryListsCreationAndMigrationSteps() async throws {
        try await withNotes { file in
            let created = try SQLiteStorageManager.schemaHistory(of: file.url)
            #expect(created.map(\.model) == [try First.model.frozen()])
            #expect(created.first?.actions == ["create the database"] && created.first?.losses == [])
            #expect(try await file.migrate(to: Second.model) { _ in })
            let history = try SQLiteStorageManager.schemaHistory(of: file.url)
            #expect(history.map(\.model) == [try First.model.frozen(), try Second.model.frozen()])
            let step = try #require(history.last)
            #expect(step.actions == ["add Note.text", "drop Note.fax"])
            #expect(step.losses.map(\.property) == ["fax"] && step.losses.map(\.count) == [2])
            #expect(step.losses.map(\.kind) == [.attribute] && step.losses.map(\.entity) == ["Note"])
            #expect(step.backup == "file.sqlite.version-1")
            #expect(abs(step.date.timeIntervalSinceNow) < 3_600 && history[0].date <= step.date)
        }
    }

    @Test func frozenModelIsReadFromDatabase() async throws {
        try await withNotes { file in
            let frozen = try FrozenModel(ofDatabaseAt: file.url)
            #expect(try frozen == First.model.frozen())
            let folder = file.folder.appendingPathComponent("Models")
            let url = try frozen.write(in: folder)
            #expect(url.lastPathComponent == "v1.json")
            // The class freezes the same bytes.
            #expect(try First.model.freeze(in: folder) == url)
            let other = try ObjectModel([Second.Note.self]).frozen()
            let error = #expect(throws: ObjectError.self) { try other.write(in: folder) }
            #expect(error?.code == .invalidModel)
            #expect(try FrozenModel(contentsOf: url) == frozen)
        }
    }

    @Test func schemaHistoryOfFormat1FileIsEmpty() async throws {
        try await withTemporaryFolder { folder in
            let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appendingPathComponent("Golden/objects-v1.sqlite")
            let copy = folder.appendingPathComponent("copy.sqlite")
            try FileManager.default.copyItem(at: golden, to: copy)
            #expect(try SQLiteStorageManager.schemaHistory(of: copy) == [])
            let missing = folder.appendingPathComponent("missing.sqlite")
            #expect(throws: ObjectError.self) { try SQLiteStorageManager.schemaHistory(of: missing) }
            #expect(throws: ObjectError.self) { try FrozenModel(ofDatabaseAt: missing) }
        }
    }
}
#endif
