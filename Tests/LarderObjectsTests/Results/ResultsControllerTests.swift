#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import LarderTestTraits
import Testing

/// Tests of the list that follows every save.
@Suite struct ResultsControllerTests {
    @Test func listContainsFetchedObjects() async throws {
        try await withStorage { manager in
            let ids = try await Orders.insert([3, 1, 2], manager)
            let list = try await LiveList(manager, Orders.byNumber)
            let snapshot = try await list.snapshot
            #expect(Array(snapshot.ids) == [ids[1], ids[2], ids[0]])
            #expect(snapshot.count == 3 && snapshot.sections.count == 1)
            #expect(snapshot.path(of: ids[0]) == ResultsPath(section: 0, item: 2))
            #expect(snapshot[ResultsPath(section: 0, item: 1)] == ids[2])
            #expect(snapshot.path(of: ObjectID(entityName: "Order", rowID: 99_999)) == nil)
            #expect(try await list.read { try $0.object(at: ResultsPath(section: 0, item: 0)).number } == 1)
        }
    }

    @Test func insertedObjectAppears() async throws {
        try await withStorage { manager in
            try await Orders.insert([1, 3], manager)
            let list = try await LiveList(manager, Orders.byNumber)
            try await Orders.insert([2], manager)
            #expect(try await list.values(\.number) == [[1, 2, 3]])
            #expect(try await list.calls() == ["begin", "insert 0.1", "end"])
            try await list.check(Orders.byNumber)
        }
    }

    @Test func deletedObjectDisappears() async throws {
        try await withStorage { manager in
            try await Orders.insert([1, 2, 3], manager)
            let list = try await LiveList(manager, Orders.byNumber)
            try await Orders.delete(2, manager)
            #expect(try await list.values(\.number) == [[1, 3]])
            #expect(try await list.calls() == ["begin", "delete 0.1", "end"])
            try await list.check(Orders.byNumber)
        }
    }

    @Test func changedObjectMoves() async throws {
        try await withStorage { manager in
            try await Orders.insert([1, 2, 3], manager)
            let list = try await LiveList(manager, Orders.byNumber)
            try await Orders.change(1, manager) { $0.number = 9 }
            #expect(try await list.values(\.number) == [[2, 3, 9]])
            #expect(try await list.calls() == ["begin", "move 0.0 to 0.2", "end"])
            try await list.check(Orders.byNumber)
        }
    }

    @Test func unrelatedSaveYieldsNothing() async throws {
        try await withStorage { manager in
            try await Orders.insert([1], manager)
            let list = try await LiveList(manager, Orders.byNumber)
            let before = manager.queries.total
            try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "red" }
            #expect(try await list.calls() == [])
            #expect(manager.queries.total == before)
        }
    }

    @Test func changeOfOtherAttributeNeedsNoQuery() async throws {
        try await withStorage { manager in
            let ids = try await Orders.insert([1, 2], manager)
            let list = try await LiveList(manager, Orders.byNumber)
            let before = manager.queries.total
            try await manager.performAndSave { storage in
                try storage.loadObject(ofType: Order.self, with: ids[1])?.note = "gift"
            }
            // The writer has loaded the object with one query.
            #expect(manager.queries.total == before + 1)
            #expect(try await list.calls() == ["begin", "update 0.1 note", "end"])
        }
    }

    @Test(arguments: [(Int.max, 0, 2), (1, Int.max, 0), (Int.max, 1, 1)])
    func greatestLimitAndOffsetAreAllowed(_ limit: Int, _ offset: Int, _ count: Int) async throws {
        try await withStorage { manager in
            try await Orders.insert([1, 2], manager)
            let shown = try await manager.withView { view in
                let order = [SortDescriptor(\Order.number)]
                return try view.results(ObjectRequest(sortedBy: order, limit: limit, offset: offset)).snapshot.count
            }
            #expect(shown == count)
        }
    }

    @Test func resetEmptiesList() async throws {
        try await withStorage { manager in
            try await Orders.insert([1, 2], manager)
            let list = try await LiveList(manager, Orders.byNumber, sectionBy: SortDescriptor(\.status))
            try manager.reset()
            #expect(try await list.snapshot.count == 0)
            #expect(try await list.snapshot.sections.isEmpty)
            try await list.check(Orders.byNumber, sectionBy: SortDescriptor(\.status))
        }
    }

    @Test(.expectsIssues(.readFailed)) func failedUpkeepFetchesAgain() async throws {
        try await withStorage { manager in
            let ids = try await Orders.insert([1, 2], manager) { $0.quantity = 1 }
            let list = try await LiveList(
                manager,
                ObjectRequest(\Order.customer?.name == nil, sortedBy: [SortDescriptor(\.number)])
            )
            try await manager.write { try $0.execute(sql: "ALTER TABLE Customer RENAME TO Hidden") }
            let change: @Sendable (Int64) async throws -> Void = { number in
                try await manager.performAndSave { storage in
                    try storage.loadObject(ofType: Order.self, with: ids[0])?.number = number
                }
            }
            try await change(7)
            #expect(try await list.read { $0.error != nil })
            #expect(Array(try await list.snapshot.ids) == ids)
            #expect(try await list.calls() == [])
            try await manager.write { try $0.execute(sql: "ALTER TABLE Hidden RENAME TO Customer") }
            try await change(8)
            #expect(try await list.read { $0.error == nil })
            #expect(Array(try await list.snapshot.ids) == [ids[1], ids[0]])
            try await list.check(ObjectRequest(\Order.customer?.name == nil, sortedBy: [SortDescriptor(\.number)]))
        }
    }

    @Test func requestCanBeReplaced() async throws {
        try await withStorage { manager in
            try await Orders.insert([1, 2, 3, 4], manager) { $0.status = $0.number % 2 == 0 ? .paid : .pending }
            let list = try await LiveList(manager, Orders.byNumber)
            try await list.read { controller in
                try controller.setRequest(
                    ObjectRequest(\.number > 1, sortedBy: [SortDescriptor(\.number, order: .reverse)]),
                    sectionBy: SortDescriptor(\.status)
                )
            }
            #expect(try await list.values(\.number) == [[4, 2], [3]])
            #expect(try await list.sections == ["paid: 2", "pending: 1"])
            #expect(try await list.calls().first == "begin")
            try await list.check(
                ObjectRequest(\.number > 1, sortedBy: [SortDescriptor(\.number, order: .reverse)]),
                sectionBy: SortDescriptor(\.status)
            )
            try await Orders.insert([5], manager)
            #expect(try await list.values(\.number) == [[4, 2], [5, 3]])
        }
    }

    @Test func refusedRequestKeepsList() async throws {
        try await withStorage { manager in
            try await Orders.insert([1, 2], manager)
            let list = try await LiveList(manager, Orders.byNumber)
            await #expect(throws: ObjectError.self) {
                try await list.read { try $0.setRequest(ObjectRequest(sortedBy: [SortDescriptor(\.items.count)])) }
            }
            try await Orders.insert([3], manager)
            #expect(try await list.values(\.number) == [[1, 2, 3]])
        }
    }

    @Test func listIsReleased() async throws {
        try await withStorage { manager in
            let list = try await LiveList(manager, Orders.byNumber)
            let controller = try await list.read { WeakBox($0) }
            #expect(controller.isAlive)
            try await list.release()
            #expect(!controller.isAlive)
            let before = manager.queries.total
            try await Orders.insert([1], manager)
            #expect(manager.queries.total == before)
        }
    }

    @Test func objectDeletedByLaterSaveThrows() async throws {
        try await withStorage { manager in
            let ids = try await Orders.insert([1], manager)
            let list = try await LiveList(manager, Orders.byNumber)
            // The view's queue is busy, so the save is not merged yet.
            let code = try await list.read { controller -> ObjectError.Code? in
                let saved = DispatchSemaphore(value: 0)
                manager.performAndSave(
                    { storage in
                        let order = try #require(try storage.loadObject(ofType: Order.self, with: ids[0]))
                        try storage.deleteObject(order)
                    },
                    completion: {},
                    on: .global()
                )
                manager.performAndSave({ _ in _ = saved.signal() }, completion: {}, on: .global())
                saved.wait()
                do {
                    _ = try controller.object(at: ResultsPath(section: 0, item: 0))
                    return nil
                } catch let error as ObjectError { return error.code }
            }
            #expect(code == .deletedObject)
            #expect(try await list.snapshot.count == 0)
        }
    }

    @Test func closedManagerLeavesLastState() async throws {
        let manager = try SQLiteStorageManager(
            inMemory: Shop.model,
            configuration: .init(viewQueue: DispatchQueue(label: "view"))
        )
        try await Orders.insert([1], manager)
        let list = try await LiveList(manager, Orders.byNumber)
        #expect(try manager.verify().isIntact)
        try manager.close()
        #expect(try await list.snapshot.count == 1)
        await #expect(throws: ObjectError.self) {
            try await list.read { _ = try $0.object(at: ResultsPath(section: 0, item: 0)) }
        }
    }
}

/// A weak reference that may be sent.
private final class WeakBox: @unchecked Sendable {
    // The class is safe to send because weak references are atomic.
    private weak var object: AnyObject?
    init(_ object: AnyObject) { self.object = object }
    var isAlive: Bool { object != nil }
}
#endif
