#if Objects
import Foundation
import GRDB
import LarderObjects
import Testing

/// Tests of what a list shows and reports: its sections, its paths, its order and its events.
@Suite struct ListBehaviorTests {
    /// Runs `body` with a list of orders that is sorted by number and divided by status: two paid, one pending and two sent.
    private func withSections(
        _ body: (SQLiteStorageManager, LiveList<Order>, [ObjectID]) async throws -> Void
    ) async throws {
        try await withStorage { manager in
            let states: [Status] = [.paid, .paid, .pending, .sent, .sent]
            let ids = try await Orders.insert([1, 2, 3, 4, 5], manager) { $0.status = states[Int($0.number) - 1] }
            let list = try await LiveList(manager, Orders.byNumber, sectionBy: SortDescriptor(\.status))
            try await body(manager, list, ids)
            try await list.check(Orders.byNumber, sectionBy: SortDescriptor(\.status))
        }
    }

    private func path(_ section: Int, _ item: Int) -> ResultsPath { ResultsPath(section: section, item: item) }

    // MARK: - Contents

    @Test func emptyListHasOneEmptySection() async throws {
        try await withStorage { manager in
            let list = try await LiveList(manager, Orders.byNumber)
            #expect(try await list.snapshot.sections.map(\.ids.count) == [0])
            #expect(try await list.sections == [": 0"])
        }
    }

    @Test func emptyListWithSectionsHasNone() async throws {
        try await withStorage { manager in
            let list = try await LiveList(manager, Orders.byNumber, sectionBy: SortDescriptor(\.status))
            #expect(try await list.snapshot.sections.isEmpty)
        }
    }

    @Test func sectionsHaveTitlesAndCounts() async throws {
        try await withSections { _, list, _ in
            let numbers = try await list.values(\.number)
            #expect(numbers == [[1, 2], [3], [4, 5]])
            #expect(try await list.sections == ["paid: 2", "pending: 1", "sent: 2"])
        }
    }

    @Test func pathAndIDLeadToEachOther() async throws {
        try await withSections { _, list, ids in
            let snapshot = try await list.snapshot
            #expect(ids.map { snapshot.path(of: $0) } == [path(0, 0), path(0, 1), path(1, 0), path(2, 0), path(2, 1)])
            for id in ids { #expect(snapshot.path(of: id).map { snapshot[$0] } == id) }
            #expect(Array(snapshot.ids) == ids)
        }
    }

    @Test func sectionsCanDescend() async throws {
        try await withStorage { manager in
            try await Orders.insert([1, 2, 3], manager) { $0.quantity = Int($0.number) / 2 }
            let list = try await LiveList(
                manager,
                Orders.byNumber,
                sectionBy: SortDescriptor(\.quantity, order: .reverse)
            )
            #expect(try await list.sections == ["1: 2", "0: 1"])
            try await Orders.insert([9], manager) { $0.quantity = 5 }
            #expect(try await list.calls() == ["begin", "insert section 0 5", "insert 0.0", "end"])
            try await list.check(Orders.byNumber, sectionBy: SortDescriptor(\.quantity, order: .reverse))
        }
    }

    /// Larder stores strings in NFC, but raw SQL and other programs need not.
    ///
    /// SQLite compares bytes, unlike Swift.
    @Test func normalizationFormsAreSectionsOfTheirOwn() async throws {
        try await withStorage { manager in
            try await Orders.insert([1, 2, 3], manager) { $0.note = "\u{E9}" }
            try await manager.write { database in
                try database.execute(
                    sql: "UPDATE \"Order\" SET note = ? WHERE number <> 2",
                    arguments: ["e\u{301}"]
                )
            }
            let list = try await LiveList(manager, Orders.byNumber, sectionBy: SortDescriptor(\.note)) { value in
                "\(value.description.unicodeScalars.count) scalars"
            }
            #expect(try await list.sections == ["2 scalars: 2", "1 scalars: 1"])
            let diffable = try await list.read { $0.diffable }
            #expect(Set(diffable.sectionIdentifiers).count == 2)
            #expect(diffable.sectionIdentifiers.map { diffable.itemIdentifiers(inSection: $0).count } == [2, 1])
            try await Orders.delete(2, manager)
            #expect(try await list.calls() == ["begin", "delete section 1", "delete 1.0", "end"])
            #expect(try await list.sections == ["2 scalars: 2"])
            try await Orders.insert([4], manager) { $0.note = "\u{E9}" }
            #expect(try await list.sections == ["2 scalars: 2", "1 scalars: 1"])
            #expect(try await list.calls() == ["begin", "insert section 1 1 scalars", "insert 1.0", "end"])
        }
    }

    @Test func missingValueIsFirstSection() async throws {
        try await withStorage { manager in
            try await Orders.insert([1, 2], manager) { $0.note = $0.number == 1 ? "gift" : nil }
            let list = try await LiveList(manager, Orders.byNumber, sectionBy: SortDescriptor(\.note))
            #expect(try await list.sections == [": 1", "gift: 1"])
            #expect(try await list.snapshot.sections[0].value.column == .null)
        }
    }

    @Test func sectionTitleIsDescriptionOfValue() async throws {
        try await withStorage { manager in
            try await Orders.insert([1], manager) { $0.total = Decimal(string: "12.5") ?? 0 }
            let list = try await LiveList(manager, Orders.byNumber, sectionBy: SortDescriptor(\.total))
            #expect(try await list.sections == ["12.5: 1"])
            #expect(try await list.snapshot.sections[0].value.value(as: Decimal.self) == Decimal(string: "12.5"))
        }
    }

    @Test func closureChoosesSectionTitle() async throws {
        try await withStorage { manager in
            try await Orders.insert([1], manager)
            let list = try await LiveList(manager, Orders.byNumber, sectionBy: SortDescriptor(\.status)) { value in
                value.description.uppercased()
            }
            #expect(try await list.sections == ["PENDING: 1"])
            try await Orders.insert([2], manager) { $0.status = .sent }
            #expect(try await list.sections == ["PENDING: 1", "SENT: 1"])
        }
    }

    @Test func relatedPropertyDividesList() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                for (number, name) in [(1, "Eve"), (2, "Ada"), (3, "Eve")] {
                    let customer = try storage.insertNewObject(ofType: Customer.self)
                    customer.name = name
                    let order = try storage.insertNewObject(ofType: Order.self)
                    (order.number, order.customer) = (Int64(number), customer)
                }
            }
            let list = try await LiveList(manager, Orders.byNumber, sectionBy: SortDescriptor(\.customer?.name))
            #expect(try await list.sections == ["Ada: 1", "Eve: 2"])
            try await manager.performAndSave { storage in
                for customer in try storage.allObjects(ofType: Customer.self, matching: \.name == "Ada") {
                    customer.name = "Eve"
                }
            }
            #expect(try await list.sections == ["Eve: 3"])
            #expect(try await list.calls() == ["begin", "delete section 0", "move 0.0 to 0.1", "end"])
            try await list.check(Orders.byNumber, sectionBy: SortDescriptor(\.customer?.name))
        }
    }

    @Test func equalSortValuesAreInInsertionOrder() async throws {
        try await withStorage { manager in
            let ids = try await Orders.insert([3, 2, 1], manager)
            let list = try await LiveList(manager, ObjectRequest<Order>(sortedBy: [SortDescriptor(\.quantity)]))
            #expect(Array(try await list.snapshot.ids) == ids)
        }
    }

    @Test func sectionObjectsAreFetchedWithOneQuery() async throws {
        try await withSections { manager, list, _ in
            let before = manager.queries.total
            let numbers = try await list.read { try $0.objects(in: 2).map(\.number) }
            #expect(numbers == [4, 5])
            #expect(manager.queries.total == before + 1)
        }
    }

    @Test func snapshotKeepsItsState() async throws {
        try await withSections { manager, list, ids in
            let earlier = try await list.snapshot
            try await Orders.delete(1, manager)
            #expect(earlier.count == 5 && earlier[path(0, 0)] == ids[0])
            #expect(try await list.snapshot.count == 4)
            #expect(try await list.snapshot != earlier)
        }
    }

    // MARK: - Insertions

    @Test func objectIsInsertedAtBeginning() async throws {
        try await withSections { manager, list, _ in
            try await Orders.insert([0], manager) { $0.status = .paid }
            #expect(try await list.calls() == ["begin", "insert 0.0", "end"])
        }
    }

    @Test func objectIsInsertedAtEnd() async throws {
        try await withSections { manager, list, _ in
            try await Orders.insert([9], manager) { $0.status = .sent }
            #expect(try await list.calls() == ["begin", "insert 2.2", "end"])
        }
    }

    @Test func insertionsAscend() async throws {
        try await withSections { manager, list, _ in
            try await Orders.insert([9, 8, 0], manager) { $0.status = $0.number == 9 ? .sent : .pending }
            #expect(try await list.calls() == ["begin", "insert 1.0", "insert 1.2", "insert 2.2", "end"])
        }
    }

    @Test func firstObjectOfValueInsertsSection() async throws {
        try await withStorage { manager in
            try await Orders.insert([1], manager) { $0.status = .paid }
            let list = try await LiveList(manager, Orders.byNumber, sectionBy: SortDescriptor(\.status))
            try await Orders.insert([2], manager) { $0.status = .sent }
            try await Orders.insert([3], manager) { $0.status = .pending }
            #expect(
                try await list.calls() == [
                    "begin", "insert section 1 sent", "insert 1.0", "end",
                    "begin", "insert section 1 pending", "insert 1.0", "end",
                ]
            )
        }
    }

    @Test func objectThatMeetsFilterIsInserted() async throws {
        try await withStorage { manager in
            try await Orders.insert([1, 2], manager)
            let list = try await LiveList(
                manager,
                ObjectRequest(\Order.quantity > 0, sortedBy: [SortDescriptor(\.number)])
            )
            try await Orders.change(2, manager) { $0.quantity = 1 }
            #expect(try await list.calls() == ["begin", "insert 0.0", "end"])
        }
    }

    @Test func objectOutsideFilterIsNotReported() async throws {
        try await withStorage { manager in
            try await Orders.insert([1, 2], manager)
            let list = try await LiveList(
                manager,
                ObjectRequest(\Order.quantity > 0, sortedBy: [SortDescriptor(\.number)])
            )
            try await Orders.change(2, manager) { $0.note = "gift" }
            try await Orders.delete(1, manager)
            #expect(try await list.calls() == [])
        }
    }

    // MARK: - Deletions

    @Test func deletionsDescend() async throws {
        try await withSections { manager, list, _ in
            try await manager.performAndSave { storage in
                for order in try storage.allObjects(ofType: Order.self, matching: (\Order.number).in([1, 2, 5])) {
                    try storage.deleteObject(order)
                }
            }
            #expect(
                try await list.calls() == [
                    "begin", "delete section 0", "delete 2.1", "delete 0.1", "delete 0.0", "end",
                ]
            )
        }
    }

    @Test func lastObjectOfSectionDeletesSection() async throws {
        try await withSections { manager, list, _ in
            try await Orders.delete(3, manager)
            #expect(try await list.calls() == ["begin", "delete section 1", "delete 1.0", "end"])
            #expect(try await list.sections == ["paid: 2", "sent: 2"])
        }
    }

    @Test func objectThatNoLongerMeetsFilterIsDeleted() async throws {
        try await withStorage { manager in
            try await Orders.insert([1, 2], manager)
            let list = try await LiveList(
                manager,
                ObjectRequest(\Order.quantity == 0, sortedBy: [SortDescriptor(\.number)])
            )
            try await Orders.change(1, manager) { $0.quantity = 1 }
            #expect(try await list.calls() == ["begin", "delete 0.0", "end"])
        }
    }

    @Test func cascadeDeletesObjectsOfOtherList() async throws {
        try await withStorage { manager in
            try await Orders.insert([1], manager)
            try await manager.performAndSave { storage in
                let order = try #require(try storage.allObjects(ofType: Order.self).first)
                order.addToItems(try storage.insertNewObject(ofType: Item.self))
            }
            let list = try await LiveList(manager, ObjectRequest<Item>())
            try await Orders.delete(1, manager)
            #expect(try await list.calls() == ["begin", "delete 0.0", "end"])
        }
    }

    @Test func allDeletedObjectsLeaveNoSection() async throws {
        try await withSections { manager, list, _ in
            try await manager.performAndSave { try $0.deleteAllObjects(ofType: Order.self) }
            #expect(try await list.snapshot.sections.isEmpty)
        }
    }

    // MARK: - Moves

    @Test func objectMovesWithinSection() async throws {
        try await withSections { manager, list, _ in
            try await Orders.change(1, manager) { $0.number = 7 }
            #expect(try await list.calls() == ["begin", "move 0.0 to 0.1", "end"])
        }
    }

    @Test func objectMovesToOtherSection() async throws {
        try await withSections { manager, list, _ in
            try await Orders.change(2, manager) { $0.status = .sent }
            #expect(try await list.calls() == ["begin", "move 0.1 to 2.0", "end"])
        }
    }

    @Test func onlyObjectOfSectionMovesToNewSection() async throws {
        try await withStorage { manager in
            try await Orders.insert([1, 2], manager) { $0.status = $0.number == 1 ? .paid : .sent }
            let list = try await LiveList(manager, Orders.byNumber, sectionBy: SortDescriptor(\.status))
            try await Orders.change(1, manager) { $0.status = .pending }
            #expect(
                try await list.calls() == [
                    "begin", "delete section 0", "insert section 0 pending", "move 0.0 to 0.0", "end",
                ]
            )
            try await list.check(Orders.byNumber, sectionBy: SortDescriptor(\.status))
        }
    }

    @Test func swapIsOneMove() async throws {
        try await withStorage { manager in
            try await Orders.insert([1, 2], manager) { $0.quantity = Int($0.number) }
            let list = try await LiveList(manager, ObjectRequest<Order>(sortedBy: [SortDescriptor(\.quantity)]))
            try await manager.performAndSave { storage in
                for order in try storage.allObjects(ofType: Order.self) { order.quantity = 3 - order.quantity }
            }
            let calls = try await list.calls()
            #expect(calls.count == 4 && calls[1].hasPrefix("move") && calls[2].hasPrefix("update"))
        }
    }

    @Test func reversedListMovesAllButOne() async throws {
        try await withStorage { manager in
            try await Orders.insert([1, 2, 3, 4], manager) { $0.quantity = Int($0.number) }
            let list = try await LiveList(manager, ObjectRequest<Order>(sortedBy: [SortDescriptor(\.quantity)]))
            try await manager.performAndSave { storage in
                for order in try storage.allObjects(ofType: Order.self) { order.quantity = -order.quantity }
            }
            #expect(try await list.calls().count { $0.hasPrefix("move") } == 3)
            try await list.check(ObjectRequest<Order>(sortedBy: [SortDescriptor(\.quantity)]))
        }
    }

    @Test func moveNamesChangedProperties() async throws {
        try await withSections { manager, list, ids in
            var updates = try await list.read { $0.updates }.makeAsyncIterator()
            _ = await updates.next()
            try await Orders.change(1, manager) { ($0.number, $0.note) = (8, "late") }
            let changes = try #require(await updates.next()).changes
            #expect(changes.moves.map(\.id) == [ids[0]] && changes.moves.first?.properties == ["number", "note"])
            #expect(changes.deletions == [path(0, 0)] && changes.insertions.map(\.path) == [path(0, 1)])
            #expect(changes.updates.isEmpty)
        }
    }

    @Test func relatedSortValueMovesObjectWithoutChangingIt() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                for (number, name) in [(1, "Ada"), (2, "Eve")] {
                    let customer = try storage.insertNewObject(ofType: Customer.self)
                    customer.name = name
                    let order = try storage.insertNewObject(ofType: Order.self)
                    (order.number, order.customer) = (Int64(number), customer)
                }
            }
            let list = try await LiveList(manager, ObjectRequest(sortedBy: [SortDescriptor(\Order.customer?.name)]))
            var updates = try await list.read { $0.updates }.makeAsyncIterator()
            _ = await updates.next()
            try await manager.performAndSave { storage in
                for customer in try storage.allObjects(ofType: Customer.self, matching: \.name == "Ada") {
                    customer.name = "Zoe"
                }
            }
            #expect(try await list.values(\.number) == [[2, 1]])
            let changes = try #require(await updates.next()).changes
            #expect(changes.moves.map(\.properties) == [[]])
        }
    }

    // MARK: - Updates

    @Test func updateNamesChangedAttributes() async throws {
        try await withSections { manager, list, _ in
            try await Orders.change(4, manager) { ($0.note, $0.quantity) = ("gift", 2) }
            #expect(try await list.calls() == ["begin", "update 2.0 note,quantity", "end"])
        }
    }

    @Test func updatePathsAreNew() async throws {
        try await withSections { manager, list, _ in
            try await manager.performAndSave { storage in
                for order in try storage.allObjects(ofType: Order.self) {
                    if order.number == 1 { try storage.deleteObject(order) }
                    if order.number == 2 { order.note = "gift" }
                }
            }
            #expect(try await list.calls() == ["begin", "delete 0.0", "update 0.0 note", "end"])
        }
    }

    @Test func changedReferenceIsUpdate() async throws {
        try await withSections { manager, list, ids in
            try await manager.performAndSave { storage in
                let customer = try storage.insertNewObject(ofType: Customer.self)
                try storage.loadObject(ofType: Order.self, with: ids[0])?.customer = customer
            }
            #expect(try await list.calls() == ["begin", "update 0.0 customer", "end"])
        }
    }

    @Test func unchangedSaveYieldsNothing() async throws {
        try await withSections { manager, list, _ in
            try await Orders.change(1, manager) { $0.number = 1 }
            #expect(try await list.calls() == [])
        }
    }

    @Test func failedSaveYieldsNothing() async throws {
        try await withSections { manager, list, _ in
            await #expect(throws: Refusal.self) {
                try await manager.performAndSave { storage in
                    try storage.insertNewObject(ofType: Order.self).number = 8
                    throw Refusal()
                }
            }
            let calls = try await list.calls()
            #expect(calls == [])
        }
    }

    @Test func savesYieldOneChangeEach() async throws {
        try await withSections { manager, list, _ in
            for number in 10..<14 { try await Orders.insert([Int64(number)], manager) { $0.status = .sent } }
            #expect(try await list.calls().count { $0 == "begin" } == 4)
        }
    }

    // MARK: - Writers

    /// An order that another system sends.
    private struct Received {
        var number: Int64
        var status = Status.paid
        var note: String?
    }

    @Test func batchUpdateArrives() async throws {
        try await withSections { manager, list, _ in
            try await manager.performAndSave { storage in
                try storage.batchUpdate(ofType: Order.self, matching: \.number > 3, set: [.set(\.status, to: .paid)])
            }
            #expect(try await list.sections == ["paid: 4", "pending: 1"])
        }
    }

    @Test func batchDeleteArrives() async throws {
        try await withSections { manager, list, _ in
            try await manager.performAndSave { try $0.batchDelete(ofType: Order.self, matching: \.number > 3) }
            #expect(try await list.sections == ["paid: 2", "pending: 1"])
        }
    }

    @Test func upsertArrives() async throws {
        try await withSections { manager, list, _ in
            let received = [
                Received(number: 2, status: .sent), Received(number: 3, status: .pending),
                Received(number: 6, status: .paid),
            ]
            try await manager.performAndSave { storage in
                try storage.upsert(received, into: Order.self, by: \.number, key: \.number) { order, value in
                    (order.number, order.status) = (value.number, value.status)
                }
            }
            #expect(try await list.calls() == ["begin", "insert 0.1", "move 0.1 to 2.0", "end"])
            #expect(try await list.sections == ["paid: 2", "pending: 1", "sent: 3"])
        }
    }

    @Test func syncArrives() async throws {
        try await withSections { manager, list, _ in
            let received = [Received(number: 2, note: "gift"), Received(number: 6)]
            try await manager.performAndSave { storage in
                try storage.sync(
                    received,
                    into: Order.self,
                    scope: \.status == .paid,
                    by: \.number,
                    key: \.number
                ) { order, value in
                    (order.number, order.note, order.status) = (value.number, value.note, value.status)
                }
            }
            #expect(try await list.calls() == ["begin", "delete 0.0", "insert 0.1", "update 0.0 note", "end"])
            #expect(try await list.sections == ["paid: 2", "pending: 1", "sent: 2"])
        }
    }

    @Test func rawSQLArrives() async throws {
        try await withSections { manager, list, _ in
            try await manager.write { database in
                try database.execute(sql: "UPDATE \"Order\" SET status = 'sent' WHERE number = 3")
                try database.execute(sql: "DELETE FROM \"Order\" WHERE number = 1")
            }
            #expect(try await list.sections == ["paid: 1", "sent: 3"])
        }
    }

    @Test func resetArrives() async throws {
        try await withSections { manager, list, _ in
            try manager.reset()
            #expect(try await list.snapshot.count == 0)
            let calls = try await list.calls()
            #expect(calls.count { $0.hasPrefix("delete section") } == 3 && calls.count { $0.hasPrefix("delete ") } == 8)
        }
    }

    @Test func largeSaveArrives() async throws {
        try await withSections { manager, list, _ in
            try await Orders.insert(Array(100..<1_100), manager) { $0.status = Status.allCases[Int($0.number) % 3] }
            #expect(try await list.snapshot.count == 1_005)
        }
    }

    @Test func severalListsFollowSameSave() async throws {
        try await withSections { manager, list, _ in
            let numbers = try await LiveList(
                manager,
                ObjectRequest(\Order.status == .sent, sortedBy: [SortDescriptor(\Order.number)])
            )
            try await Orders.change(3, manager) { $0.status = .sent }
            #expect(try await list.calls() == ["begin", "delete section 1", "move 1.0 to 1.0", "end"])
            #expect(try await numbers.calls() == ["begin", "insert 0.0", "end"])
        }
    }
}
#endif
