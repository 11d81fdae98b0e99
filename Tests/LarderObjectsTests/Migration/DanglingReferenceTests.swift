#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import LarderTestTraits
import Testing

/// Tests of migrations of files that already contain references to missing objects.
@Suite(.expectsIssues(.damaged)) struct DanglingReferenceTests {
    enum Old {
        @Entity final class Order {
            var number: Int = 0
            @Relationship var customer: Customer?
        }
        @Entity final class Customer {
            var name = ""
            @Relationship(inverse: \Order.customer) var orders: [Order]
        }
    }
    enum Retyped {
        @Entity final class Order {
            var number: String = ""
            @Relationship var customer: Customer?
        }
        @Entity final class Customer {
            var name = ""
            @Relationship(inverse: \Order.customer) var orders: [Order]
        }
    }

    @Test func danglingReferenceIsReportedAndLeftUnchanged() async throws {
        let model = ObjectModel([Old.Order.self, Old.Customer.self])
        try await withFile(
            of: model,
            fill: { storage in
                for number in 0..<3 { try storage.insertNewObject(ofType: Old.Order.self).number = number }
            }
        ) { file in
            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            let queue = try DatabaseQueue(path: file.url.path, configuration: configuration)
            try await queue.write { try $0.execute(sql: "UPDATE \"Order\" SET customer = 99 WHERE objectID > 1") }
            try queue.close()

            let issues = Box<[LarderIssue]>([])
            let manager = try withIssueHandler({ issue in issues.update { $0.append(issue) } }) {
                try file.open(ObjectModel([Retyped.Order.self, Retyped.Customer.self], version: 2))
            }
            #expect(issues.value.count == 1 && issues.value.first?.code == .damaged)
            #expect(issues.value.first?.message.contains("2 references to missing objects") == true)
            #expect(issues.value.first?.message.contains("Order/2.customer") == true)
            #expect(try manager.viewStorage.allObjects(ofType: Retyped.Order.self).map(\.number) == ["0", "1", "2"])
            // The same references are still dangling, and SQLite finds no other damage.
            #expect(try manager.verify().problems.map(\.key) == ["Order/2", "Order/3"])
            try manager.close()
            let values = try await SchemaProbe.values(of: file.url, "SELECT customer FROM \"Order\" ORDER BY objectID")
            #expect(values == [nil, "99", "99"])
        }
    }
}
#endif
