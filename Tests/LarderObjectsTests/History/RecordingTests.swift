#if Objects
import Foundation
import LarderCore
import LarderObjects
import LarderTestTraits
import Testing

/// Tests that each save is recorded in the file.
@Suite(.expectsIssues(.repeatedQuery)) struct RecordingTests {
    /// Runs `body` with a manager and a closure that returns the changes of all recorded saves, oldest first.
    private func withRecord(
        _ body: (SQLiteStorageManager, (String) async throws -> [String]) async throws -> Void
    ) async throws {
        try await withStorage(.file) { manager in
            try await body(manager) { column in
                try await SchemaProbe.values(of: manager.url, "SELECT \(column) FROM larder_save ORDER BY token")
                    .map { $0 ?? "NULL" }
            }
        }
    }

    private func insertOrder(_ storage: any WritableStorageType, _ number: Int64) throws -> Order {
        let order = try storage.insertNewObject(ofType: Order.self)
        order.number = number
        return order
    }

    @Test func saveAddsOneRow() async throws {
        try await withRecord { manager, record in
            let ids = try await manager.performAndSave { storage in
                try (0..<3).map { try insertOrder(storage, $0).objectID.rowID }
            }
            try await manager.performAndSave { storage in
                let orders = try storage.allObjects(ofType: Order.self, sortedBy: [SortDescriptor(\.number)])
                orders[0].quantity = 5
                orders[0].note = "large"
                orders[1].note = "small"
                try storage.deleteObject(orders[2])
            }
            #expect(
                try await record("changes") == [
                    #"{"Order":{"inserted":[[\#(ids[0]),\#(ids[2])]]}}"#,
                    #"{"Order":{"updated":{"note":[\#(ids[1])],"note,quantity":[\#(ids[0])]},"deleted":[\#(ids[2])]}}"#,
                ]
            )
            #expect(try await record("token") == ["1", "2"])
            #expect(try await record("last") == ["1", "1"])
            #expect(Set(try await record("process")) == ["\(ProcessInfo.processInfo.processIdentifier)"])
            let now = Date().timeIntervalSinceReferenceDate
            #expect(try await record("time").allSatisfy { abs((Double($0) ?? 0) - now) < 60 })
        }
    }

    @Test func failedSaveAddsNoRow() async throws {
        try await withRecord { manager, record in
            await #expect(throws: Refusal.self) {
                try await manager.performAndSave { storage in
                    _ = try insertOrder(storage, 1)
                    try storage.saveIfNeeded()
                    throw Refusal()
                }
            }
            await #expect(throws: ObjectError.self) {
                try await manager.performAndSave { storage in
                    _ = try insertOrder(storage, 1)
                    _ = try insertOrder(storage, 1)
                }
            }
            let changes = try await record("changes")
            #expect(changes == [])
        }
    }

    @Test func unchangedSaveAddsNoRow() async throws {
        try await withRecord { manager, record in
            try await manager.performAndSave { storage in
                let order = try insertOrder(storage, 1)
                let tags = try ["a", "b"].map { name in
                    let tag = try storage.insertNewObject(ofType: Tag.self)
                    tag.name = name
                    return tag
                }
                order.tags = tags
            }
            try await manager.performAndSave { storage in
                let order = try storage.firstObject(ofType: Order.self)
                order?.number = 1
                order?.tags = order?.tags ?? []
                order?.note = "x"
                order?.note = nil
                try storage.batchUpdate(ofType: Order.self, set: [.set(\.number, to: 1)])
                try storage.batchDelete(ofType: Item.self)
            }
            try await manager.performAndSave { storage in
                _ = try insertOrder(storage, 2)
                try storage.saveIfNeeded()
                try storage.batchDelete(ofType: Order.self, matching: \.number == 2)
            }
            #expect(try await record("token") == ["1"])
        }
    }

    @Test func tokensOnlyGrow() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
            for round in 1...3 {
                let manager = try SQLiteStorageManager(model: Shop.model, url: url, configuration: configuration)
                for number in 0..<10 {
                    try await manager.performAndSave { _ = try insertOrder($0, Int64(100 * round + number)) }
                }
                try manager.reset()
                #expect(try manager.verify().problems == [])
                try manager.close()
            }
            let tokens = try await SchemaProbe.values(of: url, "SELECT token FROM larder_save ORDER BY token")
            #expect(tokens == (1...33).map(String.init))
        }
    }

    @Test func internalHistoryIsTrimmed() async throws {
        try await withRecord { manager, record in
            let id = try await manager.performAndSave { try insertOrder($0, 0).objectID }
            for number in 1..<1_300 {
                try await manager.performAndSave { storage in
                    try storage.loadObject(ofType: Order.self, with: id)?.quantity = number
                }
            }
            let tokens = try await record("token")
            #expect(tokens.last == "1300" && tokens.first == "281" && tokens.count == 1_020)
            #expect(try await SchemaProbe.values(of: manager.url, "SELECT trimmed FROM larder_timeline") == ["280"])
        }
    }

    @Test func linksNameBothSides() async throws {
        try await withRecord { manager, record in
            let ids = try await manager.performAndSave { storage in
                let orders = try (0..<2).map { try insertOrder(storage, $0) }
                let tag = try storage.insertNewObject(ofType: Tag.self)
                tag.name = "red"
                orders[0].tags = [tag]
                return (orders.map(\.objectID.rowID), tag.objectID.rowID)
            }
            try await manager.performAndSave { storage in
                let tag = try storage.firstObject(ofType: Tag.self)
                tag?.orders = try storage.allObjects(ofType: Order.self, matching: \.number == 1)
            }
            try await manager.performAndSave { storage in
                try storage.firstObject(ofType: Tag.self).map(storage.deleteObject)
            }
            let (orders, tag) = ids
            #expect(
                try await record("changes").suffix(2) == [
                    #"{"Order.tags":{"inserted":[[\#(orders[1]),\#(tag)]],"deleted":[[\#(orders[0]),\#(tag)]]}}"#,
                    #"{"Tag":{"deleted":[\#(tag)]},"Order.tags":{"deleted":[[\#(orders[1]),\#(tag)]]}}"#,
                ]
            )
        }
    }

    @Test func savesOfOneOperationAreOneRow() async throws {
        try await withRecord { manager, record in
            let ids = try await manager.performAndSave { storage in
                let orders = try (0..<3).map { try insertOrder(storage, $0) }
                try storage.saveIfNeeded()
                orders[0].quantity = 1
                try storage.deleteObject(orders[2])
                try storage.saveIfNeeded()
                return orders.map(\.objectID.rowID)
            }
            #expect(try await record("changes") == [#"{"Order":{"inserted":[[\#(ids[0]),\#(ids[1])]]}}"#])
        }
    }

    @Test func resetIsRecorded() async throws {
        try await withRecord { manager, record in
            try await manager.performAndSave { _ = try insertOrder($0, 1) }
            try manager.reset()
            #expect(try await record("changes").last == #"{"all":"reset"}"#)
        }
    }

    @Test func migrationIsRecorded() async throws {
        try await withFile(of: GoldenModel.model, fill: { try GoldenContent.fill($0) }) { file in
            try file.open(GoldenModel.later).close()
            let changes = try await SchemaProbe.values(of: file.url, "SELECT changes FROM larder_save ORDER BY token")
            #expect(changes.count == 2 && changes[1] == #"{"all":"migration","from":1,"to":2}"#)
        }
    }

    @Test func authorIsRecorded() async throws {
        try await withTemporaryFolder { folder in
            var configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
            #expect(configuration.author == ProcessInfo.processInfo.processName)
            configuration.author = "import"
            let manager = try SQLiteStorageManager(
                model: Shop.model,
                name: "shop",
                in: folder,
                configuration: configuration
            )
            for (number, author) in [nil, "Zoë's \"phone\"", nil].enumerated() {
                try await manager.performAndSave { storage in
                    _ = try insertOrder(storage, Int64(number))
                    if let author { storage.author = author }
                }
            }
            let authors = try await SchemaProbe.values(of: manager.url, "SELECT author FROM larder_save ORDER BY token")
            #expect(authors == ["import", "Zoë's \"phone\"", "import"])
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    @Test func batchUpdateIsRecorded() async throws {
        try await withRecord { manager, record in
            let ids = try await manager.performAndSave { storage in
                try (0..<10).map { try insertOrder(storage, $0).objectID.rowID }
            }
            try await manager.performAndSave { storage in
                try storage.batchUpdate(
                    ofType: Order.self,
                    matching: \.number > 6,
                    set: [.set(\.status, to: .sent), .set(\.note, to: "done")]
                )
            }
            #expect(
                try await record("changes").last
                    == #"{"Order":{"updated":{"note,status":[[\#(ids[7]),\#(ids[9])]]}}}"#
            )
        }
    }

    @Test func batchDeleteRecordsRelatedObjects() async throws {
        try await withRecord { manager, record in
            let ids = try await manager.performAndSave { storage in
                let order = try insertOrder(storage, 1)
                let item = try storage.insertNewObject(ofType: Item.self)
                let refund = try storage.insertNewObject(ofType: Refund.self)
                let tag = try storage.insertNewObject(ofType: Tag.self)
                (order.items, order.refund, order.tags) = ([item], refund, [tag])
                return [order.objectID, item.objectID, refund.objectID, tag.objectID].map(\.rowID)
            }
            try await manager.performAndSave { try $0.batchDelete(ofType: Order.self) }
            #expect(
                try await record("changes").last
                    == #"{"Order":{"deleted":[\#(ids[0])]},"Item":{"deleted":[\#(ids[1])]},"#
                    + #""Refund":{"updated":{"order":[\#(ids[2])]}},"Order.tags":{"deleted":[[\#(ids[0]),\#(ids[3])]]}}"#
            )
        }
    }

    @Test func upsertRecordsChangedAttributesOnly() async throws {
        try await withRecord { manager, record in
            func save(_ people: [(String, Int)]) async throws {
                try await manager.performAndSave { storage in
                    try storage.sync(people, into: Customer.self, by: \.name, key: \.0) {
                        $0.name = $1.0
                        $0.age = $1.1
                    }
                }
            }
            try await save([("Ada", 36), ("Eve", 20), ("Bob", 50)])
            let ids = try await SchemaProbe.values(of: manager.url, "SELECT objectID FROM Customer ORDER BY objectID")
                .compactMap(\.self)
            try await save([("Ada", 36), ("Eve", 21), ("Zoë", 1)])
            let last = try await record("changes").last
            #expect(
                last?.contains(#""updated":{"age":[\#(ids[1])]},"deleted":[\#(ids[2])]"#) == true,
                "\(last ?? "no row")"
            )
        }
    }

    @Test func largeSaveUsesSeveralRows() async throws {
        try await withRecord { manager, record in
            try await manager.performAndSave { storage in
                for number in 0..<25_000 { _ = try insertOrder(storage, Int64(number)) }
            }
            try await manager.performAndSave { try $0.deleteAllObjects(ofType: Order.self) }
            #expect(try await record("last") == ["0", "0", "1", "0", "0", "1"])
            let lengths = try await record("length(changes)").compactMap { Int($0) }
            #expect(lengths.allSatisfy { $0 < 60 })
        }
    }

    @Test func deleteAllObjectsIsRecorded() async throws {
        try await withRecord { manager, record in
            let ids = try await manager.performAndSave { storage in
                try (0..<5).map { try insertOrder(storage, $0).objectID.rowID }
            }
            try await manager.performAndSave { try $0.deleteAllObjects(ofType: Order.self) }
            #expect(try await record("changes").last == #"{"Order":{"deleted":[[\#(ids[0]),\#(ids[4])]]}}"#)
        }
    }
}
#endif
