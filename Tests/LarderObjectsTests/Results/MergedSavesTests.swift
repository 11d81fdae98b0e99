#if Objects
import Dispatch
import Foundation
import GRDB
import LarderCore
import LarderObjects
import LarderTestTraits
import Testing

/// Tests of lists and observers that merge several saves at once, because the view's queue was busy.
@Suite struct MergedSavesTests {
    /// Makes several saves, all of which the view merges at once.
    private func saveTogether(
        _ manager: SQLiteStorageManager,
        _ saves: [@Sendable (any WritableStorageType) throws -> Void]
    ) async throws {
        try await manager.withView { _ in
            for save in saves {
                let saved = DispatchSemaphore(value: 0)
                manager.performAndSave({ try save($0) }, completion: {}, on: .global())
                manager.performAndSave({ _ in _ = saved.signal() }, completion: {}, on: .global())
                saved.wait()
            }
        }
    }

    private static func change(
        _ id: ObjectID,
        _ body: @escaping @Sendable (Order) -> Void
    ) -> @Sendable (any WritableStorageType) throws -> Void {
        { storage in body(try #require(try storage.loadObject(ofType: Order.self, with: id))) }
    }

    @Test func updateNamesPropertiesOfAllSaves() async throws {
        try await withStorage { manager in
            let ids = try await Orders.insert([1, 2, 3], manager)
            let list = try await LiveList(manager, Orders.byNumber)
            try await saveTogether(
                manager,
                [
                    Self.change(ids[1]) { $0.note = "gift" }, Self.change(ids[2]) { $0.note = "gift" },
                    Self.change(ids[1]) { $0.quantity = 3 }, Self.change(ids[1]) { $0.note = "late" },
                ]
            )
            #expect(try await list.calls() == ["begin", "update 0.1 note,quantity", "update 0.2 note", "end"])
            try await list.check(Orders.byNumber)
        }
    }

    @Test func moveNamesPropertiesOfAllSaves() async throws {
        try await withStorage { manager in
            let ids = try await Orders.insert([1, 2, 3], manager)
            let list = try await LiveList(manager, Orders.byNumber)
            var updates = try await list.read { $0.updates }.makeAsyncIterator()
            _ = await updates.next()
            try await saveTogether(
                manager,
                [
                    Self.change(ids[0]) { $0.note = "gift" }, Self.change(ids[0]) { $0.number = 9 },
                    Self.change(ids[0]) { $0.quantity = 2 },
                ]
            )
            let changes = try #require(await updates.next()).changes
            #expect(changes.moves.map(\.properties) == [["note", "number", "quantity"]])
            #expect(changes.updates.isEmpty)
        }
    }

    @Test func objectInsertedAndChangedIsOneInsertion() async throws {
        try await withStorage { manager in
            try await Orders.insert([1], manager)
            let list = try await LiveList(manager, Orders.byNumber)
            try await saveTogether(
                manager,
                [
                    { try $0.insertNewObject(ofType: Order.self).number = 5 },
                    {
                        for order in try $0.allObjects(ofType: Order.self, matching: \.number == 5) { order.number = 0 }
                    },
                    {
                        for order in try $0.allObjects(ofType: Order.self, matching: \.number == 0) { order.note = "x" }
                    },
                ]
            )
            #expect(try await list.calls() == ["begin", "insert 0.0", "end"])
            try await list.check(Orders.byNumber)
        }
    }

    @Test func observerNamesPropertiesOfAllSaves() async throws {
        try await withStorage { manager in
            let ids = try await Orders.insert([1, 2], manager)
            let updates = try await manager.withView { view in
                view.observe(try #require(try view.loadObject(ofType: Order.self, with: ids[0])))
            }
            var iterator = updates.makeAsyncIterator()
            try await saveTogether(
                manager,
                [
                    Self.change(ids[0]) { $0.note = "gift" }, Self.change(ids[1]) { $0.total = 3 },
                    { storage in
                        let order = try #require(try storage.loadObject(ofType: Order.self, with: ids[0]))
                        order.addToItems(try storage.insertNewObject(ofType: Item.self))
                    }, Self.change(ids[0]) { $0.quantity = 3 },
                ]
            )
            #expect(await iterator.next() == .changed(["note", "quantity", "items"]))
        }
    }

    /// Column indexes of another entity must not be taken for those of the list's entity.
    @Test func saveOfEntityWithMoreAttributesIsIgnored() async throws {
        try await withStorage { manager in
            let ids = try await Orders.insert([1], manager)
            try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "red" }
            let list = try await LiveList(manager, ObjectRequest<Tag>(sortedBy: [SortDescriptor(\.name)]))
            let updates = try await manager.withView { view in
                view.observe(try #require(try view.allObjects(ofType: Tag.self).first))
            }
            var iterator = updates.makeAsyncIterator()
            try await manager.performAndSave(Self.change(ids[0]) { ($0.quantity, $0.note) = (3, "gift") })
            try await manager.performAndSave { storage in
                for tag in try storage.allObjects(ofType: Tag.self) { tag.name = "blue" }
                for order in try storage.allObjects(ofType: Order.self) { order.quantity = 4 }
            }
            #expect(try await list.calls() == ["begin", "update 0.0 name", "end"])
            #expect(await iterator.next() == .changed(["name"]))
        }
    }

    @Test(.expectsIssues(.readFailed)) func requestCanBeReplacedAfterFailedUpdate() async throws {
        try await withStorage { manager in
            let ids = try await Orders.insert([1, 2, 3], manager) { $0.quantity = 1 }
            let list = try await LiveList(
                manager,
                ObjectRequest(\Order.customer?.name == nil, sortedBy: [SortDescriptor(\.number)])
            )
            try await manager.write { try $0.execute(sql: "ALTER TABLE Customer RENAME TO Hidden") }
            try await manager.performAndSave(Self.change(ids[0]) { $0.number = 7 })
            #expect(try await list.read { $0.error != nil })
            // The new request fails too, and the list keeps its state.
            await #expect(throws: (any Error).self) {
                try await list.read {
                    try $0.setRequest(ObjectRequest(sortedBy: [SortDescriptor(\Order.customer?.name)]))
                }
            }
            #expect(try await list.read { $0.error != nil })
            #expect(Array(try await list.snapshot.ids) == ids)

            try await list.read { try $0.setRequest(Orders.byNumber) }
            #expect(try await list.read { $0.error == nil })
            #expect(Array(try await list.snapshot.ids) == [ids[1], ids[2], ids[0]])
            // It is not known what the missed save has changed.
            #expect(
                try await list.calls() == ["begin", "move 0.0 to 0.2", "update 0.0 ?", "update 0.1 ?", "end"]
            )
            try await list.check(Orders.byNumber)
            try await manager.performAndSave(Self.change(ids[1]) { $0.note = "gift" })
            #expect(try await list.calls() == ["begin", "update 0.0 note", "end"])
            try await manager.write { try $0.execute(sql: "ALTER TABLE Hidden RENAME TO Customer") }
        }
    }
}
#endif
