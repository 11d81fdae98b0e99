#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import Testing

/// Tests that a call that can't throw reports an issue, and that the next call throws the error.
@Suite struct FailureTests {
    @Test func failedRelationshipReadIsReportedAndNextReadThrows() async throws {
        try await withStorage { manager in
            let id = try await manager.performAndSave { storage in
                let order = try storage.insertNewObject(ofType: Order.self)
                order.number = 1
                order.addToItems(try storage.insertNewObject(ofType: Item.self))
                return order.objectID
            }
            let order = try #require(try manager.viewStorage.loadObject(ofType: Order.self, with: id))
            try await manager.write { try $0.execute(sql: "ALTER TABLE Item RENAME TO Hidden") }
            let codes = Box<[LarderIssue.Code]>([])
            let items = withIssueHandler({ codes.value.append($0.code) }) { order.items }
            #expect(items.isEmpty)
            #expect(codes.value == [.readFailed])
            let error = #expect(throws: ObjectError.self) { try manager.viewStorage.countObjects(ofType: Order.self) }
            #expect(error?.code == .faultFailed)
            #expect(throws: ObjectError.self) { try order.load(\.items) }
            try await manager.write { try $0.execute(sql: "ALTER TABLE Hidden RENAME TO Item") }
            #expect(try order.load(\.items).count == 1)
        }
    }

    @Test func failedRelationshipReadFailsSave() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                let order = try storage.insertNewObject(ofType: Order.self)
                order.number = 1
            }
            try await manager.write { try $0.execute(sql: "ALTER TABLE Item RENAME TO Hidden") }
            let error = await #expect(throws: ObjectError.self) {
                try await manager.performAndSave { storage in
                    let order = try #require(try storage.firstObject(ofType: Order.self))
                    order.note = "changed"
                    withIssueHandler({ _ in }) { order.items = [] }
                }
            }
            #expect(error?.code == .faultFailed)
            try await manager.write { try $0.execute(sql: "ALTER TABLE Hidden RENAME TO Item") }
            let note = try manager.viewStorage.firstObject(ofType: Order.self)?.note
            #expect(note == nil)
        }
    }

    @Test func undecodableValueReadsAsDefault() async throws {
        try await withTemporaryFolder { folder in
            let manager = try SQLiteStorageManager(
                model: Shop.model,
                name: "shop",
                in: folder,
                configuration: .init(viewQueue: DispatchQueue(label: "view"))
            )
            try await manager.performAndSave { try $0.insertNewObject(ofType: Order.self).number = 1 }
            try await manager.write { try $0.execute(sql: "UPDATE \"Order\" SET status = 'burnt'") }
            let order = try #require(try manager.viewStorage.firstObject(ofType: Order.self))
            let codes = Box<[LarderIssue.Code]>([])
            withIssueHandler({ codes.value.append($0.code) }) { #expect(order.status == .pending) }
            #expect(codes.value == [.notConvertible])
            let error = #expect(throws: ObjectError.self) { try order.load(\.status) }
            #expect(error?.code == .notConvertible)
            #expect(try manager.verify().problems.count == 1)
            try manager.close()
        }
    }

    @Test func undecodableValuesAreReportedAtMostTenTimes() async throws {
        try await withTemporaryFolder { folder in
            let manager = try SQLiteStorageManager(
                model: Shop.model,
                name: "shop",
                in: folder,
                configuration: .init(viewQueue: DispatchQueue(label: "view"))
            )
            try await manager.performAndSave { storage in
                for number in 0..<100 { try storage.insertNewObject(ofType: Order.self).number = Int64(number) }
            }
            try await manager.write { try $0.execute(sql: "UPDATE \"Order\" SET status = 'burnt'") }
            let issues = Box<[LarderIssue]>([])
            try withIssueHandler({ issues.value.append($0) }) {
                for order in try manager.viewStorage.allObjects(ofType: Order.self) {
                    #expect(order.status == .pending)
                }
            }
            #expect(issues.value.map(\.code) == Array(repeating: .notConvertible, count: 10))
            #expect(issues.value.last?.message.contains("verify()") == true)
            #expect(try manager.verify().problems.count == 100)
            try manager.close()
        }
    }

    @Test func issueHandlerCanReadViewOnAnotherThread() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { try $0.insertNewObject(ofType: Order.self).number = 1 }
            let order = try #require(try manager.viewStorage.firstObject(ofType: Order.self))
            try await manager.write { try $0.execute(sql: "ALTER TABLE Item RENAME TO Hidden") }
            let outcomes = Box<[DispatchTimeoutResult]>([])
            let items = withIssueHandler({ _ in
                let isRead = DispatchSemaphore(value: 0)
                DispatchQueue.global().async {
                    _ = try? manager.viewStorage.countObjects(ofType: Tag.self)
                    isRead.signal()
                }
                outcomes.value.append(isRead.wait(timeout: .now() + 10))
            }) { order.items }
            #expect(items.isEmpty)
            #expect(outcomes.value == [.success])
            try await manager.write { try $0.execute(sql: "ALTER TABLE Hidden RENAME TO Item") }
        }
    }

    @Test func retainedObjectKeepsValuesAfterPerformAndSave() async throws {
        try await withStorage { manager in
            let kept = Kept()
            try await manager.performAndSave { storage in
                let customer = try storage.insertNewObject(ofType: Customer.self)
                customer.name = "Ada"
                kept.customer = customer
            }
            let codes = Box<[LarderIssue.Code]>([])
            withIssueHandler({ codes.value.append($0.code) }) { kept.customer?.name = "Eve" }
            #expect(kept.customer?.name == "Ada")
            #expect(codes.value == [.writeFailed])
        }
    }

    #if DEBUG
    @Test func returningNestedObjectFromPerformAndSaveTraps() async {
        await #expect(processExitsWith: .failure) {
            let manager = try SQLiteStorageManager(
                inMemory: Shop.model,
                configuration: .init(viewQueue: DispatchQueue(label: "view"))
            )
            _ = try await manager.performAndSave { storage in
                ["key": [Smuggled(object: try storage.insertNewObject(ofType: Customer.self))]]
            }
        }
    }
    #endif
}

/// Keeps an object after its storage has ended, which the compiler would otherwise reject.
private final class Kept: @unchecked Sendable {
    // This is safe because one thread uses it after the other.
    var customer: Customer?
}

/// Passes an object to a place where the compiler would reject it.
private struct Smuggled: @unchecked Sendable {
    // The object is not safe to send, which is what the test checks.
    let object: Customer
}
#endif
