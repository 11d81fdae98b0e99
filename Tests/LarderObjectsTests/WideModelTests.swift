#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import Testing

/// A model as large as that of a large app.
@Suite struct WideModelTests {
    @Test func itHasTheShapeOfTheOriginal() async throws {
        try await withStorage(model: WideModel.model) { manager in
            let tables = try await manager.write { database in
                try Int.fetchOne(
                    database,
                    sql: """
                        SELECT count(*) FROM sqlite_schema
                        WHERE type = 'table' AND name NOT LIKE 'larder_%' AND name NOT LIKE '%.%'
                        """
                )
            }
            #expect(tables == 88)
        }
    }

    @Test func everyEntityAndRelationshipWorks() async throws {
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
