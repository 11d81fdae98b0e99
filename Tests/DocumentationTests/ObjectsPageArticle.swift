#if Objects
import Foundation
import LarderObjects
import Testing

// The code of the first page of LarderObjects, in the text's order; the test below compares it with the page's.

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

    static func use(_ folder: URL) async throws -> Int {
        // Article
        let model = ObjectModel([Order.self, Item.self])
        let manager = try SQLiteStorageManager(model: model, name: "shop", in: folder)

        try await manager.performAndSave { storage in
            let order = try storage.insertNewObject(ofType: Order.self)
            order.number = 1
        }
        let open = try manager.viewStorage.allObjects(ofType: Order.self, matching: \.total == 0)
        // end
        #expect(try manager.verify().isIntact)
        try manager.close()
        return open.count
    }
}

@Suite struct ObjectsPageTests {
    @Test func theCodeOfThePageDoesWhatItSays() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "larder-page-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try await ObjectsPage.use(folder) == 1)
    }

    @Test func theCodeOfThePageIsTheCodeThatIsTested() throws {
        try expectSameCode(article: "LarderObjects/LarderObjects.docc/LarderObjects.md", source: #filePath)
    }
}
#endif
