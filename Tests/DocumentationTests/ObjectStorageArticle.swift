#if Objects
import Dispatch
import Foundation
import LarderObjects
import LarderTesting
import Testing

// The code of the article "Object storage", in its order. The test below compares it with the article.

/// The types that the article assumes in another module.
enum Networking {
    struct Product: Sendable, Equatable {
        var productID: Int64
        var name: String
        var price: Decimal
    }
}

enum ObjectStorageArticle {
    // Article
    @Entity final class Book {
        @Attribute(.unique) var number: Int64
        var title: String = ""
    }
    // end

    static func begin() async throws -> (numbers: [Int64], manager: SQLiteStorageManager) {
        // Article
        let manager = try SQLiteStorageManager(inMemory: ObjectModel([Book.self]))
        try await manager.performAndSave { storage in
            let book = try storage.insertNewObject(ofType: Book.self)
            book.number = 1
            book.title = "Emma"
        }
        let books = try manager.viewStorage.allObjects(ofType: Book.self, matching: \.title == "Emma")
        print(books.map(\.number))  // [1]
        // end
        return (books.map(\.number), manager)
    }

    // Article
    enum Status: String, Codable, Sendable, CaseIterable { case pending, paid, sent }

    @Entity(unique: [["siteID", "number"]])
    final class Order {
        var siteID: Int64
        var number: Int64
        @Attribute(.indexed) var status: Status = .pending
        var total: Decimal = 0
        @Attribute(.searchable) var note: String?
        @Relationship(deleteRule: .cascade, inverse: \OrderItem.order, ordered: true) var items: [OrderItem]
        @Relationship var customer: Customer?
    }

    @Entity final class OrderItem {
        var name: String
        var quantity: Int = 1
        @Relationship var order: Order?
    }

    @Entity final class Customer {
        @Attribute(.unique) var email: String
        @Relationship(deleteRule: .deny, inverse: \Order.customer) var orders: [Order]
    }
    // end

    static func open(_ folder: URL) throws -> SQLiteStorageManager {
        // Article
        let model = ObjectModel([Order.self, OrderItem.self, Customer.self, Product.self])
        let manager = try SQLiteStorageManager(model: model, name: "shop", in: folder)
        // end
        return manager
    }

    static func write(_ manager: SQLiteStorageManager) async throws -> ObjectID {
        // Article
        let id = try await manager.performAndSave { storage in
            let order = try storage.insertNewObject(ofType: Order.self)
            order.siteID = 7
            order.number = 963
            order.total = 42
            for name in ["Tea", "Jam"] {
                let item = try storage.insertNewObject(ofType: OrderItem.self)
                item.name = name
                order.addToItems(item)
            }
            return order.objectID
        }
        // end
        return id
    }

    static func complete(_ manager: SQLiteStorageManager, _ done: @escaping @Sendable (Bool) -> Void) {
        // Article
        manager.performAndSave(
            { storage in try storage.countObjects(ofType: Order.self, matching: \.status == .pending) },
            completion: { result in
                switch result {
                case .success(let count): done(count > 0)
                case .failure: done(false)
                }
            },
            on: .main
        )
        // end
    }

    static func read(_ manager: SQLiteStorageManager, _ id: ObjectID) throws -> [Int] {
        // Article
        let view = manager.viewStorage
        let order = try view.loadObject(ofType: Order.self, with: id)
        let dear = try view.allObjects(
            ofType: Order.self,
            matching: \.siteID == 7 && \.total > 10 && \.status != .sent,
            sortedBy: [SortDescriptor(\.number, order: .reverse)],
            limit: 20,
            prefetch: [\.items]
        )
        let withTea = try view.countObjects(ofType: Order.self, matching: .any(\.items, \.name =~ "tea"))
        let email = "ada@example.com"
        let hers = try view.countObjects(ofType: Order.self, matching: #Predicate { $0.customer?.email == email })
        // end
        return [order?.items.count ?? 0, dear.count, withTea, hers]
    }

    static func explain(_ manager: SQLiteStorageManager) async throws -> String {
        // Article
        let explanation = try await manager.withView { view in try view.explain(ObjectRequest<Order>(\.total > 10)) }
        print(explanation)
        // end
        return explanation.description
    }

    static func count(_ manager: SQLiteStorageManager) throws {
        // Article
        try assertQueries(atMost: 2, of: manager) {
            for order in try manager.viewStorage.allObjects(ofType: Order.self) { print(order.items.count) }
        }
        // end
    }

    // Article
    @Entity(bridges: Networking.Product.self)
    final class Product {
        @Attribute(.unique) var productID: Int64
        var name: String
        var price: Decimal = 0
        @Attribute(.unbridged) var isFavourite = false
    }
    // end

    static func bring(
        _ manager: SQLiteStorageManager,
        _ products: [Networking.Product]
    ) async throws -> [Networking.Product] {
        // Article
        let result = try await manager.performAndSave { storage in
            try storage.sync(products, by: \Product.productID)
        }
        print(result.inserted.count, result.updated.count, result.unchanged, result.deleted.count)
        let cheap = try await manager.fetchValues(ObjectRequest<Product>(\.price < 5))
        // end
        return cheap
    }

    // Article
    @Persistable struct Basket: Equatable {
        @Attribute(.unique) var id: Int
        var name: String
    }
    // end

    static func batch(_ manager: SQLiteStorageManager) async throws -> [Int] {
        // Article
        let counts = try await manager.performAndSave { storage in
            let sent = try storage.batchUpdate(
                ofType: Order.self,
                matching: \.status == .paid,
                set: [.set(\.status, to: .sent)]
            )
            let gone = try storage.batchDelete(ofType: Order.self, matching: (\Order.number).between(1...100))
            return [sent, gone]
        }
        // end
        return counts
    }

    static func follow(_ manager: SQLiteStorageManager) async throws {
        // Article
        for await changes in manager.changes { print(changes.inserted, changes.updated, changes.deleted) }

        let pending = manager.results(ObjectRequest<Order>(\.status == .pending)) { $0.number }
        for try await numbers in pending { print(numbers) }
        // end
    }

    static func search(_ manager: SQLiteStorageManager) throws -> Int {
        // Article
        let found = try manager.viewStorage.allObjects(
            ofType: Order.self,
            matching: #Predicate { $0.note?.localizedStandardContains("cafe") == true }
        )
        // end
        return found.count
    }

    static func fail(_ manager: SQLiteStorageManager, _ id: ObjectID) async throws -> ObjectError.Code? {
        var code: ObjectError.Code?
        // Article
        do {
            try await manager.performAndSave { storage in
                let order = try storage.insertNewObject(ofType: Order.self)
                (order.siteID, order.number) = (7, 963)
            }
        } catch let error as ObjectError {
            print(error.code, error.message, error.problems)
            code = error.code
        }
        let items = try manager.viewStorage.loadObject(ofType: Order.self, with: id)?.load(\.items)
        // end
        #expect(items?.count == 2)
        return code
    }
}

@Suite struct ObjectStorageArticleTests {
    @Test func firstArticleExampleReadsInsertedBook() async throws {
        let (numbers, manager) = try await ObjectStorageArticle.begin()
        #expect(numbers == [1])
        #expect(try manager.verify().isIntact)
        try manager.close()
    }

    @Test func articleCodeRunsAsDocumented() async throws {
        typealias Article = ObjectStorageArticle
        let folder = FileManager.default.temporaryDirectory.appending(path: "larder-article-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let manager = try Article.open(folder)
        let id = try await Article.write(manager)
        #expect(
            await withCheckedContinuation { continuation in
                Article.complete(manager) { continuation.resume(returning: $0) }
            }
        )
        #expect(try Article.read(manager, id) == [2, 1, 1, 0])
        #expect(try await Article.explain(manager).contains("SELECT"))
        try Article.count(manager)
        let products = [Networking.Product(productID: 1, name: "Cup", price: 4)]
        #expect(try await Article.bring(manager, products) == products)
        #expect(try await Article.batch(manager) == [0, 0])
        #expect(try Article.search(manager) == 0)
        #expect(try await Article.fail(manager, id) == .duplicate)
        #expect(try manager.verify().isIntact)
        try manager.close()
    }

    @Test func articleCodeMatchesTestedCode() throws {
        try expectSameCode(article: "LarderObjects/LarderObjects.docc/ObjectStorage.md", source: #filePath)
    }
}
#endif
