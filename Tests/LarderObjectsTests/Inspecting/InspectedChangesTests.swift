#if Objects
import Dispatch
import Foundation
import LarderCore
import LarderObjects
import LarderTestSupport
import Testing

/// Tests that an inspection is notified of the saves of all managers and processes.
@Suite struct InspectedChangesTests {
    private func withObservers(
        _ body: (SQLiteStorageManager, [Box<[InspectionEvent]>]) async throws -> Void
    ) async throws {
        try await withStorage(.file) { manager in
            let database = try ObjectDatabase(reading: manager.url.path)
            let other = try SQLiteStorageManager(
                model: Shop.model,
                url: manager.url,
                configuration: .init(viewQueue: DispatchQueue(label: "other"))
            )
            var observations: [StoreObservation] = []
            var events: [Box<[InspectionEvent]>] = []
            for instance in [manager, database, other] as [any Inspectable] {
                let seen = Box<[InspectionEvent]>([])
                let observation = try instance.observeForInspection { event in seen.update { $0.append(event) } }
                observations.append(try #require(observation))
                events.append(seen)
            }
            try await body(manager, events)
            for observation in observations { observation.cancel() }
            database.close()
            try other.close()
        }
    }

    @Test func observersReceiveChangesOfEachSave() async throws {
        try await withObservers { manager, observers in
            let keys = try await manager.performAndSave { storage in
                storage.author = "importer"
                let order = try storage.insertNewObject(ofType: Order.self)
                order.number = 1
                let tag = try storage.insertNewObject(ofType: Tag.self)
                tag.name = "red"
                return [order.objectID.rowID, tag.objectID.rowID].map { String($0) }
            }
            try await manager.performAndSave { storage in
                let order = try #require(try storage.allObjects(ofType: Order.self).first)
                order.note = "new"
                order.tags = try storage.allObjects(ofType: Tag.self)
            }
            try await manager.performAndSave { storage in
                try storage.deleteObject(try #require(try storage.allObjects(ofType: Order.self).first))
            }
            for seen in observers {
                try await waitUntil("three saves") { seen.value.count >= 3 }
                guard case .changes(let inserted, let origin) = seen.value[0],
                    case .changes(let updated, let second) = seen.value[1],
                    case .changes(let removed, _) = seen.value[2]
                else { throw Refusal() }
                #expect(origin == "importer" && second != "importer")
                #expect(
                    Set(inserted.map { "\($0.kind) \($0.table) \($0.key)" }) == [
                        "inserted Order \(keys[0])", "inserted Tag \(keys[1])",
                    ]
                )
                #expect(
                    updated.contains(InspectionChange(table: "Order", key: keys[0], kind: .updated, columns: ["note"]))
                )
                #expect(
                    updated.contains(InspectionChange(table: "Tag", key: keys[1], kind: .updated, columns: ["orders"]))
                )
                #expect(removed.contains { $0.table == "Order" && $0.key == keys[0] && $0.kind == .removed })
                #expect(seen.value.count == 3)
            }
        }
    }

    @Test func observersMissChangesOfLargeSavesAndResets() async throws {
        try await withObservers { manager, observers in
            try await manager.performAndSave { storage in
                for number in 0..<1_200 { try storage.insertNewObject(ofType: Item.self).quantity = number }
            }
            for seen in observers {
                try await waitUntil("the save") { seen.value.count >= 2 }
                guard case .changes(let changes, _) = seen.value[0] else { throw Refusal() }
                #expect(changes.count == 1_000 && seen.value[1] == .missed)
            }
            try manager.reset()
            for seen in observers {
                try await waitUntil("the reset") { seen.value.count >= 3 }
                #expect(seen.value[2] == .missed)
            }
        }
    }

    @Test func canceledObservationReceivesNothing() async throws {
        try await withStorage { manager in
            let seen = Box(0)
            let observation = try #require(try manager.observeForInspection { _ in seen.update { $0 += 1 } })
            observation.cancel()
            let other = Box(0)
            let later = try #require(try manager.observeForInspection { _ in other.update { $0 += 1 } })
            try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "red" }
            try await waitUntil("the save") { other.value == 1 }
            #expect(seen.value == 0)
            later.cancel()
        }
    }
}
#endif
