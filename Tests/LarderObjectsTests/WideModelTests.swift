#if Objects
import Foundation
import LarderCore
import LarderObjects
import Testing

/// Tests of a model as large as that of a large app.
@Suite struct WideModelTests {
    @Test func wideModelHasExpectedEntityAndPropertyCounts() async throws {
        try await withStorage(model: WideModel.model) { manager throws in
            let database = try ObjectDatabase(reading: manager.url.path)
            defer { database.close() }
            let attributes = database.entities.flatMap(\.attributes)
            let relationships = database.entities.flatMap(\.relationships)
            #expect(database.entities.count == 88)
            #expect(attributes.count == 713 && attributes.filter { !$0.isRequired }.count == 359)
            #expect(relationships.count == 130 && relationships.filter(\.isToMany).count == 57)
            #expect(relationships.filter(\.isOrdered).count == 15)
        }
    }

    @Test func wideModelSupportsEveryEntityAndRelationship() async throws {
        try await withStorage(.file, model: WideModel.model) { manager in
            for _ in 0..<3 { try await manager.performAndSave { try WideModel.fill($0) } }
            let view = manager.viewStorage
            #expect(try view.countObjects(ofType: Wide01.self) == 3)
            let first = try #require(try view.firstObject(ofType: Wide01.self))
            let id = first.objectID
            #expect(first.link0.count == 1 && first.link0[0].back0 === first)
            try await manager.performAndSave { storage in
                try storage.batchDelete(ofType: Wide01.self, matching: \.objectID == id)
            }
            #expect(try view.countObjects(ofType: Wide01.self) == 2)
        }
    }
}
#endif
