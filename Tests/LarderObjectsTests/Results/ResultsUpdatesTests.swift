#if Objects
import Foundation
import LarderCore
import LarderObjects
import Testing

/// Tests of the sequence of a list's snapshots.
@Suite struct ResultsUpdatesTests {
    @Test func firstElementIsCurrentSnapshot() async throws {
        try await withStorage { manager in
            let ids = try await Orders.insert([1, 2], manager)
            let list = try await LiveList(manager, Orders.byNumber)
            var updates = try await list.read { $0.updates }.makeAsyncIterator()
            let first = try #require(await updates.next())
            #expect(Array(first.snapshot.ids) == ids && first.changes.isEmpty)
            let new = try await Orders.insert([0], manager)
            let second = try #require(await updates.next())
            #expect(second.changes.insertions.map(\.id) == new)
            #expect(first.snapshot.applying(second.changes) == second.snapshot)
        }
    }

    @Test func slowIteratorReceivesComposedChanges() async throws {
        try await withStorage { manager in
            let ids = try await Orders.insert([1, 2, 3], manager)
            let list = try await LiveList(manager, Orders.byNumber)
            var updates = try await list.read { $0.updates }.makeAsyncIterator()
            let first = try #require(await updates.next())
            try await Orders.insert([4], manager)
            try await Orders.delete(4, manager)
            try await Orders.change(1, manager) { $0.number = 9 }
            try await Orders.change(9, manager) { ($0.number, $0.note) = (1, "back") }
            try await Orders.delete(3, manager)
            let second = try #require(await updates.next())
            #expect(Array(second.snapshot.ids) == [ids[0], ids[1]])
            #expect(second.changes.insertions.isEmpty && second.changes.moves.isEmpty)
            #expect(second.changes.deletions == [ResultsPath(section: 0, item: 2)])
            #expect(second.changes.updates.map(\.id) == [ids[0]])
            #expect(second.changes.updates.first?.properties == ["number", "note"])
            #expect(first.snapshot.applying(second.changes) == second.snapshot)
        }
    }

    @Test func objectThatReturnsHasUnknownChanges() async throws {
        try await withStorage { manager in
            let ids = try await Orders.insert([1, 2], manager)
            let list = try await LiveList(
                manager,
                ObjectRequest(\Order.quantity == 0, sortedBy: [SortDescriptor(\.number)])
            )
            var updates = try await list.read { $0.updates }.makeAsyncIterator()
            _ = await updates.next()
            try await Orders.change(2, manager) { $0.quantity = 5 }
            try await Orders.change(2, manager) { $0.quantity = 0 }
            let update = try #require(await updates.next())
            #expect(update.changes.updates.map(\.id) == [ids[1]])
            #expect(update.changes.updates.first?.properties == .some(nil))
            #expect(update.changes.deletions.isEmpty && update.changes.insertions.isEmpty)
        }
    }

    @Test func slowIteratorForgetsObjectsThatLeft() async throws {
        try await withStorage { manager in
            let ids = try await Orders.insert([1, 2], manager)
            let list = try await LiveList(
                manager,
                ObjectRequest(\Order.quantity == 0, sortedBy: [SortDescriptor(\.number)])
            )
            var updates = try await list.read { $0.updates }.makeAsyncIterator()
            let first = try #require(await updates.next())
            try await Orders.change(2, manager) { $0.quantity = 5 }
            for start in [100, 200, 300] as [Int64] {
                try await Orders.insert(Array(start..<start + 60), manager)
                try await manager.performAndSave { storage in
                    _ = try storage.batchDelete(ofType: Order.self, matching: \.number >= 100)
                }
            }
            try await Orders.change(1, manager) { $0.note = "gift" }
            try await Orders.change(2, manager) { $0.quantity = 0 }
            let second = try #require(await updates.next())
            #expect(second.changes.updates.map(\.id) == ids)
            #expect(second.changes.updates.map(\.properties) == [["note"], nil])
            #expect(second.changes.insertions.isEmpty && second.changes.deletions.isEmpty)
            #expect(first.snapshot.applying(second.changes) == second.snapshot)
        }
    }

    @Test func diffableSnapshotOfUpdateHasAllChangedObjects() async throws {
        try await withStorage { manager in
            let ids = try await Orders.insert([1, 2, 3], manager)
            let list = try await LiveList(manager, Orders.byNumber)
            var updates = try await list.read { $0.updates }.makeAsyncIterator()
            _ = await updates.next()
            try await Orders.change(1, manager) { $0.note = "gift" }
            try await Orders.change(3, manager) { $0.note = "late" }
            #expect(try await list.read { $0.diffable.reconfiguredItems } == [ids[2]])
            let snapshot = DiffableSnapshot(try #require(await updates.next()))
            #expect(snapshot.reconfiguredItems == [ids[0], ids[2]])
            #expect(snapshot.itemIdentifiers == ids)
        }
    }

    @Test func iteratorKeepsListUpToDate() async throws {
        try await withStorage { manager in
            let list = try await LiveList(manager, Orders.byNumber)
            var updates = try await list.read { $0.updates }.makeAsyncIterator()
            try await list.release()
            #expect(await updates.next()?.snapshot.count == 0)
            try await Orders.insert([1], manager)
            #expect(await updates.next()?.snapshot.count == 1)
        }
    }

    @Test func sequenceEndsWithManager() async throws {
        let manager = try SQLiteStorageManager(
            inMemory: Shop.model,
            configuration: .init(viewQueue: DispatchQueue(label: "view"))
        )
        let list = try await LiveList(manager, Orders.byNumber)
        var updates = try await list.read { $0.updates }.makeAsyncIterator()
        try await Orders.insert([1], manager)
        #expect(try manager.verify().isIntact)
        try manager.close()
        #expect(await updates.next()?.snapshot.count == 1)
        #expect(await updates.next() == nil)
        var late = try await list.read { $0.updates }.makeAsyncIterator()
        #expect(await late.next()?.snapshot.count == 1)
        #expect(await late.next() == nil)
    }

    /// A task with an executor of its own may run on the thread that updates the list.
    @Test func iteratorMayUseListAtOnce() async throws {
        try await withStorage { manager in
            let list = try await LiveList(manager, Orders.byNumber)
            let updates = try await list.read { $0.updates }
            let task = Task(executorPreference: InlineExecutor()) {
                var counts: [Int] = []
                for await update in updates {
                    var others = updates.makeAsyncIterator()
                    let again = await others.next()
                    counts += [update.snapshot.count, again?.snapshot.count ?? -1]
                    if counts.count == 4 { break }
                }
                return counts
            }
            try await Orders.insert([1], manager)
            #expect(await task.value == [0, 0, 1, 1])
        }
    }

    @Test func canceledTaskEndsIteration() async throws {
        try await withStorage { manager in
            let list = try await LiveList(manager, Orders.byNumber)
            let updates = try await list.read { $0.updates }
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                var count = 0
                for await _ in updates {
                    count += 1
                    start.yield()
                }
                return count
            }
            for await _ in started { break }
            task.cancel()
            #expect(await task.value == 1)
        }
    }
}
#endif
