#if Objects && DEBUG
import Dispatch
import Foundation
import LarderCore
import LarderObjects
import LarderTesting
import Testing

/// Tests that repeated queries are reported with the source location of the call in debug builds.
@Suite struct RepeatedQueryTests {
    /// Returns the issues that are reported while `body` runs with three orders.
    private func issues(
        _ body: @escaping @Sendable (any WritableStorageType) throws -> Void
    ) async throws -> [LarderIssue] {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                for number in 0..<4 {
                    let order = try storage.insertNewObject(ofType: Order.self)
                    order.number = Int64(number)
                    order.addToItems(try storage.insertNewObject(ofType: Item.self))
                }
            }
            let found = Box<[LarderIssue]>([])
            try await manager.performAndSave { storage in
                try withIssueHandler({ found.value.append($0) }) { try body(storage) }
            }
            return found.value
        }
    }

    @Test func fetchInLoopIsReportedWithSourceLocation() async throws {
        let line = #line
        let issues = try await issues { storage in
            for number in 0..<4 {
                _ = try storage.firstObject(ofType: Order.self, matching: \.number == Int64(number))
            }
        }
        #expect(issues.map(\.code) == [.repeatedQuery])
        #expect(issues[0].message.contains("Order.self) at LarderObjectsTests/RepeatedQueryTests.swift:\(line + 3)"))
    }

    @Test func relationshipReadInLoopIsReported() async throws {
        let issues = try await issues { storage in
            let ids = try storage.allObjects(ofType: Order.self).map(\.objectID)
            for id in ids.prefix(2) { _ = try storage.loadObject(ofType: Order.self, with: id) }
            for number in 0..<4 {
                let orders = try storage.allObjects(ofType: Order.self, limit: 1, offset: number)
                _ = orders[0].items.count
            }
        }
        #expect(issues.contains { $0.key == "Order.items" })
    }

    @Test func iterationOverSingleFetchIsNotReported() async throws {
        let issues = try await issues { storage in
            for order in try storage.allObjects(ofType: Order.self) { _ = order.items.map(\.name) }
        }
        #expect(issues.isEmpty)
    }

    @Test func queriesAreCountedSeparatelyForEachOperation() async throws {
        try await withStorage { manager in
            let found = Box<[LarderIssue]>([])
            for _ in 0..<4 {
                try await manager.performAndSave { storage in
                    try withIssueHandler({ found.value.append($0) }) {
                        _ = try storage.countObjects(ofType: Order.self)
                    }
                }
            }
            #expect(found.value.isEmpty)
        }
    }

    @Test func repeatedQueriesInWithViewAreReported() async throws {
        try await withStorage { manager in
            let found = try await manager.withView { view in
                let found = Box<[LarderIssue]>([])
                try withIssueHandler({ found.value.append($0) }) {
                    for _ in 0..<4 { _ = try view.countObjects(ofType: Order.self) }
                }
                return found.value
            }
            #expect(found.count == 1)
            #expect(found.first?.message.hasPrefix("countObjects(ofType: Order.self)") == true)
        }
    }

    @Test func queriesOnOtherThreadsAreNotCountedAsRepeated() async throws {
        try await withStorage { manager in
            let found = try await manager.withView { _ in
                let found = Box<[LarderIssue]>([])
                for _ in 0..<4 {
                    let isDone = DispatchSemaphore(value: 0)
                    Thread.detachNewThread {
                        withIssueHandler({ found.value.append($0) }) {
                            #expect(throws: Never.self) { try manager.viewStorage.countObjects(ofType: Order.self) }
                        }
                        isDone.signal()
                    }
                    isDone.wait()
                }
                return found.value
            }
            #expect(found.isEmpty)
        }
    }

    @Test func queriesAreCountedWhileOtherThreadsReadView() async throws {
        try await withStorage { manager in
            let found = try await manager.withView { view in
                let found = Box<[LarderIssue]>([])
                try withIssueHandler({ found.value.append($0) }) {
                    for _ in 0..<3 {
                        _ = try view.countObjects(ofType: Order.self)
                        let isDone = DispatchSemaphore(value: 0)
                        Thread.detachNewThread {
                            #expect(throws: Never.self) { try manager.viewStorage.countObjects(ofType: Item.self) }
                            isDone.signal()
                        }
                        isDone.wait()
                    }
                }
                return found.value
            }
            #expect(found.count == 1)
            #expect(found.first?.message.hasPrefix("countObjects(ofType: Order.self)") == true)
        }
    }

    @Test func predicateOracleQueriesAreNotCountedAsRepeated() async throws {
        let found = Box<[LarderIssue]>([])
        try await withIssueHandler({ found.value.append($0) }) {
            try await PredicateOracle([Order.self, Item.self, Customer.self, Refund.self, Tag.self]).check(cases: 20)
            try await withStorage { manager in
                try await manager.performAndSave { storage in
                    try storage.insertNewObject(ofType: Order.self).number = 1
                    for number in 0..<4 { try PredicateOracle.check(\Order.number == Int64(number), in: storage) }
                }
                try await manager.withView { view in
                    for number in 0..<4 { try PredicateOracle.check(\Order.number == Int64(number), in: view) }
                }
            }
        }
        #expect(found.value.isEmpty)
    }
}
#endif
