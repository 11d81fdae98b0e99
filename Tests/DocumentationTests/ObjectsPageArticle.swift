#if Objects
// The code of the landing page of LarderObjects in the same order. The test below compares it with the page.

// Article
import Foundation
import LarderObjects
// end
import Testing

enum ObjectsPage {
    // Article
    @Entity final class Order {
        @Attribute(.unique) var number: Int64
        var total: Decimal = 0
        @Relationship(deleteRule: .cascade, inverse: \Item.order, ordered: true) var items: [Item]
    }

    @Entity final class Item {
        var name: String = ""
        @Relationship var order: Order?
    }
    // end

    static func use() async throws -> Int {
        // Article
        let model = ObjectModel([Order.self, Item.self])
        let manager = try SQLiteStorageManager(inMemory: model)

        try await manager.performAndSave { storage in
            let order = try storage.insertNewObject(ofType: Order.self)
            order.number = 1
        }
        let open = try manager.viewStorage.allObjects(ofType: Order.self, matching: \.total == 0)
        print(open.count)  // 1
        // end
        #expect(try manager.verify().isIntact)
        try manager.close()
        return open.count
    }
}

@Suite struct ObjectsPageTests {
    @Test func landingPageCodeRunsAsDocumented() async throws {
        #expect(try await ObjectsPage.use() == 1)
    }

    @Test func landingPageCodeMatchesTestedCode() throws {
        try expectSameCode(article: "LarderObjects/LarderObjects.docc/LarderObjects.md", source: #filePath)
    }
}
#endif
