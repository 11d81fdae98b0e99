#if Objects
import Foundation
import LarderObjects
import Observation
import Testing

/// Tests of the list's observable properties.
@Suite struct ResultsObservationTests {
    @Test func observerIsNotified() async throws {
        try await withStorage { manager in
            let list = try await LiveList(manager, Orders.byNumber)
            let changes = Box(0)
            let observe: @Sendable (ResultsController<Order>) -> Int = { controller in
                withObservationTracking {
                    controller.snapshot.count
                } onChange: {
                    changes.update { $0 += 1 }
                }
            }
            #expect(try await list.read(observe) == 0)
            try await Orders.insert([1], manager)
            #expect(changes.value == 1)
            #expect(try await list.read(observe) == 1)
            try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "red" }
            #expect(changes.value == 1)
        }
    }

    @Test func diffableSnapshotNamesObjectsToReconfigure() async throws {
        try await withStorage { manager in
            let ids = try await Orders.insert([1, 2, 3], manager) { $0.status = $0.number == 3 ? .sent : .paid }
            let list = try await LiveList(manager, Orders.byNumber, sectionBy: SortDescriptor(\.status))
            let first = try await list.read { $0.diffable }
            #expect(first.sectionIdentifiers.map(\.description) == ["paid", "sent"])
            #expect(first.itemIdentifiers == ids && first.reconfiguredItems == [])
            #expect(first.sectionIdentifiers.map(first.itemIdentifiers(inSection:)) == [[ids[0], ids[1]], [ids[2]]])
            try await manager.performAndSave { storage in
                try storage.loadObject(ofType: Order.self, with: ids[0])?.number = 9
                try storage.loadObject(ofType: Order.self, with: ids[2])?.note = "gift"
            }
            let second = try await list.read { $0.diffable }
            #expect(second.itemIdentifiers == [ids[1], ids[0], ids[2]])
            #expect(second.reconfiguredItems == [ids[0], ids[2]])
        }
    }
}
#endif
