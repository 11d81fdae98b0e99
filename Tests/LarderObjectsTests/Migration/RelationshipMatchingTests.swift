#if Objects
import LarderCore
import LarderObjects
import Testing

/// Tests of relationships whose sides belong to other relationships in the next version.
@Suite struct RelationshipMatchingTests {
    enum Old {
        @Entity final class Order {
            var number: Int = 0
            @Relationship var customer: Customer?
        }
        @Entity final class Customer {
            var name = ""
            @Relationship(inverse: \Order.customer) var orders: [Order]
        }
        static let model = ObjectModel([Order.self, Customer.self])
        static func fill(_ storage: any WritableStorageType) throws {
            let customer = try storage.insertNewObject(ofType: Customer.self)
            for number in 0..<3 {
                let order = try storage.insertNewObject(ofType: Order.self)
                order.number = number
                order.customer = customer
            }
        }
    }
    /// A model in which `customer` and `orders`, which were one relationship, belong to two relationships.
    enum Split {
        @Entity final class Order {
            var number: Int = 0
            @Relationship var customer: Customer?
            @Relationship var payer: Customer?
        }
        @Entity final class Customer {
            var name = ""
            @Relationship(inverse: \Order.customer) var purchases: [Order]
            @Relationship(inverse: \Order.payer) var orders: [Order]
        }
    }
    /// A model whose new relationship has names that the file does not contain.
    enum Added {
        @Entity final class Order {
            var number: Int = 0
            @Relationship var customer: Customer?
            @Relationship var payer: Customer?
        }
        @Entity final class Customer {
            var name = ""
            @Relationship(inverse: \Order.customer) var purchases: [Order]
            @Relationship(inverse: \Order.payer) var payments: [Order]
        }
    }
    /// A model in which `customer` has a different destination entity.
    enum Retargeted {
        @Entity final class Order {
            var number: Int = 0
            @Relationship var customer: Company?
        }
        @Entity final class Customer { var name = "" }
        @Entity final class Company {
            var name = ""
            @Relationship(inverse: \Order.customer) var orders: [Order]
        }
        enum Allowed {
            @Entity final class Order {
                var number: Int = 0
                @Relationship var customer: Company?
            }
            @Entity(dropping: ["orders"]) final class Customer { var name = "" }
            @Entity final class Company {
                var name = ""
                @Relationship(inverse: \Order.customer) var orders: [Order]
            }
        }
    }

    @Test func relationshipMatchingTwoNewRelationshipsIsRejected() async throws {
        try await withFile(of: Old.model, fill: Old.fill) { file in
            let model = ObjectModel([Split.Order.self, Split.Customer.self], version: 2)
            let preview = try SQLiteStorageManager.migrationPreview(of: file.url, model: model)
            #expect(preview.refusals.count == 1 && preview.isRefused)
            let error = #expect(throws: ObjectError.self) { try file.open(model) }
            #expect(error?.code == .modelMismatch)
            #expect(error?.problems.first?.contains("Order.customer and Order.payer both match") == true)
            let manager = try file.open(Old.model)
            #expect(try manager.viewStorage.allObjects(ofType: Old.Order.self).allSatisfy { $0.customer != nil })
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    @Test func relationshipCanChangeInverse() async throws {
        try await withFile(of: Old.model, fill: Old.fill) { file in
            let model = ObjectModel([Added.Order.self, Added.Customer.self], version: 2)
            let isEqual = try await file.migrate(to: model) { manager in
                let customer = try #require(try manager.viewStorage.firstObject(ofType: Added.Customer.self))
                #expect(customer.purchases.count == 3 && customer.payments.isEmpty)
            }
            #expect(isEqual)
        }
    }

    @Test func suggestedFixNamesRemovedSideOfRelationship() async throws {
        try await withFile(of: Old.model, fill: Old.fill) { file in
            let model = ObjectModel(
                [Retargeted.Order.self, Retargeted.Customer.self, Retargeted.Company.self],
                version: 2
            )
            let error = #expect(throws: ObjectError.self) { try file.open(model) }
            #expect(error?.losses.map(\.kind) == [.relationship])
            #expect(error?.losses.first?.remedy == "@Entity(dropping: [\"orders\"]) on Customer")
            let allowed = ObjectModel(
                [
                    Retargeted.Allowed.Order.self, Retargeted.Allowed.Customer.self,
                    Retargeted.Allowed.Company.self,
                ],
                version: 2
            )
            let isEqual = try await file.migrate(to: allowed) { manager in
                let orders = try manager.viewStorage.allObjects(ofType: Retargeted.Allowed.Order.self)
                #expect(orders.count == 3 && orders.allSatisfy { $0.customer == nil })
            }
            #expect(isEqual)
        }
    }

    enum Required {
        @Entity final class Order {
            var number: Int = 0
            @Relationship var customer: Customer
        }
        @Entity final class Customer {
            var name = ""
            @Relationship(inverse: \Order.customer) var orders: [Order]
        }
        static func fill(_ storage: any WritableStorageType) throws {
            let customer = try storage.insertNewObject(ofType: Customer.self)
            for number in 0..<3 {
                let order = try storage.insertNewObject(ofType: Order.self)
                order.number = number
                order.customer = customer
            }
        }
    }
    enum RequiredOne {
        @Entity final class Order {
            var number: Int = 0
            @Relationship var customer: Customer
        }
        @Entity final class Customer {
            var name = ""
            @Relationship(inverse: \Order.customer, keeping: .newest) var orders: Order?
        }
    }

    @Test func lossOfRequiredLinkStopsMigration() async throws {
        try await withFile(of: ObjectModel([Required.Order.self, Required.Customer.self]), fill: Required.fill) {
            file in
            let model = ObjectModel([RequiredOne.Order.self, RequiredOne.Customer.self], version: 2)
            let error = #expect(throws: ObjectError.self) { try file.open(model) }
            let missing = error?.losses.first { $0.kind == .missingValue }
            #expect(missing?.property == "customer" && missing?.count == 2)
            #expect(missing?.objectIDs.map(\.rowID) == [2, 3])
        }
    }
}
#endif
