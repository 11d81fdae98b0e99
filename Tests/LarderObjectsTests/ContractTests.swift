#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import Testing

/// Tests of edge cases of requests, values, explanations and errors.
@Suite struct ContractTests {
    private func fill(_ manager: SQLiteStorageManager) async throws {
        try await manager.performAndSave { storage in
            for number in 0..<10 {
                let order = try storage.insertNewObject(ofType: Order.self)
                order.number = Int64(number)
                order.addToItems(try storage.insertNewObject(ofType: Item.self))
            }
        }
    }

    @Test func fetchValuesRethrowsErrorThrownByTransform() async throws {
        try await withStorage { manager in
            try await fill(manager)
            await #expect(throws: Refusal.self) {
                _ = try await manager.fetchValues(ObjectRequest<Order>()) { _ -> Int in throw Refusal() }
            }
        }
    }

    @Test func fetchValuesRejectsUntranslatableRequest() async throws {
        try await withStorage { manager in
            let error = await #expect(throws: ObjectError.self) {
                _ = try await manager.fetchValues(ObjectRequest<Order>(\.label == "1")) { $0.number }
            }
            #expect(error?.code == .unsupportedQuery)
        }
    }

    @Test func countObjectsAppliesLimitAndOffset() async throws {
        try await withStorage { manager in
            try await fill(manager)
            let view = manager.viewStorage
            #expect(try view.countObjects(ObjectRequest<Order>(limit: 4, offset: 8)) == 2)
            #expect(try view.countObjects(ObjectRequest<Order>(limit: 4)) == 4)
            #expect(try view.countObjects(ObjectRequest<Order>(offset: 20)) == 0)
        }
    }

    @Test func prefetchOfAttributeFails() async throws {
        try await withStorage { manager in
            try await fill(manager)
            let error = #expect(throws: ObjectError.self) {
                _ = try manager.viewStorage.allObjects(ofType: Order.self, prefetch: [\.note])
            }
            #expect(error?.code == .unsupportedQuery)
        }
    }

    @Test func sortByComputedPropertyFails() async throws {
        try await withStorage { manager in
            let error = #expect(throws: ObjectError.self) {
                _ = try manager.viewStorage.allObjects(ofType: Order.self, sortedBy: [SortDescriptor(\.label)])
            }
            #expect(error?.code == .unsupportedQuery)
        }
    }

    @Test func loadingIDOfAnotherEntityReturnsNil() async throws {
        try await withStorage { manager in
            let id = try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).objectID }
            #expect(try manager.viewStorage.loadObject(ofType: Order.self, with: id) == nil)
        }
    }

    @Test func deleteObjectsReturnsNumberOfDeletedObjects() async throws {
        try await withStorage { manager in
            try await fill(manager)
            let count = try await manager.performAndSave { storage in
                try storage.deleteObjects(ofType: Order.self, matching: \.number >= 7)
            }
            #expect(count == 3)
            #expect(try manager.viewStorage.countObjects(ofType: Item.self) == 7)
        }
    }

    @Test func queryExplanationPrintsEachPartOnSeparateLine() async throws {
        try await withStorage { manager in
            let text = try await manager.withView { view in
                try view.explain(ObjectRequest<Order>(\.quantity == 3)).description
            }
            #expect(text.contains("SELECT") && text.contains("values: [") && text.contains("@Attribute(.indexed)"))
        }
    }

    @Test func queryRecordingReturnsEveryQuery() async throws {
        try await withStorage { manager in
            let queries = try manager.queries.recording {
                _ = try manager.viewStorage.countObjects(ofType: Order.self)
            }
            #expect(queries.count == 1 && queries[0].contains("count(*)"))
        }
    }

    @Test func queryRecordingEndsWhenBodyThrows() async throws {
        try await withStorage { manager in
            let error = #expect(throws: Refusal.self) { try manager.queries.recording { throw Refusal() } }
            #expect(error == Refusal())
        }
    }

    @Test func loadReturnsAttributeOrRelationship() async throws {
        try await withStorage { manager in
            try await fill(manager)
            let order = try #require(try manager.viewStorage.firstObject(ofType: Order.self))
            #expect(try order.load(\.number) == 0)
            #expect(try order.load(\.items).count == 1)
            #expect(try order.load(\.customer) == nil)
            #expect(try order.load(\.objectID) == order.objectID)
        }
    }

    @Test func changeStreamEndsWhenManagerCloses() async throws {
        let manager = try SQLiteStorageManager(
            inMemory: Shop.model,
            configuration: .init(viewQueue: DispatchQueue(label: "view"))
        )
        var before = manager.changes.makeAsyncIterator()
        #expect(try manager.verify().isIntact)
        try manager.close()
        var after = manager.changes.makeAsyncIterator()
        #expect(await before.next() == nil)
        #expect(await after.next() == nil)
    }

    @Test func invalidRawSQLThrowsObjectError() async throws {
        try await withStorage { manager in
            let error = await #expect(throws: ObjectError.self) {
                try await manager.write { try $0.execute(sql: "UPDATE nowhere SET a = 1") }
            }
            #expect(error?.code == .database)
        }
    }

    @Test func deletionByRawSQLIsMergedIntoView() async throws {
        try await withStorage { manager in
            let id = try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).objectID }
            let tag = try #require(try manager.viewStorage.loadObject(ofType: Tag.self, with: id))
            try await manager.write { try $0.execute(sql: "DELETE FROM Tag") }
            #expect(tag.isDeleted)
        }
    }

    @Test func errorDescriptionContainsPathProblemsAndCause() {
        let error = ObjectError(.busy, "Wait.", problems: ["one", "two"], path: "/a", underlying: Refusal())
        #expect(error.description == "/a: Wait.\n- one\n- two (Refusal())")
        #expect(error.errorDescription == error.description)
        #expect(error.code.description == "busy")
        #expect(ObjectID(entityName: "Order", rowID: 12).description == "Order/12")
    }
}
#endif
