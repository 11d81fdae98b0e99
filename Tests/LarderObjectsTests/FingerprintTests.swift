#if Objects
import Foundation
import GRDB
import LarderObjects
import Testing

/// The fingerprint of a model, as Documentation/Formats/objects-v1.md has it, computed here from the stored description.
@Suite struct FingerprintTests {
    @Entity final class Größe {
        var länge: Double = 0
        @Attribute(.searchable) var 名前: String = ""
        @Attribute(.unique) var code: String?
        @Relationship(inverse: \Größe.kinder) var eltern: [Größe]
        @Relationship var kinder: [Größe]
    }

    @Test(arguments: [Shop.model, WideModel.model, ObjectModel([Größe.self])])
    func itIsTheHashOfTheSortedDescription(_ model: ObjectModel) async throws {
        try await withStorage(model: model) { manager in
            let (fingerprint, description) = try await manager.write { database -> (String, String) in
                let row = try #require(
                    try Row.fetchOne(database, sql: "SELECT fingerprint, description FROM larder_model")
                )
                return (row[0], row[1])
            }
            let parsed = try JSONSerialization.jsonObject(with: Data(description.utf8))
            var schema = try #require(parsed as? [String: [[String: Any]]])
            schema["entities"] = schema["entities"]?.map { entity in
                var entity = entity
                for part in ["columns", "relationships"] {
                    let properties = entity[part] as? [[String: Any]] ?? []
                    entity[part] = properties.map { property in
                        var property = property
                        property["deleteRule"] = nil
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
}
#endif
