#if Objects
import LarderCore
import LarderObjects
import Testing

/// Tests of migration steps like those between the 117 versions of WooCommerce's model that need no custom stage.
@Suite struct WooCommerceMigrationTests {
    enum Old {
        @Entity final class Product {
            var name: String = ""
            var manageStock: Bool = false
            var ratingCount: Int?
            var statusKey: Int?
            var sku: String?
            @Relationship(deleteRule: .cascade, inverse: \Image.product) var images: [Image]
            @Relationship var shippingClass: ShippingClass?
        }
        @Entity final class Image {
            var source: String = ""
            @Relationship var product: Product?
        }
        @Entity final class ShippingClass {
            var name = ""
            @Relationship(inverse: \Product.shippingClass) var products: [Product]
        }
        static let model = ObjectModel([Product.self, Image.self, ShippingClass.self])
        /// Inserts six products with the ids 2 to 7 and an image for each.
        static func fill(_ storage: any WritableStorageType) throws {
            let shippingClass = try storage.insertNewObject(ofType: ShippingClass.self)
            var products: [Product] = []
            for number in 0..<6 {
                let product = try storage.insertNewObject(ofType: Product.self)
                product.name = "product \(number)"
                product.ratingCount = number % 2 == 0 ? number : nil
                product.statusKey = number < 5 ? number : nil
                product.sku = number < 4 ? "sku \(number / 2)" : nil
                product.shippingClass = shippingClass
                products.append(product)
            }
            for product in products { try storage.insertNewObject(ofType: Image.self).product = product }
        }
    }

    private func migrate(
        _ product: any Object.Type,
        _ others: [any Object.Type],
        _ body: (SQLiteStorageManager) throws -> Void
    ) async throws {
        try await withFile(of: Old.model, fill: Old.fill) { file in
            let isEqual = try await file.migrate(to: ObjectModel([product] + others, version: 2)) { try body($0) }
            #expect(isEqual)
        }
    }

    enum Defaults {
        @Entity final class Product {
            var name: String = "unnamed"
            var manageStock: Bool = true
            @Attribute(default: -1) var ratingCount: Int = 0
            var statusKey: Int?
            var sku: String?
            var isFavorite: Bool = true
            @Relationship(deleteRule: .cascade, inverse: \Image.product) var images: [Image]
            @Relationship var shippingClass: ShippingClass?
        }
        @Entity final class Image {
            var source: String = ""
            @Relationship var product: Product?
        }
        @Entity final class ShippingClass {
            var name = ""
            @Relationship(inverse: \Product.shippingClass) var products: [Product]
        }
    }

    @Test func changedDefaultAppliesOnlyToMissingValues() async throws {
        try await migrate(Defaults.Product.self, [Defaults.Image.self, Defaults.ShippingClass.self]) { manager in
            let products = try manager.viewStorage.allObjects(ofType: Defaults.Product.self)
            // The initial value applies to new objects and new attributes. Stored values are kept.
            #expect(products.map(\.manageStock) == Array(repeating: false, count: 6))
            #expect(products.map(\.isFavorite) == Array(repeating: true, count: 6))
            #expect(products.map(\.name) == (0..<6).map { "product \($0)" })
            #expect(products.map(\.ratingCount) == [0, -1, 2, -1, 4, -1])
        }
    }

    enum Status: Int, CaseIterable, Codable, Sendable { case draft, pending, published, trashed = 9 }

    enum Enumerated {
        @Entity final class Product {
            var name: String = ""
            var manageStock: Bool = false
            var ratingCount: Int?
            @Attribute(was: "statusKey", default: Status.trashed) var status: Status?
            var sku: String?
            @Relationship(deleteRule: .cascade, inverse: \Image.product) var images: [Image]
            @Relationship var shippingClass: ShippingClass?
        }
        @Entity final class Image {
            var source: String = ""
            @Relationship var product: Product?
        }
        @Entity final class ShippingClass {
            var name = ""
            @Relationship(inverse: \Product.shippingClass) var products: [Product]
        }
    }

    @Test func optionalIntegerIsConvertedToEnum() async throws {
        try await migrate(Enumerated.Product.self, [Enumerated.Image.self, Enumerated.ShippingClass.self]) { manager in
            let products = try manager.viewStorage.allObjects(ofType: Enumerated.Product.self)
            #expect(products.map(\.status) == [.draft, .pending, .published, .trashed, .trashed, nil])
        }
    }

    enum Unique {
        @Entity final class Product {
            var name: String = ""
            var manageStock: Bool = false
            var ratingCount: Int?
            var statusKey: Int?
            @Attribute(.unique(keeping: .oldest)) var sku: String?
            @Relationship(deleteRule: .cascade, inverse: \Image.product) var images: [Image]
            @Relationship var shippingClass: ShippingClass?
        }
        @Entity final class Image {
            var source: String = ""
            @Relationship var product: Product?
        }
        @Entity final class ShippingClass {
            var name = ""
            @Relationship(inverse: \Product.shippingClass) var products: [Product]
        }
    }

    @Test func duplicatesAreRemovedBeforeUniqueConstraintIsAdded() async throws {
        try await migrate(Unique.Product.self, [Unique.Image.self, Unique.ShippingClass.self]) { manager in
            let products = try manager.viewStorage.allObjects(ofType: Unique.Product.self)
            #expect(products.map(\.name) == ["product 0", "product 2", "product 4", "product 5"])
            #expect(products.map(\.sku) == ["sku 0", "sku 1", nil, nil])
            // Their images were deleted with them, and the shipping class no longer refers to them.
            #expect(try manager.viewStorage.countObjects(ofType: Unique.Image.self) == 4)
            let shippingClass = try #require(try manager.viewStorage.firstObject(ofType: Unique.ShippingClass.self))
            #expect(shippingClass.products.count == 4)
        }
    }

    /// A model in which an image belongs to several products and the shipping class belongs to images.
    enum Moved {
        @Entity final class Product {
            var name: String = ""
            var manageStock: Bool = false
            var ratingCount: Int?
            var statusKey: Int?
            var sku: String?
            @Relationship(inverse: \Image.products, ordered: true) var images: [Image]
        }
        @Entity final class Image {
            var source: String = ""
            @Relationship(was: "product") var products: [Product]
            @Relationship var shippingClass: ShippingClass?
        }
        @Entity(dropping: ["products"]) final class ShippingClass {
            var name = ""
            @Relationship(inverse: \Image.shippingClass) var images: [Image]
        }
    }

    @Test func relationshipCanMoveToAnotherEntityIfLossIsAllowed() async throws {
        try await migrate(Moved.Product.self, [Moved.Image.self, Moved.ShippingClass.self]) { manager in
            let products = try manager.viewStorage.allObjects(ofType: Moved.Product.self)
            #expect(products.allSatisfy { $0.images.count == 1 })
            let shippingClass = try #require(try manager.viewStorage.firstObject(ofType: Moved.ShippingClass.self))
            #expect(shippingClass.images.isEmpty)
        }
    }
}
#endif
