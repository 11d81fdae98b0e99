#if Objects
import Foundation
import LarderObjects
import Testing

/// Tests that filters of any length can be used on threads with small stacks.
///
/// A filter that exceeds the nesting limit causes an error that names the limit.
@Suite struct LargeFilterTests {
    private static func fill(_ storage: any WritableStorageType) throws {
        for number in 0..<50 {
            let order = try storage.insertNewObject(ofType: Order.self)
            order.number = Int64(number)
            order.quantity = number
            order.note = number % 2 == 0 ? nil : "note \(number)"
        }
    }

    private func numbers(_ make: @escaping @Sendable () throws -> Filter<Order>) async throws -> [Int64] {
        try await withStorage { manager in
            try await manager.performAndSave { try Self.fill($0) }
            return try await onSmallThread {
                let filter = try make()
                let found = try manager.viewStorage.allObjects(ofType: Order.self, matching: filter)
                #expect(try manager.viewStorage.countObjects(ofType: Order.self, matching: filter) == found.count)
                let all = try manager.viewStorage.allObjects(ofType: Order.self)
                #expect(found == (try all.filter { try filter.evaluate($0) }))
                return found.map(\.number)
            }
        }
    }

    private func refusal(_ make: @escaping @Sendable () throws -> Filter<Order>) async throws -> String? {
        try await withStorage { manager in
            try await onSmallThread {
                let filter = try make()
                let error = #expect(throws: ObjectError.self) {
                    try manager.viewStorage.countObjects(ofType: Order.self, matching: filter)
                }
                #expect(error?.code == .unsupportedQuery)
                return error?.message
            }
        }
    }

    @Test(arguments: [90, 1_000, 10_000]) func longConjunctionsAreEvaluated(_ count: Int) async throws {
        let found = try await numbers {
            (0..<count).reduce(\Order.quantity < 7) { filter, number in filter && \.quantity != -1 - number }
        }
        #expect(found == [0, 1, 2, 3, 4, 5, 6])
    }

    @Test(arguments: [90, 1_000, 10_000]) func longDisjunctionsAreEvaluated(_ count: Int) async throws {
        let found = try await numbers {
            (0..<count).reduce(\Order.number == 7) { filter, number in filter || \.number == Int64(1_000 + number) }
        }
        #expect(found == [7])
    }

    @Test(arguments: [60, 1_000, 10_000]) func longRightNestedFiltersAreEvaluated(_ count: Int) async throws {
        let found = try await numbers {
            (0..<count).reduce(\Order.number == 7) { filter, number in \.number == Int64(1_000 + number) || filter }
        }
        #expect(found == [7])
    }

    @Test func longNegatedFilterIsEvaluated() async throws {
        let found = try await numbers {
            !(0..<10_000).reduce(\Order.number == 7) { filter, number in filter || \.number == Int64(8 + number) }
        }
        #expect(found == [0, 1, 2, 3, 4, 5, 6])
    }

    @Test func longMixedFiltersAreEvaluated() async throws {
        let found = try await numbers {
            (0..<1_000).reduce(\Order.number == 7) { filter, number in
                filter || (\Order.note).contains("e \(number + 45)") && !(\Order.note == "x")
            }
        }
        #expect(found == [7, 45, 47, 49])
    }

    @Test func fiftyNestedConjunctionsAndDisjunctionsAreEvaluated() async throws {
        let found = try await numbers {
            (0..<25).reduce(\Order.number == 7) { filter, number in
                \.quantity != 1_000 + number && (\.number == Int64(1_000 + number) || filter)
            }
        }
        #expect(found == [7])
    }

    @Test func fiftyLevelsOfNegationAreEvaluated() async throws {
        let found = try await numbers {
            (0..<50).reduce(\Order.number == 7) { filter, number in !(filter && \.quantity != 1_000 + number) }
        }
        #expect(found == [7])
    }

    @Test func filterAboveNestingLimitIsRejected() async throws {
        let message = try await refusal {
            (0..<10_000).reduce(\Order.number == 7) { filter, number in
                \.quantity != number && (\.number == Int64(number) || filter)
            }
        }
        #expect(message?.contains("60 levels") == true)
    }

    @Test func filterAboveNestingLimitIsRejectedInMemory() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                let order = try storage.insertNewObject(ofType: Order.self)
                order.number = 1
                let filter = (0..<100).reduce(\Order.number == 7) { filter, number in !(filter && \.quantity != number)
                }
                #expect(throws: ObjectError.self) { try filter.evaluate(order) }
            }
        }
    }

    @Test func nestedRelationshipConditionsAboveLimitAreRejected() async throws {
        func nested(_ levels: Int) -> Filter<Customer> {
            (0..<levels).reduce(\Customer.age > 3) { filter, _ in .any(\.reports, filter) }
        }
        try await withStorage { manager in
            let count = try manager.viewStorage.countObjects(ofType: Customer.self, matching: nested(6))
            #expect(count == 0)
            let error = #expect(throws: ObjectError.self) {
                try manager.viewStorage.countObjects(ofType: Customer.self, matching: nested(7))
            }
            #expect(error?.code == .unsupportedQuery)
        }
    }

    @Test func queryAboveSQLiteParameterLimitIsRejected() async throws {
        let message = try await refusal {
            (0..<40_000).reduce(\Order.number == 7) { filter, number in filter || \.quantity == number }
        }
        #expect(message?.contains("32766") == true)
    }

    // MARK: Predicates

    @Test func predicateWithNinetyConditionsIsEvaluated() async throws {
        let found = try await numbers { Filter(Predicate<Order> { variable in Self.chain(variable, 90) }) }
        #expect(found.count == 50)
    }

    @Test func predicateAboveNestingLimitIsRejected() async throws {
        let message = try await refusal { Filter(Predicate<Order> { variable in Self.chain(variable, 300) }) }
        #expect(message?.contains("200 expressions") == true)
    }

    /// Returns the predicate expression `quantity != -1 && quantity != -2 && ...` with `count` conditions.
    private static func chain(_ variable: PredicateExpressions.Variable<Order>, _ count: Int) -> ErasedCondition {
        func part(_ number: Int) -> ErasedCondition {
            ErasedCondition(
                PredicateExpressions.build_NotEqual(
                    lhs: PredicateExpressions.build_KeyPath(root: variable, keyPath: \.quantity),
                    rhs: PredicateExpressions.build_Arg(-1 - number)
                )
            )
        }
        return (1..<count).reduce(part(0)) { chain, number in
            ErasedCondition(PredicateExpressions.build_Conjunction(lhs: chain, rhs: part(number)))
        }
    }
}
#endif
