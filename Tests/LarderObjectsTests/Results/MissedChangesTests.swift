#if Objects
import Dispatch
import Foundation
import GRDB
import LarderCore
import LarderObjects
import LarderTestTraits
import Observation
import Testing

/// Tests that lists and observers miss no change when a program replaces rows, a read fails, the request is replaced during a merge, or a
/// later save is not merged yet.
@Suite struct MissedChangesTests {
    /// A program that does not use Larder, and the file to which it writes.
    private struct Program {
        static let replaceOrder =
            "INSERT OR REPLACE INTO \"Order\" (objectID, siteID, number, status, total, placedAt, quantity, note, customer)"

        let manager: SQLiteStorageManager
        let connection: DatabaseQueue

        /// Runs SQL in one transaction, which the view merges.
        func run(_ sql: String) async throws {
            var changes = manager.changes.makeAsyncIterator()
            try await runUnmerged(sql)
            _ = await changes.next()
        }

        /// Runs SQL that changes no object.
        func runUnmerged(_ sql: String) async throws { try await connection.write { try $0.execute(sql: sql) } }
    }

    private func withProgram(_ body: (SQLiteStorageManager, Program) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            let manager = try SQLiteStorageManager(
                model: Shop.model,
                url: url,
                configuration: ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
            )
            let connection = try DatabaseQueue(path: url.path)
            try await body(manager, Program(manager: manager, connection: connection))
            try connection.close()
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    // MARK: - Replaced rows

    private static var byCustomer: ObjectRequest<Order> {
        ObjectRequest(sortedBy: [SortDescriptor(\.customer?.name)])
    }

    /// Runs `body` with a list of two orders, which is read as a whole when the name of a customer changes.
    private func withCustomers(
        _ body: (SQLiteStorageManager, Program, LiveList<Order>) async throws -> Void
    ) async throws {
        try await withProgram { manager, program in
            try await manager.performAndSave { storage in
                for (number, name) in [(1, "Ada"), (2, "Eve")] {
                    let customer = try storage.insertNewObject(ofType: Customer.self)
                    customer.name = name
                    let order = try storage.insertNewObject(ofType: Order.self)
                    (order.number, order.customer) = (Int64(number), customer)
                }
            }
            let list = try await LiveList(manager, Self.byCustomer)
            #expect(try await list.values(\.note) == [[nil, nil]])
            try await body(manager, program, list)
            try await list.check(Self.byCustomer)
        }
    }

    @Test func rowReplacedByPrimaryKeyIsUpdateOfListReadAgain() async throws {
        try await withCustomers { _, program, list in
            try await program.run(
                """
                \(Program.replaceOrder) SELECT objectID, siteID, number, status, total, placedAt, quantity, 'new', customer
                FROM "Order" WHERE number = 1;
                UPDATE Customer SET name = 'Eva' WHERE name = 'Eve';
                """
            )
            #expect(try await list.calls() == ["begin", "update 0.0 ?", "end"])
            #expect(try await list.values(\.note) == [["new", nil]])
        }
    }

    @Test func rowReplacedByUniqueValuesIsDeletionAndInsertion() async throws {
        try await withCustomers { _, program, list in
            try await program.run(
                """
                \(Program.replaceOrder) SELECT 90000, siteID, number, status, total, placedAt, quantity, 'new', customer
                FROM "Order" WHERE number = 2;
                UPDATE Customer SET name = 'Eva' WHERE name = 'Eve';
                """
            )
            #expect(try await list.calls() == ["begin", "delete 0.1", "insert 0.1", "end"])
            #expect(try await list.values(\.note) == [[nil, "new"]])
        }
    }

    // MARK: - Failed reads

    @Test(.expectsIssues(.readFailed)) func observerForgetsAllRelationshipsAfterError() async throws {
        try await withProgram { manager, program in
            let order = try await Orders.insert([1], manager)[0]
            let tag = try await manager.performAndSave { storage in
                let tag = try storage.insertNewObject(ofType: Tag.self)
                tag.name = "red"
                return tag.objectID
            }
            var updates = try await manager.withView { view in
                view.observe(try #require(try view.loadObject(ofType: Order.self, with: order)))
            }.makeAsyncIterator()
            // The refund can't be read, so the tags, which follow it, are not read either.
            try await program.run(
                """
                INSERT INTO Refund (objectID, amount, "order") VALUES (90000, '1', \(order.rowID));
                INSERT INTO "Order.tags" (source, target) VALUES (\(order.rowID), \(tag.rowID));
                ALTER TABLE Refund RENAME TO Hidden;
                """
            )
            #expect(await updates.next() == .changed(nil))
            try await program.run("ALTER TABLE Hidden RENAME TO Refund; DELETE FROM \"Order.tags\";")
            guard case .changed(let names?) = await updates.next() else {
                Issue.record("The names of the changed relationships are not known.")
                return
            }
            #expect(names.contains("tags"))
        }
    }

    /// Runs `body` with a list of two orders in memory, whose first one has changed but can't be read.
    private func withUnreadOrder(
        _ body: (SQLiteStorageManager, Program, LiveList<Order>, inout AsyncStream<ObjectUpdate>.Iterator) async throws
            -> Void
    ) async throws {
        try await withProgram { manager, program in
            let ids = try await Orders.insert([1, 2], manager)
            let list = try await LiveList(manager, Orders.byNumber)
            #expect(try await list.values(\.note) == [[nil, nil]])
            var updates = try await manager.withView { view in
                view.observe(try #require(try view.loadObject(ofType: Order.self, with: ids[0])))
            }.makeAsyncIterator()
            try await program.run(
                """
                UPDATE "Order" SET note = 'late' WHERE number = 1;
                ALTER TABLE "Order" RENAME COLUMN quantity TO hidden;
                """
            )
            // The changes of a program have no names.
            let calls = try await list.calls()
            #expect(calls.count == 3 && calls[1].hasPrefix("update 0.0"))
            #expect(await updates.next() != nil)
            #expect(try await list.read { try $0.object(at: ResultsPath(section: 0, item: 0)).note } == nil)
            try await body(manager, program, list, &updates)
            try await list.check(Orders.byNumber)
        }
    }

    private static let repair = "ALTER TABLE \"Order\" RENAME COLUMN hidden TO quantity"

    @Test(.expectsIssues(.readFailed)) func listReadsObjectAgainAfterError() async throws {
        try await withUnreadOrder { _, program, list, _ in
            try await program.runUnmerged(Self.repair)
            #expect(try await list.read { try $0.object(at: ResultsPath(section: 0, item: 0)).note } == "late")
        }
    }

    @Test(.expectsIssues(.readFailed)) func objectReadAgainAfterErrorIsReported() async throws {
        try await withUnreadOrder { manager, program, list, updates in
            try await program.runUnmerged(Self.repair)
            try await Orders.change(2, manager) { $0.note = "gift" }
            #expect(try await list.calls() == ["begin", "update 0.0 ?", "update 0.1 note", "end"])
            #expect(try await list.values(\.note) == [["late", "gift"]])
            try await Orders.delete(1, manager)
            #expect(await updates.next() == .changed(nil))
            #expect(await updates.next() == .deleted)
        }
    }

    @Test(.expectsIssues(.readFailed)) func objectReadByFetchAfterErrorIsReportedLater() async throws {
        try await withUnreadOrder { manager, program, list, _ in
            try await program.runUnmerged(Self.repair)
            #expect(
                try await manager.withView { try $0.allObjects(ofType: Order.self, limit: 1).first?.note } == "late"
            )
            try await Orders.change(2, manager) { $0.note = "gift" }
            // The lists may be updated before the save is merged, too.
            let updates = try await list.calls().filter { $0.hasPrefix("update") }
            #expect(updates == ["update 0.0 ?", "update 0.1 note"])
        }
    }

    // MARK: - Replaced requests

    private static var positive: ObjectRequest<Order> {
        ObjectRequest(\Order.number > 0, sortedBy: [SortDescriptor(\.number, order: .reverse)])
    }

    /// The second list has read the save, but has not shown it, when an observer of the first list replaces the request.
    @Test func requestReplacedDuringMergeReportsAllUpdates() async throws {
        try await withStorage { manager in
            try await Orders.insert([1, 2], manager)
            let first = try await LiveList(manager, Orders.byNumber)
            let second = try await LiveList(manager, Orders.byNumber)
            try await first.read { controller in
                withObservationTracking {
                    _ = controller.snapshot.count
                } onChange: {
                    #expect(throws: Never.self) {
                        try second.readHere {
                            try $0.setRequest(ObjectRequest(\.number > 0, sortedBy: $0.request.sortedBy))
                        }
                    }
                }
            }
            try await Orders.change(1, manager) { $0.note = "gift" }
            #expect(try await first.calls() == ["begin", "update 0.0 note", "end"])
            #expect(try await second.calls() == ["begin", "update 0.0 ?", "update 0.1 ?", "end"])
            try await second.check(Orders.byNumber)
        }
    }

    @Test func observerMayReplaceRequestOfItsList() async throws {
        try await withStorage { manager in
            try await Orders.insert([1, 2, 3], manager)
            let list = try await LiveList(manager, Orders.byNumber, sectionBy: SortDescriptor(\.quantity))
            var updates = try await list.read { $0.updates }.makeAsyncIterator()
            _ = await updates.next()
            try await list.read { controller in
                withObservationTracking {
                    _ = controller.snapshot.count
                } onChange: {
                    #expect(throws: Never.self) { try list.readHere { try $0.setRequest(Self.positive) } }
                }
            }
            try await Orders.change(1, manager) { $0.quantity = 5 }
            try await list.check(Self.positive)
            let snapshot = try await list.snapshot
            #expect(await updates.next()?.snapshot == snapshot)
            try await Orders.insert([4], manager)
            #expect(try await list.values(\.number) == [[4, 3, 2, 1]])
            try await list.check(Self.positive)
        }
    }

    @Test func sectionTitleMayReplaceRequest() async throws {
        try await withStorage { manager in
            try await Orders.insert([1, 2, 3], manager)
            let other = Box<LiveList<Order>?>(nil)
            let list = try await LiveList(manager, Orders.byNumber, sectionBy: SortDescriptor(\.quantity)) { value in
                if let list = other.value {
                    other.value = nil
                    #expect(throws: Never.self) { try list.readHere { try $0.setRequest(Self.positive) } }
                }
                return value.description
            }
            other.value = list
            try await Orders.change(1, manager) { $0.quantity = 5 }
            #expect(other.value == nil)
            try await list.check(Self.positive)
            try await Orders.insert([4], manager)
            #expect(try await list.values(\.number) == [[4, 3, 2, 1]])
            try await list.check(Self.positive)
        }
    }

    // MARK: - Later saves

    private static var firstThree: ObjectRequest<Order> {
        ObjectRequest(sortedBy: [SortDescriptor(\.number)], limit: 3)
    }

    /// Changes the number of an order, and waits for the commit but not for the merge.
    @available(*, noasync)
    private static func move(_ number: Int64, to new: Int64, _ manager: SQLiteStorageManager) {
        let saved = DispatchSemaphore(value: 0)
        manager.performAndSave(
            { storage in
                for order in try storage.allObjects(ofType: Order.self, matching: \.number == number) {
                    order.number = new
                }
            },
            completion: {},
            on: .global()
        )
        manager.performAndSave({ _ in _ = saved.signal() }, completion: {}, on: .global())
        saved.wait()
    }

    /// The list reads objects behind its last one while the database contains a save that moves an object of the list there.
    @Test func limitedListShowsNoObjectTooMany() async throws {
        try await withStorage { manager in
            try await Orders.insert((1...140).map { $0 * 10 }, manager)
            let list = try await LiveList(manager, Self.firstThree)
            // Few objects are left that the list has read.
            try await manager.performAndSave { storage in
                _ = try storage.batchDelete(ofType: Order.self, matching: \.number > 30 && \.number < 640)
            }
            #expect(try await list.calls() == [])
            // The observer runs before the lists are updated.
            let changes = manager.changes
            let move: @Sendable () -> Void = { Self.move(20, to: 705, manager) }
            let observer = Task(executorPreference: InlineExecutor()) {
                for await _ in changes { return move() }
            }
            try await manager.performAndSave { storage in
                _ = try storage.batchDelete(ofType: Order.self, matching: \.number >= 30 && \.number <= 670)
            }
            await observer.value
            #expect(
                try await list.calls() == [
                    "begin", "delete 0.2", "insert 0.2", "end", "begin", "delete 0.1", "insert 0.2", "end",
                ]
            )
            #expect(try await list.values(\.number) == [[10, 680, 690]])
            try await list.check(Self.firstThree)
        }
    }
}
#endif
