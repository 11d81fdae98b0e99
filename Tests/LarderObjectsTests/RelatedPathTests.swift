#if Objects
import Foundation
import LarderObjects
import Testing

/// Tests of key paths through a to-one relationship, by the type of the value at their end.
@Suite struct RelatedPathTests {
    /// Runs `body` with three orders, of which the first two have refunds of 5 and 20, and an item each.
    private func withOrders(_ body: @escaping @Sendable (ViewContext) throws -> Void) async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                for number in 1...3 {
                    let order = try storage.insertNewObject(ofType: Order.self)
                    (order.number, order.status) = (Int64(number), Status.allCases[number - 1])
                    order.addToItems(try storage.insertNewObject(ofType: Item.self))
                    guard number < 3 else { continue }
                    order.refund = try storage.insertNewObject(ofType: Refund.self)
                    order.refund?.amount = number == 1 ? 20 : 5
                }
            }
            try await manager.withView(body)
        }
    }

    @Test func decimalOfRelatedObjectFiltersAndSorts() async throws {
        try await withOrders { view in
            let large = try view.allObjects(ofType: Order.self, matching: \Order.refund?.amount > 10)
            #expect(large.map(\.number) == [1])
            let missing = try view.allObjects(ofType: Order.self, matching: \Order.refund?.amount == nil)
            #expect(missing.map(\.number) == [3])
            let sorted = try view.allObjects(ofType: Order.self, sortedBy: [SortDescriptor(\.refund?.amount)])
            #expect(sorted.map(\.number) == [3, 2, 1])
        }
    }

    @Test func enumerationOfRelatedObjectFiltersAndSorts() async throws {
        try await withOrders { view in
            let status = Status.allCases[1]
            let items = try view.allObjects(ofType: Item.self, matching: \Item.order?.status == status)
            #expect(items.map { $0.order?.number } == [2])
            let sorted = try view.results(ObjectRequest<Item>(), sectionBy: SortDescriptor(\.order?.status))
            #expect(sorted.snapshot.sections.map(\.title) == Status.allCases.prefix(3).map(\.rawValue).sorted())
        }
    }

    @Test func computedEnumerationOfRelatedObjectIsRefused() async throws {
        try await withOrders { view in
            for path in [\Item.order?.shownStatus, \Item.order?.hiddenStatus] {
                #expect(throws: ObjectError.self) {
                    try view.allObjects(ofType: Item.self, matching: path == Status.allCases[0])
                }
            }
        }
    }
}

extension Order {
    fileprivate var shownStatus: Status { status == Status.allCases.first ? Status.allCases[1] : status }
    fileprivate var hiddenStatus: Status { status == Status.allCases.last ? Status.allCases[1] : status }
}
#endif
