#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import Testing

/// Tests of migrations that are inferred when a file is opened.
@Suite struct MigrationTests {
    enum First {
        @Entity(indexes: [["stars", "text"]]) final class Note {
            @Attribute(.indexed) var text = ""
            var stars: Int = 0
            @Attribute(.searchable) var title: String = ""
            var fax: String?
            @Relationship var folder: Folder?
        }
        @Entity final class Folder {
            var name = ""
            @Relationship(inverse: \Note.folder, ordered: true) var notes: [Note]
        }
        static let model = ObjectModel([Note.self, Folder.self])
        static func fill(_ storage: any WritableStorageType) throws {
            let folder = try storage.insertNewObject(ofType: Folder.self)
            folder.name = "folder"
            for number in 0..<50 {
                let note = try storage.insertNewObject(ofType: Note.self)
                (note.text, note.stars, note.title) = ("text \(number)", number, "É\(number)")
                if number % 2 == 0 { note.fax = "fax \(number)" }
            }
            folder.notes = try storage.allObjects(ofType: Note.self).reversed()
        }
    }
    enum Removed {
        @Entity(dropping: ["fax", "stars"]) final class Note {
            var text = ""
            var title: String = ""
            @Relationship var folder: Folder?
        }
        @Entity final class Folder {
            var name = ""
            @Relationship(inverse: \Note.folder, ordered: true) var notes: [Note]
        }
    }
    enum Retyped {
        @Entity final class Note {
            @Attribute(.indexed) var text = ""
            @Attribute(.searchable) var stars: String = ""
            @Attribute(.searchable) var title: String = ""
            var fax: String?
            var identifier: UUID = UUID()
            @Relationship var folder: Folder?
        }
        @Entity final class Folder {
            @Attribute(.indexed) var name = ""
            @Relationship(inverse: \Note.folder, ordered: true) var notes: [Note]
        }
    }
    enum Swapped {
        @Entity(indexes: [["stars", "text"]]) final class Note {
            @Attribute(.indexed, was: "title") var text = ""
            var stars: Int = 0
            @Attribute(.searchable, was: "text") var title: String = ""
            var fax: String?
            @Relationship var folder: Folder?
        }
        @Entity final class Folder {
            var name = ""
            @Relationship(inverse: \Note.folder, ordered: true) var notes: [Note]
        }
    }
    enum RenamedEntities {
        @Entity(indexes: [["stars", "text"]], was: "Folder") final class Note {
            @Attribute(was: "name") var text = ""
            var stars: Int = 7
            @Relationship(inverse: \Folder.parent, ordered: true, was: "notes") var children: [Folder]
        }
        @Entity(was: "Note", dropping: ["stars", "title", "fax"]) final class Folder {
            @Attribute(.indexed) var text = ""
            @Relationship(was: "folder") var parent: Note?
        }
    }
    enum Linked {
        @Entity(dropping: ["folder"]) final class Note {
            @Attribute(.unique) var text = ""
            var stars: Int?
            var title: String = ""
            var fax: String?
            @Relationship(inverse: \Folder.members) var groups: [Folder]
            @Relationship(inverse: \Folder.first) var isFirstOf: Folder?
        }
        @Entity final class Folder {
            var name = ""
            @Relationship var members: [Note]
            @Relationship var first: Note?
        }
    }

    private func withFirst(_ body: (MigratingFile) async throws -> Void) async throws {
        try await withFile(of: First.model, fill: First.fill, body)
    }

    @Test func columnOfRemovedAttributeIsDropped() async throws {
        try await withFirst { file in
            let model = ObjectModel([Removed.Note.self, Removed.Folder.self], version: 2)
            let isEqual = try await file.migrate(to: model) { manager in
                let notes = try manager.viewStorage.allObjects(ofType: Removed.Note.self)
                #expect(notes.map(\.text) == (0..<50).map { "text \($0)" })
                let folder = try #require(try manager.viewStorage.firstObject(ofType: Removed.Folder.self))
                #expect(folder.notes.map(\.title) == (0..<50).reversed().map { "É\($0)" })
            }
            #expect(isEqual)
        }
    }

    @Test func valuesOfRetypedAttributeAreConverted() async throws {
        try await withFirst { file in
            let model = ObjectModel([Retyped.Note.self, Retyped.Folder.self], version: 2)
            let isEqual = try await file.migrate(to: model) { manager in
                let notes = try manager.viewStorage.allObjects(ofType: Retyped.Note.self)
                #expect(notes.map(\.stars) == (0..<50).map { "\($0)" })
                #expect(notes.map(\.fax) == (0..<50).map { $0 % 2 == 0 ? "fax \($0)" : nil })
                // A default that differs from call to call is evaluated for each row.
                #expect(Set(notes.map(\.identifier)).count == 50)
                let folder = try #require(try manager.viewStorage.firstObject(ofType: Retyped.Folder.self))
                #expect(folder.notes.map(\.stars) == (0..<50).reversed().map { "\($0)" })
            }
            #expect(isEqual)
        }
    }

    @Test func attributeNameSwapIsMigratedOnlyOnce() async throws {
        try await withFirst { file in
            for version in [2, 2, 3] {
                let model = ObjectModel([Swapped.Note.self, Swapped.Folder.self], version: version)
                let isEqual = try await file.migrate(to: model) { manager in
                    let notes = try manager.viewStorage.allObjects(ofType: Swapped.Note.self)
                    #expect(notes.map(\.text) == (0..<50).map { "É\($0)" })
                    #expect(notes.map(\.title) == (0..<50).map { "text \($0)" })
                }
                #expect(isEqual)
            }
            // Without former names, properties with the same names are the same properties.
            let isEqual = try await file.migrate(to: ObjectModel([First.Note.self, First.Folder.self], version: 4)) {
                let note = try $0.viewStorage.firstObject(ofType: First.Note.self)
                #expect(note?.text == "É0")
            }
            #expect(isEqual)
        }
    }

    @Test func migrationAddsAndDropsIndexes() async throws {
        try await withFirst { file in
            for model in [ObjectModel([Retyped.Note.self, Retyped.Folder.self], version: 2)] {
                #expect(try await file.migrate(to: model) { _ in })
            }
            let names = try await SchemaProbe.values(
                of: file.url,
                "SELECT name FROM sqlite_schema WHERE type = 'index' AND name NOT LIKE 'sqlite%' ORDER BY name"
            )
            #expect(names == ["Folder.index.name", "Note.index.folder", "Note.index.text"])
        }
    }

    @Test func migrationKeepsObjectIDs() async throws {
        try await withFirst { file in
            let before = try await SchemaProbe.values(of: file.url, "SELECT objectID FROM Note ORDER BY text")
            let model = ObjectModel([Retyped.Note.self, Retyped.Folder.self], version: 2)
            try file.open(model).close()
            #expect(try await SchemaProbe.values(of: file.url, "SELECT objectID FROM Note ORDER BY text") == before)
        }
    }

    @Test func twoEntitiesCanSwapNames() async throws {
        try await withFirst { file in
            let model = ObjectModel([RenamedEntities.Note.self, RenamedEntities.Folder.self], version: 2)
            let isEqual = try await file.migrate(to: model) { manager in
                let note = try #require(try manager.viewStorage.firstObject(ofType: RenamedEntities.Note.self))
                #expect(note.text == "folder" && note.stars == 7)
                #expect(note.children.map(\.text) == (0..<50).reversed().map { "text \($0)" })
            }
            #expect(isEqual)
            let former = try await SchemaProbe.values(
                of: file.url,
                "SELECT former || ' ' || current FROM larder_former_name ORDER BY 1"
            )
            #expect(former == ["Folder Note", "Note Folder"])
        }
    }

    @Test func migrationAddsAndDropsRelationships() async throws {
        try await withFirst { file in
            let model = ObjectModel([Linked.Note.self, Linked.Folder.self], version: 2)
            let isEqual = try await file.migrate(to: model) { manager in
                try await manager.performAndSave { storage in
                    let folder = try #require(try storage.firstObject(ofType: Linked.Folder.self))
                    #expect(folder.members.isEmpty && folder.first == nil)
                    folder.members = try storage.allObjects(ofType: Linked.Note.self)
                    folder.first = folder.members.first
                }
                let note = try manager.viewStorage.firstObject(ofType: Linked.Note.self)
                #expect(note?.isFirstOf?.name == "folder")
            }
            #expect(isEqual)
        }
    }

    @Test func migrationThrowsBusyWhileAnotherConnectionIsOpen() async throws {
        try await withFirst { file in
            let other = try DatabaseQueue(path: file.url.path)
            #expect(try await other.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM Note") } == 50)
            let model = ObjectModel([Retyped.Note.self, Retyped.Folder.self], version: 2)
            let error = #expect(throws: ObjectError.self) { try file.open(model) }
            #expect(error?.code == .busy)
            #expect(error?.message.contains("was not migrated") == true)
            try other.close()
            let manager = try file.open(model)
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    @Test func schemaHistoryRecordsEveryMigrationStep() async throws {
        try await withFirst { file in
            try file.open(ObjectModel([Removed.Note.self, Removed.Folder.self], version: 2)).close()
            let versions = try await SchemaProbe.values(
                of: file.url,
                "SELECT version FROM larder_history ORDER BY step"
            )
            #expect(versions == ["1", "2"])
            let summary =
                try await SchemaProbe.values(
                    of: file.url,
                    "SELECT summary FROM larder_history ORDER BY step DESC LIMIT 1"
                ).first ?? nil
            let text = try #require(summary)
            #expect(text.contains("drop Note.fax"))
            #expect(text.contains(#"{"count":25,"entity":"Note","kind":"attribute","property":"fax"}"#))
        }
    }

    @Test func migrationWithUnchangedTablesOnlyIncreasesVersion() async throws {
        try await withFirst { file in
            let model = ObjectModel([First.Note.self, First.Folder.self], version: 5)
            let preview = try SQLiteStorageManager.migrationPreview(of: file.url, model: model)
            #expect(preview.losses.isEmpty && !preview.isEmpty)
            #expect(try await file.migrate(to: model) { _ in })
            #expect(try SQLiteStorageManager.migrationPreview(of: file.url, model: model).isEmpty)
            let error = #expect(throws: ObjectError.self) { try file.open(First.model) }
            #expect(error?.code == .storeIsNewer)
        }
    }

    enum Plain {
        @Entity final class Page { var number: Int = 0 }
    }
    enum Searchable {
        @Entity final class Page {
            var number: Int = 0
            @Attribute(.searchable) var title: String = "Ärger"
        }
    }

    @Test func newSearchableAttributeIsFoundByDefaultValue() async throws {
        try await withFile(of: ObjectModel([Plain.Page.self])) { storage in
            try storage.insertNewObject(ofType: Plain.Page.self).number = 1
        } _: { file in
            let isEqual = try await file.migrate(to: ObjectModel([Searchable.Page.self], version: 2)) { manager in
                let request = ObjectRequest<Searchable.Page>(
                    Filter(#Predicate { $0.title.localizedStandardContains("arger") })
                )
                let found = try manager.viewStorage.objects(request)
                #expect(found.count == 1)
            }
            #expect(isEqual)
        }
    }
}
#endif
