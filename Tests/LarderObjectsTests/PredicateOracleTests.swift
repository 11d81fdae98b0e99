#if Objects
import Foundation
import LarderCore
import LarderObjects
import LarderTesting
import Testing

/// Tests that 10,000 random predicates on random objects of several models produce the same results in SQL and in memory.
@Suite struct PredicateOracleTests {
    private static let models: [[any Object.Type]] = [
        [Order.self, Item.self, Customer.self, Refund.self, Tag.self], [Everything.self],
        [StorageOrder.self, StorageOrderItem.self, StorageTax.self, StorageAddress.self],
        [SearchTests.Article.self],
    ]

    @Test(arguments: 0..<10) func randomPredicatesAgreeInSQLAndMemory(
        _ part: Int
    ) async throws {
        let oracle = PredicateOracle(Self.models[part % Self.models.count], seed: UInt64(part) + 1)
        let decisive = try await oracle.check(cases: 1_000)
        #expect(decisive > 100)
    }

    @Test func predicateOracleChecksCustomFilter() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { try PredicateTests.fill($0) }
            #expect(try PredicateOracle.check(\Order.quantity > 3, in: manager.viewStorage))
        }
    }
}
#endif
