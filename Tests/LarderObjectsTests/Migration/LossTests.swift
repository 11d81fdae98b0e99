#if Objects
import Foundation
import LarderCore
import LarderObjects
import Testing

/// Tests that a migration that would lose data fails unless the model declares what to do.
@Suite struct LossTests {
    enum Kind: String, Codable, Sendable, CaseIterable { case small, large }

    enum Old {
        @Entity final class Note {
            var text: String = ""
            var number: Double = 0
            var size: String?
            @Relationship var folder: Folder?
        }
        @Entity final class Folder {
            var name = ""
            @Relationship(inverse: \Note.folder) var notes: [Note]
        }
        static let model = ObjectModel([Note.self, Folder.self])
        static func fill(_ storage: any WritableStorageType) throws {
            let folder = try storage.insertNewObject(ofType: Folder.self)
            for index in 0..<10 {
                let note = try storage.insertNewObject(ofType: Note.self)
                note.text = "text \(index / 2)"
                note.number = Double(index) / 2
                note.size = index < 6 ? (index % 2 == 0 ? "small" : "huge") : nil
                if index < 3 { note.folder = folder }
            }
        }
    }
    enum WithoutText {
        @Entity final class Note {
            var number: Double = 0
            var size: String?
            @Relationship var folder: Folder?
        }
        @Entity final class Folder {
            var name = ""
            @Relationship(inverse: \Note.folder) var notes: [Note]
        }
        enum Allowed {
            @Entity(dropping: ["text"]) final class Note {
                var number: Double = 0
                var size: String?
                @Relationship var folder: Folder?
            }
            @Entity final class Folder {
                var name = ""
                @Relationship(inverse: \Note.folder) var notes: [Note]
            }
        }
    }
    enum WithoutFolder {
        @Entity final class Note {
            var text: String = ""
            var number: Double = 0
            var size: String?
        }
    }
    enum WithoutLinks {
        @Entity final class Note {
            var text: String = ""
            var number: Double = 0
            var size: String?
        }
        @Entity final class Folder { var name = "" }
        enum Allowed {
            @Entity final class Note {
                var text: String = ""
                var number: Double = 0
                var size: String?
            }
            @Entity(dropping: ["notes"]) final class Folder { var name = "" }
        }
    }
    enum Integer {
        @Entity final class Note {
            var text: String = ""
            var number: Int = 0
            var size: String?
            @Relationship var folder: Folder?
        }
        @Entity final class Folder {
            var name = ""
            @Relationship(inverse: \Note.folder) var notes: [Note]
        }
        enum Allowed {
            @Entity final class Note {
                var text: String = ""
                @Attribute(.inexact) var number: Int = 0
                var size: String?
                @Relationship var folder: Folder?
            }
            @Entity final class Folder {
                var name = ""
                @Relationship(inverse: \Note.folder) var notes: [Note]
            }
        }
    }
    enum Sized {
        @Entity final class Note {
            var text: String = ""
            var number: Double = 0
            var size: Kind?
            @Relationship var folder: Folder?
        }
        @Entity final class Folder {
            var name = ""
            @Relationship(inverse: \Note.folder) var notes: [Note]
        }
        enum Allowed {
            @Entity final class Note {
                var text: String = ""
                var number: Double = 0
                @Attribute(default: Kind.large) var size: Kind?
                @Relationship var folder: Folder?
            }
            @Entity final class Folder {
                var name = ""
                @Relationship(inverse: \Note.folder) var notes: [Note]
            }
        }
    }
    enum Required {
        @Entity final class Note {
            var text: String = ""
            var number: Double = 0
            var size: String = "new"
            @Relationship var folder: Folder?
        }
        @Entity final class Folder {
            var name = ""
            @Relationship(inverse: \Note.folder) var notes: [Note]
        }
        enum Allowed {
            @Entity final class Note {
                var text: String = ""
                var number: Double = 0
                @Attribute(default: "none") var size: String = "new"
                @Relationship var folder: Folder?
            }
            @Entity final class Folder {
                var name = ""
                @Relationship(inverse: \Note.folder) var notes: [Note]
            }
        }
    }
    enum Unique {
        @Entity final class Note {
            @Attribute(.unique) var text: String = ""
            var number: Double = 0
            var size: String?
            @Relationship var folder: Folder?
        }
        @Entity final class Folder {
            var name = ""
            @Relationship(inverse: \Note.folder) var notes: [Note]
        }
    }
    enum Linked {
        @Entity final class Note {
            var text: String = ""
            var number: Double = 0
            var size: String?
            @Relationship var folder: Folder
        }
        @Entity final class Folder {
            var name = ""
            @Relationship(inverse: \Note.folder) var notes: [Note]
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let model: ObjectModel
        let kind: MigrationLoss.Kind
        let count: Int
        let ids: [Int64]
        let allowed: ObjectModel?
        let sql: String
        let values: [String?]
    }

    static let cases: [Case] = [
        Case(
            testDescription: "an attribute is dropped",
            model: ObjectModel([WithoutText.Note.self, WithoutText.Folder.self], version: 2),
            kind: .attribute,
            count: 10,
            ids: [2, 3, 4, 5, 6],
            allowed: ObjectModel([WithoutText.Allowed.Note.self, WithoutText.Allowed.Folder.self], version: 2),
            sql: "SELECT count(*) FROM pragma_table_info('Note') WHERE name = 'text'",
            values: ["0"]
        ),
        Case(
            testDescription: "an entity is dropped",
            model: ObjectModel([WithoutFolder.Note.self], version: 2),
            kind: .entity,
            count: 1,
            ids: [1],
            allowed: ObjectModel([WithoutFolder.Note.self], version: 2, dropped: ["Folder"]),
            sql: "SELECT count(*) FROM sqlite_schema WHERE name = 'Folder'",
            values: ["0"]
        ),
        Case(
            testDescription: "a relationship is dropped",
            model: ObjectModel([WithoutLinks.Note.self, WithoutLinks.Folder.self], version: 2),
            kind: .relationship,
            count: 3,
            ids: [2, 3, 4],
            allowed: ObjectModel([WithoutLinks.Allowed.Note.self, WithoutLinks.Allowed.Folder.self], version: 2),
            sql: "SELECT count(*) FROM pragma_table_info('Note') WHERE name = 'folder'",
            values: ["0"]
        ),
        Case(
            testDescription: "values are not exact in the new type",
            model: ObjectModel([Integer.Note.self, Integer.Folder.self], version: 2),
            kind: .inexactValue,
            count: 5,
            ids: [3, 5, 7, 9, 11],
            allowed: ObjectModel([Integer.Allowed.Note.self, Integer.Allowed.Folder.self], version: 2),
            sql: "SELECT number FROM Note ORDER BY objectID",
            values: ["0", "0", "1", "2", "2", "2", "3", "4", "4", "4"]
        ),
        Case(
            testDescription: "values are no case of the new enum",
            model: ObjectModel([Sized.Note.self, Sized.Folder.self], version: 2),
            kind: .value,
            count: 3,
            ids: [3, 5, 7],
            allowed: ObjectModel([Sized.Allowed.Note.self, Sized.Allowed.Folder.self], version: 2),
            sql: "SELECT size FROM Note ORDER BY objectID",
            values: ["small", "large", "small", "large", "small", "large", nil, nil, nil, nil]
        ),
        Case(
            testDescription: "nil is no longer a value",
            model: ObjectModel([Required.Note.self, Required.Folder.self], version: 2),
            kind: .missingValue,
            count: 4,
            ids: [8, 9, 10, 11],
            allowed: ObjectModel([Required.Allowed.Note.self, Required.Allowed.Folder.self], version: 2),
            sql: "SELECT size FROM Note ORDER BY objectID",
            values: ["small", "huge", "small", "huge", "small", "huge", "none", "none", "none", "none"]
        ),
        Case(
            testDescription: "objects share a value that becomes unique",
            model: ObjectModel([Unique.Note.self, Unique.Folder.self], version: 2),
            kind: .duplicate,
            count: 5,
            ids: [2, 4, 6, 8, 10],
            allowed: nil,
            sql: "",
            values: []
        ),
        Case(
            testDescription: "a relationship becomes required",
            model: ObjectModel([Linked.Note.self, Linked.Folder.self], version: 2),
            kind: .missingValue,
            count: 7,
            ids: [5, 6, 7, 8, 9],
            allowed: nil,
            sql: "",
            values: []
        ),
    ]

    private func withOld(_ body: (MigratingFile) async throws -> Void) async throws {
        try await withFile(of: Old.model, fill: Old.fill, body)
    }

    @Test(arguments: cases) func migrationWithDisallowedDataLossLeavesFileUnchanged(_ tested: Case) async throws {
        try await withOld { file in
            let bytes = try Data(contentsOf: file.url)
            let preview = try SQLiteStorageManager.migrationPreview(of: file.url, model: tested.model)
            let error = #expect(throws: ObjectError.self) { try file.open(tested.model) }
            #expect(error?.code == .modelMismatch)
            let losses = error?.losses ?? []
            #expect(losses.map(\.kind) == [tested.kind])
            #expect(losses.map(\.count) == [tested.count])
            #expect(losses.first?.objectIDs.map(\.rowID) == tested.ids)
            #expect(error?.problems == losses.map(\.description))
            #expect(preview.losses == losses && preview.isRefused)
            #expect(try Data(contentsOf: file.url) == bytes)
            let manager = try file.open(Old.model)
            #expect(try manager.viewStorage.countObjects(ofType: Old.Note.self) == 10)
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    @Test(arguments: cases.filter { $0.allowed != nil }) func migrationWithAllowedDataLossSucceeds(
        _ tested: Case
    ) async throws {
        try await withOld { file in
            let model = try #require(tested.allowed)
            let preview = try SQLiteStorageManager.migrationPreview(of: file.url, model: model)
            #expect(preview.losses.map(\.kind) == [tested.kind] && !preview.isRefused)
            #expect(try await file.migrate(to: model) { _ in })
            #expect(try await SchemaProbe.values(of: file.url, tested.sql) == tested.values)
        }
    }

    enum Everything {
        @Entity final class Note {
            var number: Int = 0
            @Attribute(.unique) var size: Kind = .small
        }
    }

    @Test func migrationErrorListsAllDataLosses() async throws {
        try await withOld { file in
            let error = #expect(throws: ObjectError.self) {
                try file.open(ObjectModel([Everything.Note.self], version: 2))
            }
            let places = (error?.losses ?? []).map { "\($0.entity).\($0.property ?? "") \($0.kind) \($0.count ?? -1)" }
            #expect(
                Set(places) == [
                    "Folder. entity 1", "Note.text attribute 10", "Note.number inexactValue 5", "Note.size value 3",
                    "Note.size missingValue 4", "Note.size duplicate 4",
                ]
            )
            #expect(error?.message.contains("version 1") == true && error?.message.contains("version 2") == true)
            let text = error?.description ?? ""
            #expect(
                text.contains(
                    "Note.text: 10 values would be dropped (first: Note/2, Note/3, Note/4, Note/5, Note/6, ...)."
                )
            )
            #expect(text.contains("Write @Entity(dropping: [\"text\"])."))
            #expect(text.contains("Folder: 1 object would be dropped (first: Folder/1)."))
        }
    }

    @Test func droppingPropertyOfEmptyTableRequiresPermission() async throws {
        try await withFile(of: Old.model, fill: { _ in }) { file in
            // If the file is empty, a loss of values need not be allowed, but a dropped property must be.
            let manager = try file.open(ObjectModel([Required.Note.self, Required.Folder.self], version: 2))
            try manager.close()
            let error = #expect(throws: ObjectError.self) {
                try file.open(ObjectModel([WithoutText.Note.self, WithoutText.Folder.self], version: 3))
            }
            #expect(error?.losses.map(\.count) == [0])
        }
    }
}
#endif
