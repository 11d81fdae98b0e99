#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Testing

/// Tests of the history that a file keeps for programs, with old values and tombstones.
@Suite(.expectsIssues(.repeatedQuery)) struct KeptHistoryTests {
    /// A database file that several managers can open.
    private struct ShipmentFile {
        let url: URL

        func open(
            _ history: HistoryPolicy = .internal,
            _ change: (inout ObjectStorageConfiguration) -> Void = { _ in }
        ) throws -> SQLiteStorageManager {
            var configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
            configuration.history = history
            change(&configuration)
            return try SQLiteStorageManager(model: ShipmentModel.model, url: url, configuration: configuration)
        }
    }

    private func withFile(_ body: (ShipmentFile) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let file = ShipmentFile(url: folder.appendingPathComponent("shipments.sqlite"))
            try await body(file)
            let manager = try file.open()
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    /// Runs `body` with a manager of a file that keeps old values and has the shipment "a".
    private func withShipment(
        _ policy: HistoryPolicy = .kept(oldValues: true),
        _ body: (SQLiteStorageManager, HistoryToken) async throws -> Void
    ) async throws {
        try await withFile { file in
            let manager = try file.open(policy)
            try await manager.performAndSave { _ = try ShipmentModel.insert("a", into: $0) }
            try await body(manager, try manager.historyToken)
            try manager.close()
        }
    }

    /// Returns the changes of the saves after a token.
    private func changes(in manager: SQLiteStorageManager, after token: HistoryToken) throws -> [ObjectChange] {
        try manager.history(after: token).flatMap(\.changes)
    }

    private func policy(of manager: SQLiteStorageManager) async throws -> [Int64?] {
        try await manager.write { database in
            let row = try #require(try Row.fetchOne(database, sql: "SELECT keeps, age, bytes FROM larder_timeline"))
            return [row[0], row[1], row[2]]
        }
    }

    private func setWeight(_ weight: Double, in manager: SQLiteStorageManager) async throws {
        try await manager.performAndSave { try $0.firstObject(ofType: Shipment.self)?.weight = weight }
    }

    /// Adds saves that change nothing, as if other managers had made them.
    private func addSaves(_ count: Int, in manager: SQLiteStorageManager) async throws {
        try await manager.write { database in
            try database.execute(
                sql: """
                    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(count))
                    INSERT INTO larder_save (process, changes) SELECT 1, '{}' FROM numbers
                    """
            )
        }
    }

    // MARK: Policy

    @Test func otherProcessFollowsPolicy() async throws {
        try await withFile { file in
            let first = try file.open()
            try await first.performAndSave { _ = try ShipmentModel.insert("a", into: $0) }
            let second = try file.open(.kept(oldValues: true))
            let token = try second.historyToken
            try await setWeight(2, in: first)
            try await first.write { try $0.execute(sql: "UPDATE Shipment SET weight = 3") }
            let weights = try changes(in: second, after: token).map { try $0.oldValue("weight", as: Double.self) }
            #expect(weights == [1, 2])
            try second.close()
            try first.close()
        }
    }

    @Test func openingRaisesPolicyOnly() async throws {
        try await withFile { file in
            let policies: [(HistoryPolicy, [Int64?])] = [
                (.internal, [0, nil, nil]), (.kept(limit: .age(.seconds(60))), [1, 60, nil]),
                (.internal, [1, 60, nil]),
                (.kept(oldValues: true, limit: .bytes(1_000)), [2, nil, 1_000]), (.kept(), [2, nil, nil]),
            ]
            for (policy, expected) in policies {
                let manager = try file.open(policy)
                #expect(try await self.policy(of: manager) == expected)
                try manager.close()
            }
        }
    }

    @Test func stoppingLowersPolicy() async throws {
        try await withShipment(.kept(oldValues: true, limit: .age(.seconds(60)))) { manager, token in
            try manager.stopKeepingHistory()
            #expect(try await policy(of: manager) == [0, nil, nil])
            try await setWeight(2, in: manager)
            try await manager.write { try $0.execute(sql: "UPDATE Shipment SET weight = 3") }
            try await manager.performAndSave { try $0.deleteAllObjects(ofType: Shipment.self) }
            #expect(try changes(in: manager, after: token).allSatisfy { $0.recordedProperties.isEmpty })
        }
    }

    @Test func stoppingInsideOperationThrows() async throws {
        try await withShipment { manager, _ in
            let error = await #expect(throws: ObjectError.self) {
                try await manager.performAndSave { _ in try manager.stopKeepingHistory() }
            }
            #expect(error?.code == .busy)
        }
    }

    @Test func readOnlyManagerKeepsPolicy() async throws {
        try await withFile { file in
            try file.open().close()
            var configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
            configuration.history = .kept()
            try SQLiteStorageManager.openReadOnly(
                model: ShipmentModel.model,
                url: file.url,
                configuration: configuration
            )
            .close()
            let manager = try file.open()
            #expect(try await policy(of: manager) == [0, nil, nil])
            try manager.close()
        }
    }

    // MARK: Old values

    @Test func oldValuesOfSave() async throws {
        try await withShipment { manager, token in
            try await manager.performAndSave { storage in
                let shipment = try #require(try storage.firstObject(ofType: Shipment.self))
                shipment.title = "Coffee"
                shipment.label = nil
                try storage.saveIfNeeded()
                // The value before the transaction counts.
                (shipment.title, shipment.weight) = ("Cocoa", 5)
                shipment.sentAt = Date(timeIntervalSinceReferenceDate: 0)
            }
            let change = try #require(try changes(in: manager, after: token).first)
            #expect(change.properties == ["title", "label", "weight", "sentAt"])
            #expect(change.recordedProperties == change.properties)
            #expect(try change.oldValue("title") == "Tea")
            #expect(try change.oldValue("weight") == 1.0)
            #expect(try change.oldValue("label") == Data([1, 2, 3]))
            #expect(try change.oldValue("sentAt", as: Date.self) == nil)
            #expect(try change.oldValue("code", as: String.self) == nil)
            let error = #expect(throws: ObjectError.self) { try change.oldValue("title", as: Date.self) }
            #expect(error?.code == .modelMismatch)
        }
    }

    @Test func oldValuesOfUpsert() async throws {
        try await withShipment { manager, token in
            try await manager.performAndSave { storage in
                try storage.upsert([("a", 7.0), ("b", 8)], into: Shipment.self, by: \.code, key: \.0) {
                    shipment,
                    value in
                    (shipment.code, shipment.weight) = value
                }
            }
            let changes = try changes(in: manager, after: token)
            #expect(changes.map(\.kind) == [.updated, .inserted])
            #expect(try changes.map { try $0.oldValue("weight", as: Double.self) } == [1, nil])
        }
    }

    @Test func oldReferenceIsObjectID() async throws {
        try await withShipment { manager, token in
            let (piece, shipment, depot) = try await manager.performAndSave { storage in
                let piece = try #require(try storage.firstObject(ofType: Piece.self, matching: \.number == 1))
                let shipment = try #require(piece.shipment)
                defer { (piece.shipment, shipment.depot) = (nil, nil) }
                return (piece.objectID, shipment.objectID, try #require(shipment.depot).objectID)
            }
            let changes = try changes(in: manager, after: token)
            let changed = try #require(changes.first { $0.objectID == piece })
            #expect(changed.oldReference("shipment") == shipment)
            #expect(changes.first { $0.objectID == shipment }?.oldReference("depot") == depot)
            #expect(changed.oldReference("number") == nil)
        }
    }

    @Test func oldValuesOfBatch() async throws {
        try await withShipment { manager, token in
            try await manager.performAndSave { storage in
                try ShipmentModel.insert("b", into: storage).weight = 2
                try storage.batchUpdate(
                    ofType: Shipment.self,
                    matching: \.weight > 0,
                    set: [.set(\.weight, to: 9), .set(\.title, to: "Tea")]
                )
                try storage.batchUpdate(ofType: Shipment.self, set: [.set(\.weight, to: 10), .set(\.label, to: nil)])
            }
            let updated = try changes(in: manager, after: token).filter { $0.kind == .updated }
            #expect(updated.count == 1 && updated[0].properties == ["weight", "title", "label"])
            #expect(updated[0].recordedProperties.isSuperset(of: ["weight", "label"]))
            #expect(try updated[0].oldValue("weight") == 1.0)
            #expect(try updated[0].oldValue("label") == Data([1, 2, 3]))
        }
    }

    @Test func oldValuesOfRawSQL() async throws {
        try await withShipment { manager, _ in
            try await manager.performAndSave { _ = try ShipmentModel.insert("b", into: $0) }
            let second = try manager.historyToken
            try await manager.write { database in
                try database.execute(sql: "UPDATE Shipment SET weight = weight + 1, title = NULL")
                try database.execute(sql: "UPDATE Shipment SET weight = weight + 1, label = x'00' WHERE code = 'a'")
                // The replaced shipment is deleted without running a trigger of its own.
                try database.execute(
                    sql: "DELETE FROM Piece WHERE shipment = (SELECT objectID FROM Shipment WHERE code = 'b')"
                )
                try database.execute(sql: "UPDATE OR REPLACE Shipment SET code = 'b' WHERE code = 'a'")
            }
            let changes = try changes(in: manager, after: second)
            let updated = try #require(changes.first { $0.kind == .updated && $0.objectID.entityName == "Shipment" })
            #expect(updated.recordedProperties == ["code", "weight", "title", "label"])
            #expect(updated.properties == updated.recordedProperties)
            #expect(try updated.oldValue("code") == "a")
            #expect(try updated.oldValue("weight") == 1.0)
            #expect(try updated.oldValue("title") == "Tea")
            #expect(try updated.oldValue("label") == Data([1, 2, 3]))
            let deleted = try #require(changes.first { $0.kind == .deleted && $0.objectID.entityName == "Shipment" })
            #expect(deleted.recordedProperties == ["code", "label"])
            #expect(try deleted.oldValue("code") == "b")
            #expect(
                try changes.filter { $0.objectID.entityName == "Piece" }.map { try $0.oldValue("number") } == [1, 2]
            )
        }
    }

    @Test func oldValuesOfWideEntityAreRecorded() async throws {
        try await withTemporaryFolder { folder in
            var configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
            configuration.history = .kept(oldValues: true)
            let manager = try SQLiteStorageManager(
                model: WideModel.model,
                name: "wide",
                in: folder,
                configuration: configuration
            )
            try await manager.performAndSave { try WideModel.fill($0) }
            let token = try manager.historyToken
            let id = try #require(try manager.viewStorage.firstObject(ofType: Wide01.self)).objectID.rowID
            let values = try await manager.write { database in
                let sql = "SELECT attribute1, attribute64 FROM Wide01 WHERE objectID = \(id)"
                let row = try #require(try Row.fetchOne(database, sql: sql))
                try database.execute(
                    sql:
                        "UPDATE Wide01 SET attribute1 = 'changed', attribute64 = attribute64 + 1 WHERE objectID = \(id)"
                )
                return (row[0] as String?, row[1] as Int64?)
            }
            let change = try #require(try changes(in: manager, after: token).first)
            #expect(change.recordedProperties == ["attribute1", "attribute64"])
            #expect(try change.oldValue("attribute1") == values.0)
            #expect(try change.oldValue("attribute64") == values.1)
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    @Test func valuesChangedByProgramTriggerAreNotRecorded() async throws {
        try await withShipment { manager, token in
            try await manager.write { database in
                try database.execute(
                    sql: """
                        CREATE TRIGGER heavier AFTER UPDATE OF title ON Shipment BEGIN
                        UPDATE Shipment SET weight = weight + 1 WHERE objectID = new.objectID; END
                        """
                )
            }
            try await manager.performAndSave { try $0.firstObject(ofType: Shipment.self)?.title = "x" }
            try await manager.performAndSave { try $0.firstObject(ofType: Shipment.self)?.label = nil }
            let changes = try changes(in: manager, after: token)
            #expect(changes.map(\.recordedProperties) == [[], ["label"]])
            #expect(changes[0].properties?.contains("weight") == true)
        }
    }

    @Test func largeValuesUseSeveralRows() async throws {
        try await withShipment { manager, _ in
            let large = Data(repeating: 7, count: 600_000)
            try await manager.performAndSave { storage in
                for code in ["b", "c", "d"] { try ShipmentModel.insert(code, into: storage).label = large }
            }
            let token = try manager.historyToken
            try await manager.performAndSave { storage in
                try storage.batchUpdate(ofType: Shipment.self, set: [.set(\.label, to: nil)])
            }
            let entries = try manager.history(after: token)
            #expect(entries.count == 1)
            let labels = try entries[0].changes.map { try $0.oldValue("label", as: Data.self)?.count }
            #expect(labels == [3, 600_000, 600_000, 600_000])
            let sizes = try await manager.write { database in
                try Int.fetchAll(database, sql: "SELECT length(changes) FROM larder_save")
            }
            #expect(sizes.max() ?? 0 < 2_000_000)
            let parts = try await manager.write { database in
                try Int.fetchOne(database, sql: "SELECT count(*) FROM larder_save WHERE last = 0")
            }
            #expect(parts == 2)
        }
    }

    // MARK: Tombstones

    @Test(arguments: [HistoryPolicy.kept(), .kept(oldValues: true)])
    func tombstoneKeepsMarkedValues(_ policy: HistoryPolicy) async throws {
        try await withShipment(policy) { manager, token in
            try await manager.performAndSave { storage in
                let shipment = try #require(try storage.firstObject(ofType: Shipment.self))
                // The value before the transaction counts.
                shipment.code = "changed"
                try storage.saveIfNeeded()
                try storage.deleteObject(shipment)
            }
            let changes = try changes(in: manager, after: token)
            #expect(changes.map(\.kind) == [.deleted, .deleted, .deleted])
            #expect(changes[0].recordedProperties == ["code", "label"] && changes[0].properties == nil)
            #expect(try changes[0].oldValue("code") == "a")
            #expect(try changes[0].oldValue("label") == Data([1, 2, 3]))
            #expect(try changes[1...].map { try $0.oldValue("number") } == [1, 2])
        }
    }

    @Test(arguments: [HistoryPolicy.kept(), .kept(oldValues: true)])
    func batchDeletionKeepsMarkedValues(_ policy: HistoryPolicy) async throws {
        try await withShipment(policy) { manager, token in
            try await manager.performAndSave { storage in
                try storage.batchUpdate(ofType: Shipment.self, set: [.set(\.code, to: "changed")])
                try storage.batchDelete(ofType: Depot.self)
                try storage.batchDelete(ofType: Shipment.self)
            }
            let changes = try changes(in: manager, after: token).filter { $0.objectID.entityName != "Depot" }
            #expect(try changes[0].oldValue("code") == "a")
            #expect(try changes[1...].map { try $0.oldValue("number") } == [1, 2])
        }
    }

    @Test func rawDeletionKeepsMarkedValues() async throws {
        try await withShipment(.kept()) { manager, token in
            try await manager.write { database in
                try database.execute(sql: "UPDATE Piece SET number = number + 10, shipment = NULL")
                try database.execute(sql: "DELETE FROM Piece")
            }
            let changes = try changes(in: manager, after: token)
            #expect(try changes.map { try $0.oldValue("number") } == [1, 2])
        }
    }

    @Test func nullifiedReferenceHasOldValue() async throws {
        try await withShipment { manager, token in
            let depot = try #require(try manager.viewStorage.firstObject(ofType: Depot.self)).objectID
            try await manager.performAndSave { _ = try $0.batchDelete(ofType: Depot.self) }
            let change = try #require(try changes(in: manager, after: token).first { $0.kind == .updated })
            #expect(change.properties == ["depot"])
            #expect(change.oldReference("depot") == depot)
        }
    }

    @Test func internalHistoryKeepsNoValues() async throws {
        try await withShipment(.internal) { manager, token in
            try await setWeight(2, in: manager)
            try await manager.performAndSave { try $0.deleteAllObjects(ofType: Shipment.self) }
            try await manager.write { try $0.execute(sql: "DELETE FROM Depot") }
            let changes = try changes(in: manager, after: token)
            #expect(changes.count == 5)
            #expect(changes.allSatisfy { $0.recordedProperties.isEmpty })
        }
    }

    @Test func preserveValueOnDeletionIsNotInSchema() throws {
        let marked = try ShipmentModel.model.frozen().fingerprint
        let plain = try ObjectModel([PlainDepot.self]).frozen().fingerprint
        let kept = try ObjectModel([Marked.PlainDepot.self]).frozen().fingerprint
        #expect(plain == kept && plain != marked)
    }

    // MARK: Trimming

    @Test func keptHistoryIsNotTrimmed() async throws {
        try await withShipment(.kept()) { manager, _ in
            try await addSaves(1_300, in: manager)
            try await setWeight(2, in: manager)
            #expect(try manager.history(after: nil).count == 1_302)
        }
    }

    @Test func keptHistoryIsTrimmedByAge() async throws {
        try await withFile { file in
            let time = ManualTimeSource()
            let manager = try file.open(.kept(limit: .age(.seconds(1_000)))) { $0.time = time }
            try await manager.performAndSave { _ = try ShipmentModel.insert("a", into: $0) }
            // The save with token N is made 10 seconds after the one before.
            for number in 2...256 {
                time.advance(by: .seconds(10))
                try await setWeight(Double(number), in: manager)
            }
            #expect(try manager.history(after: nil).count == 101)
            try manager.close()
        }
    }

    @Test func keptHistoryIsTrimmedBySize() async throws {
        try await withShipment(.kept(limit: .bytes(2_000))) { manager, _ in
            for number in 2...256 { try await setWeight(Double(number), in: manager) }
            let size = try await manager.write { database in
                try Int.fetchOne(database, sql: "SELECT sum(length(changes)) FROM larder_save") ?? 0
            }
            #expect(size <= 2_000 && size > 1_900)
        }
    }

    @Test func rolledBackWriteDoesNotPreventTrimming() async throws {
        try await withShipment(.kept(limit: .bytes(2_000))) { manager, _ in
            for number in 2...255 { try await setWeight(Double(number), in: manager) }
            // The commit fails, after the save with token 256 was recorded.
            await #expect(throws: (any Error).self) {
                try await manager.write { database in
                    try database.execute(sql: "UPDATE Piece SET shipment = 999999")
                }
            }
            try await setWeight(256, in: manager)
            let size = try await manager.write { database in
                try Int.fetchOne(database, sql: "SELECT sum(length(changes)) FROM larder_save") ?? 0
            }
            #expect(size <= 2_000)
        }
    }

    @Test func openingTrimsToToken() async throws {
        try await withFile { file in
            let manager = try file.open(.kept())
            try await manager.performAndSave { _ = try ShipmentModel.insert("a", into: $0) }
            let token = try manager.historyToken
            for weight in 2...4 { try await setWeight(Double(weight), in: manager) }
            try manager.close()
            let reopened = try file.open(.kept(limit: .token(token)))
            #expect(try reopened.history(after: nil).count == 3)
            #expect(try reopened.history(after: token).count == 3)
            try reopened.close()
        }
    }

    @Test func unknownPolicyIsKept() async throws {
        try await withFile { file in
            let first = try file.open()
            try await first.performAndSave { _ = try ShipmentModel.insert("a", into: $0) }
            try await first.write { try $0.execute(sql: "UPDATE larder_timeline SET keeps = 3, bytes = 1, age = 1") }
            try first.close()
            let manager = try file.open(.kept())
            try await addSaves(1_300, in: manager)
            try await setWeight(2, in: manager)
            #expect(try await policy(of: manager) == [3, 1, 1])
            let entries = try manager.history(after: nil)
            #expect(entries.count == 1_302)
            #expect(try entries.last?.changes.first?.oldValue("weight") == 1.0)
            try manager.close()
        }
    }
}

@Entity final class PlainDepot {
    var name: String = ""
}

enum Marked {
    @Entity final class PlainDepot {
        @Attribute(.preserveValueOnDeletion) var name: String = ""
    }
}
#endif
