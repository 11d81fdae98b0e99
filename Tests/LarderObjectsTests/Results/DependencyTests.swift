#if Objects
import Foundation
import Testing

@testable import LarderObjects

/// Tests that a list knows what its filter, sort order and sections depend on, and which saves can change it.
@Suite struct DependencyTests {
    @Entity final class Note {
        @Attribute(.searchable) var title: String = ""
        var number: Int = 0
    }

    private static let notes = ObjectModel([Note.self])

    private func plan<T: Object>(
        _ filter: Filter<T>? = nil,
        sortedBy sort: [SortDescriptor<T>] = [],
        sectionBy section: SortDescriptor<T>? = nil,
        _ manager: SQLiteStorageManager
    ) throws -> ResultsPlan {
        try ResultsPlan(ObjectRequest(filter, sortedBy: sort), sectionBy: section, in: manager.viewObjects)
    }

    /// Returns the names of columns in own rows, columns in related rows such as `Customer.name`, and join tables.
    private func names<T: Object>(
        _ filter: Filter<T>? = nil,
        sortedBy sort: [SortDescriptor<T>] = [],
        sectionBy section: SortDescriptor<T>? = nil,
        model: ObjectModel = Shop.model
    ) async throws -> Set<String> {
        try await withStorage(model: model) { manager in
            let plan = try plan(filter, sortedBy: sort, sectionBy: section, manager)
            let dependencies = plan.dependencies
            var names = Set(dependencies.own.columns.map { plan.entity.columns[$0].name }).union(dependencies.joins)
            for (index, columns) in dependencies.related {
                let entity = manager.model.entities[index]
                if columns.isEmpty { names.insert(entity.name) }
                names.formUnion(columns.columns.map { "\(entity.name).\(entity.columns[$0].name)" })
            }
            #expect(dependencies.isLocal == (dependencies.related.isEmpty && dependencies.joins.isEmpty))
            return names
        }
    }

    @Test func listOfAllObjectsDependsOnNoColumn() async throws {
        #expect(try await names(Filter<Order>?.none) == [])
    }

    @Test func filterSortOrderAndSectionsAreDependencies() async throws {
        let two = 2
        #expect(
            try await names(
                \Order.status == .paid,
                sortedBy: [SortDescriptor(\.placedAt)],
                sectionBy: SortDescriptor(\.siteID)
            )
                == ["status", "placedAt", "siteID"]
        )
        #expect(
            try await names(Filter<Order>(#Predicate { $0.note == nil && $0.quantity > two })) == ["note", "quantity"]
        )
        #expect(try await names((\Order.number).in([1, 2]) || \Order.note != nil) == ["number", "note"])
    }

    @Test func attributeOfRelatedObjectIsDependency() async throws {
        #expect(try await names(\Order.customer?.name == "Ada") == ["customer", "Customer.name"])
        #expect(try await names(sortedBy: [SortDescriptor(\Order.customer?.age)]) == ["customer", "Customer.age"])
        #expect(try await names(sectionBy: SortDescriptor(\Order.customer?.name)) == ["customer", "Customer.name"])
        let one = Decimal(1)
        let refunded = Filter<Order>(#Predicate { $0.refund?.amount == one })
        #expect(try await names(refunded) == ["Refund.order", "Refund.amount"])
    }

    @Test func attributeOfOwnEntityThroughRelationshipIsRelated() async throws {
        #expect(try await names(\Customer.boss?.name == "Ada") == ["boss", "Customer.name"])
        #expect(try await names(\Customer.boss?.boss?.age == 1) == ["boss", "Customer.boss", "Customer.age"])
    }

    @Test func toManyRelationshipIsDependency() async throws {
        let (two, chair) = (2, "chair")
        #expect(try await names(Filter<Order>(#Predicate { $0.items.count > two })) == ["Item.order"])
        #expect(try await names(Filter<Order>(#Predicate { $0.items.isEmpty })) == ["Item.order"])
        #expect(
            try await names(Filter<Order>(#Predicate { $0.items.contains { $0.name == chair } }))
                == ["Item.order", "Item.name"]
        )
    }

    @Test func joinTableIsDependency() async throws {
        let red = "red"
        #expect(try await names(Filter<Order>(#Predicate { $0.tags.isEmpty })) == ["Tag", "Order.tags"])
        #expect(
            try await names(Filter<Order>(#Predicate { $0.tags.contains { $0.name == red } })) == [
                "Tag.name", "Order.tags",
            ]
        )
    }

    @Test func relatedObjectInNestedConditionIsDependency() async throws {
        let filter = Filter<Customer>(
            #Predicate { customer in customer.orders.contains { $0.customer?.nickname == customer.nickname } }
        )
        #expect(try await names(filter) == ["nickname", "Order.customer", "Customer.nickname"])
    }

    @Test func searchDependsOnFoldedColumn() async throws {
        let filter = (\Note.title).containsIgnoringCaseAndAccents("é")
        #expect(try await names(filter, model: Self.notes) == ["title", "title.folded"])
    }

    // MARK: Effects

    /// Returns the effect on the list of a save with the given changes.
    private func effect<T: Object>(
        _ filter: Filter<T>?,
        _ record: @escaping @Sendable (inout RowChanges, ResolvedModel) throws -> Void
    ) async throws -> Dependencies.Effect {
        try await withStorage { manager in
            let plan = try plan(filter, manager)
            var changes = RowChanges(entities: manager.model.entities.count)
            try record(&changes, manager.model)
            return plan.dependencies.effect(of: changes, on: plan.entity.index)
        }
    }

    private static func update(
        _ entity: String,
        _ row: Int64,
        _ columns: [String],
        _ changes: inout RowChanges,
        _ model: ResolvedModel
    ) throws {
        let entity = try #require(model.entity(named: entity))
        let places = try columns.map { name in try #require(entity.columns.firstIndex { $0.name == name }) }
        changes.update(entity.index, row, ColumnSet(places))
    }

    @Test func onlyObjectsWithChangedDependenciesAreAskedAbout() async throws {
        let effect = try await effect(\Order.status == .paid) { changes, model in
            try Self.update("Order", 1, ["note"], &changes, model)
            try Self.update("Order", 2, ["note", "status"], &changes, model)
            try Self.update("Customer", 4, ["name"], &changes, model)
            let order = try #require(model.entity(named: "Order"))
            changes.insert(order.index, 3)
            changes.delete(order.index, 5)
        }
        #expect(effect == .ids([3, 2, 5]))
    }

    @Test func unrelatedChangeHasNoEffect() async throws {
        let effect = try await effect(\Order.customer?.name == "Ada") { changes, model in
            try Self.update("Order", 1, ["note"], &changes, model)
            try Self.update("Customer", 2, ["age"], &changes, model)
            try Self.update("Item", 3, ["name"], &changes, model)
            changes.changeLinks(in: "Order.tags")
        }
        #expect(effect == .none)
    }

    @Test func relatedChangeCanMoveAnyObject() async throws {
        let filter = \Order.customer?.name == "Ada"
        for change in ["update", "insert", "delete"] {
            let effect = try await effect(filter) { changes, model in
                let customer = try #require(model.entity(named: "Customer")).index
                switch change {
                case "update": try Self.update("Customer", 1, ["name"], &changes, model)
                case "insert": changes.insert(customer, 1)
                default: changes.delete(customer, 1)
                }
            }
            #expect(effect == .again, "\(change)")
        }
    }

    @Test func changedLinkCanMoveAnyObject() async throws {
        let effect = try await effect(Filter<Order>(#Predicate { $0.tags.isEmpty })) { changes, _ in
            changes.changeLinks(in: "Order.tags")
        }
        #expect(effect == .again)
    }

    @Test func resetCanMoveAnyObject() async throws {
        #expect(try await effect(Filter<Order>?.none) { changes, _ in changes.isComplete = true } == .again)
    }
}
#endif
