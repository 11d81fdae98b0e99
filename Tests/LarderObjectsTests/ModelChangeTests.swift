#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import Testing

/// Tests of schema changes that are applied or refused when a file is opened with a later model.
@Suite struct ModelChangeTests {
    enum First {
        @Entity final class Note {
            var text = ""
            var stars: Int = 0
        }
    }
    enum Added {
        @Entity final class Note {
            @Attribute(.indexed) var text = ""
            var stars: Int = 0
            var isPinned = true
            var subtitle: String?
            @Relationship var folder: Folder?
        }
        @Entity final class Folder {
            var name = ""
            @Relationship(inverse: \Note.folder) var notes: [Note]
        }
    }
    enum Required {
        @Entity final class Note {
            var text = ""
            var stars: Int = 0
            var author: String
        }
    }
    enum Renamed {
        @Entity final class Note {
            @Attribute(.searchable, was: "text") var body = ""
            @Attribute(was: "stars") var rating: Int = 0
        }
    }
    typealias NoteBefore = IndexedBefore.Note
    typealias NoteAfter = IndexedAfter.Note
    enum IndexedBefore {
        @Entity(indexes: [["rating", "title"]]) final class Note {
            @Attribute(.searchable, .unique) var title = ""
            var rating: Int = 0
        }
    }
    enum IndexedAfter {
        @Entity(indexes: [["rating", "body"]]) final class Note {
            @Attribute(.searchable, .unique, was: "title") var body = ""
            var rating: Int = 0
        }
    }
    enum Retyped {
        @Entity final class Note {
            var text = ""
            var stars: [String] = []
        }
    }

    private func withFirst(_ body: (URL, ObjectStorageConfiguration) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("notes.sqlite")
            let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
            let manager = try SQLiteStorageManager(
                model: ObjectModel([First.Note.self]),
                url: url,
                configuration: configuration
            )
            try await manager.performAndSave { try $0.insertNewObject(ofType: First.Note.self).text = "kept" }
            try manager.close()
            try await body(url, configuration)
        }
    }

    @Test func openAddsNewAttributesAndEntities() async throws {
        try await withFirst { url, configuration in
            let model = ObjectModel([Added.Note.self, Added.Folder.self], version: 2)
            let manager = try SQLiteStorageManager(model: model, url: url, configuration: configuration)
            let note = try #require(try manager.viewStorage.firstObject(ofType: Added.Note.self))
            #expect(note.text == "kept" && note.isPinned && note.subtitle == nil && note.folder == nil)
            try await manager.performAndSave { storage in
                let folder = try storage.insertNewObject(ofType: Added.Folder.self)
                folder.notes = try storage.allObjects(ofType: Added.Note.self)
            }
            #expect(note.folder != nil)
            #expect(try manager.verify().isIntact)
            try manager.close()
            try SQLiteStorageManager(model: model, url: url, configuration: configuration).close()
        }
    }

    @Test func renamedAttributeKeepsValues() async throws {
        try await withFirst { url, configuration in
            for _ in 0..<2 {
                let model = ObjectModel([Renamed.Note.self], version: 2)
                let manager = try SQLiteStorageManager(model: model, url: url, configuration: configuration)
                let note = try #require(try manager.viewStorage.firstObject(ofType: Renamed.Note.self))
                #expect(note.body == "kept" && note.rating == 0)
                #expect(try manager.verify().isIntact)
                try manager.close()
            }
        }
    }

    @Test func newSearchableAttributeIsBackfilled() async throws {
        try await withFirst { url, configuration in
            let model = ObjectModel([Renamed.Note.self])
            let manager = try SQLiteStorageManager(model: model, url: url, configuration: configuration)
            let found = try manager.viewStorage.countObjects(
                ofType: Renamed.Note.self,
                matching: (\Renamed.Note.body).containsIgnoringCaseAndAccents("KÉP")
            )
            #expect(found == 1)
            try manager.close()
        }
    }

    @Test func indexesOfRenamedAttributeAreRebuilt() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("notes.sqlite")
            let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
            let first = try SQLiteStorageManager(
                model: ObjectModel([NoteBefore.self]),
                url: url,
                configuration: configuration
            )
            try await first.performAndSave { try $0.insertNewObject(ofType: NoteBefore.self).title = "kept" }
            try await first.write { try $0.execute(sql: "UPDATE larder_model SET version = 1") }
            try first.close()
            let model = ObjectModel([NoteAfter.self])
            let manager = try SQLiteStorageManager(model: model, url: url, configuration: configuration)
            let names = try await manager.write { database in
                try String.fetchAll(
                    database,
                    sql: "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name"
                )
            }
            #expect(names == ["Note.index.rating,body", "Note.unique.body"])
            #expect(try manager.viewStorage.firstObject(ofType: NoteAfter.self)?.body == "kept")
            #expect(try manager.verify().isIntact)
            try manager.close()
        }
    }

    @Test(arguments: [0, 1]) func databaseWithIncompatibleSchemaIsRejectedUnchanged(_ index: Int) async throws {
        let types: [any Object.Type] = [Required.Note.self, Retyped.Note.self]
        try await withFirst { url, configuration in
            let content = try Data(contentsOf: url)
            let error = #expect(throws: ObjectError.self) {
                _ = try SQLiteStorageManager(model: ObjectModel([types[index]]), url: url, configuration: configuration)
            }
            #expect(error?.code == .modelMismatch)
            #expect(error?.problems.count == 1)
            #expect(try Data(contentsOf: url) == content)
        }
    }

    @Test func rejectedDatabaseKeepsWALUnchanged() async throws {
        try await withTemporaryFolder { folder in
            let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
            let (url, copy) = (folder.appendingPathComponent("a.sqlite"), folder.appendingPathComponent("b.sqlite"))
            let first = try SQLiteStorageManager(
                model: ObjectModel([First.Note.self]),
                url: url,
                configuration: configuration
            )
            try await first.performAndSave { try $0.insertNewObject(ofType: First.Note.self).text = "in the log" }
            // As after a crash, the last commits are only in the log.
            func file(_ url: URL, _ suffix: String) -> URL { URL(fileURLWithPath: url.path + suffix) }
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(at: file(url, suffix), to: file(copy, suffix))
            }
            try first.close()
            let bytes = try ["", "-wal"].map { try Data(contentsOf: file(copy, $0)) }
            #expect(!bytes[1].isEmpty)
            let error = #expect(throws: ObjectError.self) {
                try SQLiteStorageManager(
                    model: ObjectModel([Retyped.Note.self]),
                    url: copy,
                    configuration: configuration
                )
            }
            #expect(error?.code == .modelMismatch)
            #expect(try ["", "-wal"].map { try Data(contentsOf: file(copy, $0)) } == bytes)
            let second = try SQLiteStorageManager(
                model: ObjectModel([First.Note.self]),
                url: copy,
                configuration: configuration
            )
            #expect(try second.viewStorage.allObjects(ofType: First.Note.self).map(\.text) == ["in the log"])
            #expect(try second.verify().problems == [])
            try second.close()
        }
    }

    @Test func quarantinePolicyRenamesDatabaseWithIncompatibleSchema() async throws {
        try await withFirst { url, configuration in
            var configuration = configuration
            configuration.onMismatch = .quarantineAndRecreate
            let content = try Data(contentsOf: url)
            let codes = Box<[LarderIssue.Code]>([])
            let manager = try withIssueHandler({ codes.value.append($0.code) }) {
                try SQLiteStorageManager(
                    model: ObjectModel([Required.Note.self]),
                    url: url,
                    configuration: configuration
                )
            }
            #expect(codes.value == [.earlierValues])
            #expect(try manager.viewStorage.countObjects(ofType: Required.Note.self) == 0)
            #expect(try Data(contentsOf: URL(fileURLWithPath: url.path + ".quarantined-1")) == content)
            #expect(try manager.verify().isIntact)
        }
    }
}
#endif
