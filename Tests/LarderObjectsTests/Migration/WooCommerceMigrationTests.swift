#if Objects
import LarderCore
import LarderObjects
import LarderTesting
import Testing

/// Migration steps like those between the versions of WooCommerce's model.
///
/// The objects of the earlier version are inserted by name, and those of the later version are read through their classes.
@Suite struct WooCommerceMigrationTests {
    /// Migrates objects of version 1 to version 2, and passes the migrated objects to a closure.
    private func migrate(
        _ old: FrozenStorage,
        to entities: [any Object.Type],
        stage: (@Sendable (Migration) throws -> Void)? = nil,
        _ body: (any StorageType) throws -> Void
    ) throws {
        let stages = stage.map { [MigrationStage(from: 1, to: 2, $0)] } ?? []
        let plan = MigrationPlan(versions: .models([old.version]), stages: stages)
        let manager = try old.migrated(to: ObjectModel(entities, version: 2, plan: plan))
        try body(manager.viewStorage)
        #expect(try manager.verify().isIntact)
        try manager.close()
    }

    // MARK: The default of an attribute changes for existing objects

    enum Stock1 {
        @Entity final class Product {
            var name = ""
            var stockStatus = "instock"
            var ratingCount: Int?
        }
    }
    enum Stock2 {
        @Entity final class Product {
            var name = ""
            var stockStatus = "unknown"
            @Attribute(default: -1) var ratingCount: Int = 0
            var isFavorite = true
        }
    }

    @Test func changedDefaultIsWrittenToExistingProducts() throws {
        let old = try FrozenStorage(ObjectModel([Stock1.Product.self]).frozen())
        try old.insert("Product", ["name": "Tea", "ratingCount": 4])
        try old.insert("Product", ["name": "Jam", "stockStatus": "outofstock"])
        try migrate(old, to: [Stock2.Product.self]) { migration in
            try migration.migrate("Product") { old, new in
                if old["stockStatus"] as String? == "instock" { new["stockStatus"] = "unknown" }
            }
        } _: { storage throws in
            let products = try storage.allObjects(ofType: Stock2.Product.self)
            #expect(products.map(\.stockStatus) == ["unknown", "outofstock"])
            #expect(products.map(\.ratingCount) == [4, -1])
            #expect(products.map(\.isFavorite) == [true, true])
        }
    }

    @Test func changedInitialValueDoesNotReplaceStoredValues() throws {
        let old = try FrozenStorage(ObjectModel([Stock1.Product.self]).frozen())
        try old.insert("Product", ["name": "Tea"])
        try migrate(old, to: [Stock2.Product.self]) { storage throws in
            let product = try #require(try storage.firstObject(ofType: Stock2.Product.self))
            #expect(product.stockStatus == "instock" && product.ratingCount == -1)
        }
    }

    // MARK: An entity is split

    enum Billing1 {
        @Entity final class Order {
            var number = 0
            var billingName: String?
            var billingCity: String?
        }
    }
    enum Billing2 {
        @Entity final class Order {
            var number = 0
            @Relationship(deleteRule: .cascade, inverse: \Address.order) var billing: Address?
        }
        @Entity final class Address {
            var name = ""
            var city: String?
            @Relationship var order: Order?
        }
    }

    @Test func orderAddressIsMovedToNewEntity() throws {
        let old = try FrozenStorage(ObjectModel([Billing1.Order.self]).frozen())
        try old.insert("Order", ["number": 1, "billingName": "Ada", "billingCity": "London"])
        try old.insert("Order", ["number": 2])
        try migrate(old, to: [Billing2.Order.self, Billing2.Address.self]) { migration in
            try migration.migrate("Order") { old, new in
                guard let name = old["billingName"] as String? else { return }
                let address = try migration.insert("Address") { address in
                    address["name"] = name
                    address["city"] = old["billingCity"] as String?
                }
                try new.set("billing", to: address)
            }
        } _: { storage throws in
            let orders = try storage.allObjects(ofType: Billing2.Order.self)
            #expect(orders.map(\.number) == [1, 2])
            #expect(orders.map(\.billing?.name) == ["Ada", nil])
            #expect(orders.map(\.billing?.city) == ["London", nil])
        }
    }

    // MARK: The objects of one kind are deleted

    enum Refunds {
        @Entity final class Order {
            var number = 0
            var kind = "order"
            @Relationship(deleteRule: .cascade, inverse: \Item.order) var items: [Item]
        }
        @Entity final class Item {
            var name = ""
            @Relationship var order: Order?
        }
        static let entities: [any Object.Type] = [Order.self, Item.self]
    }

    @Test func refundsAreDeletedWithTheirItems() throws {
        let old = try FrozenStorage(ObjectModel(Refunds.entities).frozen())
        for (number, kind) in [(1, "order"), (2, "refund"), (3, "order"), (4, "refund")] {
            let order = try old.insert("Order", ["number": number, "kind": kind])
            try old.insert("Item", ["name": "item of \(number)"], links: ["order": [order]])
        }
        try migrate(old, to: Refunds.entities) { migration in
            try migration.forEachNew("Order") { if $0["kind"] as String? == "refund" { try $0.delete() } }
        } _: { storage throws in
            #expect(try storage.allObjects(ofType: Refunds.Order.self).map(\.number) == [1, 3])
            #expect(try storage.allObjects(ofType: Refunds.Item.self).map(\.name) == ["item of 1", "item of 3"])
        }
    }

    // MARK: A relationship moves to another entity

    enum Shipping1 {
        @Entity final class Product {
            var name = ""
            @Relationship var shippingClass: ShippingClass?
            @Relationship(deleteRule: .cascade, inverse: \Variation.product) var variations: [Variation]
        }
        @Entity final class Variation {
            var name = ""
            @Relationship var product: Product?
        }
        @Entity final class ShippingClass {
            var name = ""
            @Relationship(inverse: \Product.shippingClass) var products: [Product]
        }
        static let model = ObjectModel([Product.self, Variation.self, ShippingClass.self])
    }
    enum Shipping2 {
        @Entity final class Product {
            var name = ""
            @Relationship(deleteRule: .cascade, inverse: \Variation.product) var variations: [Variation]
        }
        @Entity final class Variation {
            var name = ""
            @Relationship var product: Product?
            @Relationship var shippingClass: ShippingClass?
        }
        @Entity final class ShippingClass {
            var name = ""
            @Relationship(inverse: \Variation.shippingClass) var variations: [Variation]
        }
    }

    @Test func shippingClassMovesFromProductToItsVariations() throws {
        let old = try FrozenStorage(Shipping1.model.frozen())
        let large = try old.insert("ShippingClass", ["name": "large"])
        let table = try old.insert("Product", ["name": "table"], links: ["shippingClass": [large]])
        let card = try old.insert("Product", ["name": "card"])
        for (name, product) in [("oak", table), ("pine", table), ("red", card)] {
            try old.insert("Variation", ["name": name], links: ["product": [product]])
        }
        let entities: [any Object.Type] = [
            Shipping2.Product.self, Shipping2.Variation.self, Shipping2.ShippingClass.self,
        ]
        try migrate(old, to: entities) { migration in
            try migration.migrate("Variation") { old, new in
                let product = old["product"] as MigrationRecord?
                try new.set("shippingClass", to: (product?["shippingClass"] as MigrationRecord?)?.id)
            }
        } _: { storage throws in
            let shippingClass = try #require(try storage.firstObject(ofType: Shipping2.ShippingClass.self))
            #expect(shippingClass.objectID == large)
            #expect(shippingClass.variations.map(\.name) == ["oak", "pine"])
            let products = try storage.allObjects(ofType: Shipping2.Product.self)
            #expect(products.map { $0.variations.count } == [2, 1])
        }
    }

    // MARK: An optional integer becomes an enumeration

    enum Status: Int, CaseIterable, Codable, Sendable { case draft, pending, published, trashed = 9 }
    enum Keys1 {
        @Entity final class Product { var statusKey: Int? }
    }
    enum Keys2 {
        @Entity final class Product {
            @Attribute(was: "statusKey", default: Status.draft) var status: Status = .published
        }
    }

    @Test func integerStatusKeyIsConvertedToEnum() throws {
        let old = try FrozenStorage(ObjectModel([Keys1.Product.self]).frozen())
        for key in [0, 1, 2, 3, 9] { try old.insert("Product", ["statusKey": key]) }
        try old.insert("Product")
        try migrate(old, to: [Keys2.Product.self]) { storage throws in
            let products = try storage.allObjects(ofType: Keys2.Product.self)
            // Neither 3 nor nil is a status.
            #expect(products.map(\.status) == [.draft, .pending, .published, .draft, .trashed, .draft])
        }
    }

    // MARK: Duplicates are merged before an attribute becomes unique

    enum Duplicates1 {
        @Entity final class Product {
            var sku: String?
            var stock = 0
            @Relationship(deleteRule: .cascade, inverse: \Image.product) var images: [Image]
        }
        @Entity final class Image {
            var source = ""
            @Relationship var product: Product?
        }
        static let model = ObjectModel([Product.self, Image.self])
    }
    enum Duplicates2 {
        @Entity final class Product {
            @Attribute(.unique) var sku: String?
            var stock = 0
            @Relationship(deleteRule: .cascade, inverse: \Image.product) var images: [Image]
        }
        @Entity final class Image {
            var source = ""
            @Relationship var product: Product?
        }
    }

    @Test func duplicatesAreMergedBeforeAttributeBecomesUnique() throws {
        let old = try FrozenStorage(Duplicates1.model.frozen())
        for (sku, stock) in [("tea", 1), ("jam", 2), ("tea", 4), ("tea", 8)] {
            let product = try old.insert("Product", ["sku": sku, "stock": stock])
            try old.insert("Image", ["source": "\(sku) \(stock)"], links: ["product": [product]])
        }
        try old.insert("Product", ["stock": 16])
        try old.insert("Product", ["stock": 32])
        try migrate(old, to: [Duplicates2.Product.self, Duplicates2.Image.self]) { migration in
            var firsts: [String: ObjectID] = [:]
            try migration.migrate("Product") { old, new in
                guard let sku = old["sku"] as String? else { return }
                guard let first = firsts[sku], let survivor = try migration.new(first) else {
                    firsts[sku] = new.id
                    return
                }
                survivor["stock"] = (survivor["stock"] as Int? ?? 0) + (old["stock"] as Int? ?? 0)
                try migration.merge(new.id, into: first)
            }
        } _: { storage throws in
            let products = try storage.allObjects(ofType: Duplicates2.Product.self)
            #expect(products.map(\.sku) == ["tea", "jam", nil, nil])
            #expect(products.map(\.stock) == [13, 2, 16, 32])
            #expect(products[0].images.map(\.source) == ["tea 1", "tea 4", "tea 8"])
            #expect(products[1].images.map(\.source) == ["jam 2"])
        }
    }
}
#endif
