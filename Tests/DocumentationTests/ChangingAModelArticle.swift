#if Objects
import Foundation
import LarderObjects
import LarderTestSupport
import Testing

// The code of the article "Changing a model", in its order. The last test compares it with the article.

enum ChangingAModelArticle {
    // Article
    enum Released {  // the model of the released program
        @Entity final class Order {
            @Attribute(.unique) var number: Int64
            var total: Double = 0
        }
    }

    @Entity final class Order {  // the model of the next release
        @Attribute(.unique) var number: Int64
        var total: Double = 0
        var note: String?
    }
    // end

    static func begin() async throws -> (numbers: [Int64], manager: SQLiteStorageManager) {
        // Article
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite")
        let released = try SQLiteStorageManager(model: ObjectModel([Released.Order.self]), url: url)
        try await released.performAndSave { storage in
            try storage.insertNewObject(ofType: Released.Order.self).number = 7
        }
        try released.close()

        let manager = try SQLiteStorageManager(model: ObjectModel([Order.self], version: 2), url: url)
        let orders = try manager.viewStorage.allObjects(ofType: Order.self)
        print(orders.map(\.number))  // [7]
        // end
        return (orders.map(\.number), manager)
    }

    // Article
    @Entity(was: "Purchase", dropping: ["fax"])
    final class Invoice {
        @Attribute(.unique(keeping: .newest)) var number: Int64
        @Attribute(.inexact, was: "sum") var total: Decimal = 0
        @Attribute(default: "") var note: String = ""
    }
    // end

    // Article
    static func losses(of model: ObjectModel, at url: URL) throws -> [String] {
        do {
            try SQLiteStorageManager(model: model, url: url).close()
            return []
        } catch let error as ObjectError where error.code == .modelMismatch {
            return error.losses.map(\.description)
        }
    }
    // end

    // Article
    static func open(
        _ url: URL,
        model: ObjectModel,
        showing show: (Double) -> Void
    ) async throws -> SQLiteStorageManager? {
        let preview = try SQLiteStorageManager.migrationPreview(of: url, model: model)
        guard !preview.isRefused else { return nil }
        let opening = SQLiteStorageManager.opening(model: model, url: url)
        for await progress in opening.progress { show(progress.fraction) }
        return try await opening.manager
    }
    // end

    // Article
    static func freeze(_ model: ObjectModel, in folder: URL) throws {
        let file = try model.freeze(in: folder)
        print(file.lastPathComponent)  // v1.json
    }
    // end

    // Article
    @Entity final class Sale {
        var cents: Int
        @Relationship var customer: Customer?
    }

    @Entity final class Customer {
        @Attribute(.unique) var name: String
        @Relationship(inverse: \Sale.customer) var sales: [Sale]
    }

    static func salesModel(versions folder: URL) -> ObjectModel {
        let split = MigrationStage(from: 1, to: 2) { migration in
            var customers: [String: ObjectID] = [:]
            try migration.migrate("Sale") { old, new in
                let name = old["customerName"] as String? ?? "unknown"
                if customers[name] == nil {
                    customers[name] = try migration.insert("Customer") { $0["name"] = name }
                }
                try new.set("customer", to: customers[name])
                new["cents"] = Int(((old["total"] as Double? ?? 0) * 100).rounded())
            }
        }
        let plan = MigrationPlan(versions: .files(in: folder), stages: [split])
        return ObjectModel([Sale.self, Customer.self], version: 2, plan: plan)
    }
    // end
}

/// The models of the first versions, which the article describes in words.
private enum First {
    @Entity final class Purchase {
        var number: Int64
        var sum: Double = 0
        var note: String?
        var fax: String?
    }

    @Entity final class Sale {
        var total: Double = 0
        var customerName: String?
    }
}

/// The next version of `Purchase` without any declaration.
private enum Undeclared {
    @Entity final class Invoice {
        @Attribute(.unique) var number: Int64
        var total: Decimal = 0
    }
}

@Suite struct ChangingAModelArticleTests {
    private typealias Article = ChangingAModelArticle
    private let folder: TemporaryDirectory
    private var url: URL { folder.url("orders.sqlite") }

    init() throws { folder = try TemporaryDirectory() }

    /// Writes three purchases, two of which have the same number.
    private func writePurchases() async throws {
        let manager = try SQLiteStorageManager(model: ObjectModel([First.Purchase.self]), url: url)
        try await manager.performAndSave { storage in
            for (number, sum) in [(1, 0.5), (2, 1.0 / 3), (2, 2)] as [(Int64, Double)] {
                let purchase = try storage.insertNewObject(ofType: First.Purchase.self)
                (purchase.number, purchase.sum, purchase.fax) = (number, sum, "555")
            }
        }
        try manager.close()
    }

    @Test func introductoryArticleExampleMigratesOrders() async throws {
        let (numbers, manager) = try await Article.begin()
        #expect(numbers == [7])
        #expect(try manager.verify().isIntact)
        try manager.close()
        try FileManager.default.removeItem(at: manager.url)
    }

    @Test func undeclaredModelChangesAreReportedAsDataLosses() async throws {
        try await writePurchases()
        let losses = try Article.losses(of: ObjectModel([Undeclared.Invoice.self], version: 2), at: url)
        #expect(losses.contains { $0.hasPrefix("Purchase: 3 objects would be dropped") })
        #expect(losses.allSatisfy { $0.contains("Write ") })
    }

    @Test func migrationSucceedsWithDeclarationsFromArticle() async throws {
        try await writePurchases()
        let model = ObjectModel([Article.Invoice.self], version: 2)
        var last = 0.0
        let manager = try #require(try await Article.open(url, model: model) { last = $0 })
        let invoices = try manager.viewStorage.allObjects(ofType: Article.Invoice.self).sorted { $0.number < $1.number }
        #expect(invoices.map(\.number) == [1, 2])
        #expect(invoices.map(\.total) == [0.5, 2])
        #expect(last == 1)
        #expect(try manager.verify().isIntact)
        try manager.close()
    }

    @Test func migrationStageFromArticleCreatesCustomers() async throws {
        let first = ObjectModel([First.Sale.self])
        try Article.freeze(first, in: folder.url("models"))
        let manager = try SQLiteStorageManager(model: first, url: url)
        try await manager.performAndSave { storage in
            for (total, name) in [(0.5, "Ann"), (1.25, "Ben"), (2, "Ann")] {
                let sale = try storage.insertNewObject(ofType: First.Sale.self)
                (sale.total, sale.customerName) = (total, name)
            }
        }
        try manager.close()
        let migrated = try SQLiteStorageManager(model: Article.salesModel(versions: folder.url("models")), url: url)
        let customers = try migrated.viewStorage.allObjects(ofType: Article.Customer.self)
        #expect(
            customers.map { "\($0.name) \($0.sales.map(\.cents).reduce(0, +))" }.sorted() == ["Ann 250", "Ben 125"]
        )
        #expect(try migrated.verify().isIntact)
        try migrated.close()
    }

    @Test func articleCodeMatchesTestedCode() throws {
        let code = try articleCode(article: "LarderObjects/LarderObjects.docc/ChangingAModel.md", source: #filePath)
        // The article declares functions outside of a type.
        let tested = code.tested.map { $0.replacing("static func", with: "func") }
        #expect(!code.printed.isEmpty)
        #expect(code.printed == tested)
    }
}
#endif
