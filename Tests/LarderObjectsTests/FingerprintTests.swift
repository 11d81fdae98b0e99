#if Objects
import Foundation
import GRDB
@testable import LarderObjects
import Testing

/// Tests of the fingerprint of a model as Documentation/Formats/objects-v3.md defines it, computed from the stored description.
@Suite struct FingerprintTests {
    @Entity final class Größe {
        var länge: Double = 0
        @Attribute(.searchable) var 名前: String = ""
        @Attribute(.unique) var code: String?
        @Relationship(inverse: \Größe.kinder) var eltern: [Größe]
        @Relationship var kinder: [Größe]
    }

    @Test(arguments: [Shop.model, WideModel.model, ObjectModel([Größe.self])])
    func modelFingerprintIsHashOfSortedDescription(_ model: ObjectModel) async throws {
        try await withStorage(model: model) { manager in
            let (fingerprint, description) = try await manager.write { database -> (String, String) in
                let row = try #require(
                    try Row.fetchOne(database, sql: "SELECT fingerprint, description FROM larder_model")
                )
                return (row[0], row[1])
            }
            let parsed = try JSONSerialization.jsonObject(with: Data(description.utf8))
            let stored = try #require(parsed as? [String: Any])
            var schema = ["entities": try #require(stored["entities"] as? [[String: Any]])]
            schema["entities"] = schema["entities"]?.map { entity in
                var entity = entity
                for part in ["columns", "relationships"] {
                    let properties = entity[part] as? [[String: Any]] ?? []
                    entity[part] = properties.map { property in
                        var property = property
                        for key in ["deleteRule", "valueType", "values"] { property[key] = nil }
                        return property
                    }
                    .sorted { ($0["name"] as? String ?? "") < ($1["name"] as? String ?? "") }
                }
                return entity
            }
            let canonical = try JSONSerialization.data(
                withJSONObject: schema,
                options: [.sortedKeys, .withoutEscapingSlashes]
            )
            let hash = canonical.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
                ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
            }
            #expect(UInt64(fingerprint, radix: 16) == hash)
            #expect(fingerprint.count == 16)
        }
    }

    @Test func modelWithoutFormerNamesHasFormat1Fingerprint() throws {
        #expect(try GoldenModel.model.frozen().fingerprint == "9f8e23d9c0eb2af5")
    }

    enum Plain {
        @Entity final class Note {
            var text: String = ""
            var size: GoldenModel.Size = .small
            @Relationship var other: Note?
            @Relationship(inverse: \Note.other) var others: [Note]
        }
    }
    enum Renamed {
        @Entity(was: "Memo") final class Note {
            @Attribute(was: "a", "b") var text: String = ""
            var size: GoldenModel.Size = .small
            @Relationship(was: "c") var other: Note?
            @Relationship(inverse: \Note.other) var others: [Note]
        }
    }
    enum Declared {
        enum Size: String, Codable, Sendable { case small, huge }

        @Entity(dropping: ["gone"]) final class Note {
            @Attribute(.inexact, default: "none") var text: String = "new"
            var size: Size = .huge
            @Relationship(deleteRule: .cascade) var other: Note?
            @Relationship(inverse: \Note.other) var others: [Note]
        }
    }

    @Test func formerNamesChangeFingerprint() throws {
        let (plain, renamed) = (ObjectModel([Plain.Note.self]), ObjectModel([Renamed.Note.self]))
        #expect(try plain.frozen().fingerprint != renamed.frozen().fingerprint)
        // The fast writer and `JSONEncoder` must write former names in the same way.
        let schema = try renamed.frozen().schema.canonical
        #expect(try schema.writtenText() == Array(schema.text().utf8))
    }

    @Test func swiftTypesAndDefaultsDoNotChangeFingerprint() throws {
        let (plain, declared) = (ObjectModel([Plain.Note.self]), ObjectModel([Declared.Note.self], dropped: ["Gone"]))
        #expect(try plain.frozen().fingerprint == declared.frozen().fingerprint)
        #expect(try plain.frozen() != declared.frozen())
    }

    @Test func createStatementsMatchFormat1GoldenFile() async throws {
        try await withTemporaryFolder { folder in
            let copy = folder.appendingPathComponent("v1.sqlite")
            try FileManager.default.copyItem(at: GoldenObjectFileTests.file("objects-v1.sqlite"), to: copy)
            let queue = try DatabaseQueue(path: copy.path)
            let stored = try await queue.read { database in
                try String.fetchAll(
                    database,
                    sql: "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'larder%'"
                )
            }
            let made = try SchemaStatements(GoldenModel.model.frozen().schema).everything()
            #expect(Set(made) == Set(stored) && made.count == stored.count)
        }
    }
}
#endif
