#if Objects
import Foundation
import GRDB
@testable import LarderObjects
import Testing

/// Tests that changes made by raw SQL are recorded row by row, with the names of the changed attributes.
@Suite struct RawRecordingTests {
    /// Runs `sql` with `manager.write`, and returns the change set that the view receives.
    private func changes(of sql: String, in manager: SQLiteStorageManager) async throws -> ChangeSet {
        try await changes(in: manager) { try $0.execute(sql: sql) }
    }

    private func changes(
        in manager: SQLiteStorageManager,
        _ body: @escaping @Sendable (Database) throws -> Void
    ) async throws -> ChangeSet {
        var changes = manager.changes.makeAsyncIterator()
        try await manager.write(body)
        return try #require(await changes.next())
    }

    /// Inserts tags, and returns their ids in the order of `names`.
    private func insertTags(_ names: [String], in manager: SQLiteStorageManager) async throws -> [ObjectID] {
        try await manager.performAndSave { storage in
            try names.map { name in
                let tag = try storage.insertNewObject(ofType: Tag.self)
                tag.name = name
                return tag.objectID
            }
        }
    }

    @Test func attributesOfRawUpdateAreRecorded() async throws {
        try await withStorage { manager in
            let ids = try await manager.performAndSave { storage in
                try (0..<3).map { number in
                    let order = try storage.insertNewObject(ofType: Order.self)
                    order.number = Int64(number)
                    return order.objectID
                }
            }
            let changes = try await changes(in: manager) { database in
                try database.execute(sql: "UPDATE \"Order\" SET note = 'new', quantity = 0 WHERE number > 0")
                try database.execute(sql: "UPDATE \"Order\" SET status = 'paid' WHERE number = 2")
            }
            #expect(changes.updated == [ids[1]: ["note"], ids[2]: ["note", "status"]])
            #expect(changes.inserted.isEmpty && changes.deleted.isEmpty)
        }
    }

    @Test func attributesOfWideEntityAreRecorded() async throws {
        try await withStorage(model: WideModel.model) { manager in
            try await manager.performAndSave { try WideModel.fill($0) }
            let id = try #require(try manager.viewStorage.firstObject(ofType: Wide01.self)).objectID
            let changes = try await changes(of: "UPDATE Wide01 SET attribute1 = 'a', attribute64 = 1", in: manager)
            #expect(changes.updated == [id: ["attribute1", "attribute64"]])
        }
    }

    @Test func replacedRowIsRecorded() async throws {
        try await withStorage { manager in
            let ids = try await insertTags(["a", "b", "c"], in: manager)
            let view = try #require(try manager.viewStorage.loadObject(ofType: Tag.self, with: ids[0]))
            let changes = try await changes(in: manager) { database in
                try database.execute(
                    sql: "INSERT OR REPLACE INTO Tag (objectID, name) VALUES (larder_next_id(), 'a')"
                )
                try database.execute(sql: "UPDATE OR REPLACE Tag SET name = 'b' WHERE name = 'c'")
            }
            #expect(Set(changes.deleted) == [ids[0], ids[1]])
            #expect(changes.inserted.count == 1)
            #expect(changes.updated == [ids[2]: ["name"]])
            #expect(view.isDeleted)
        }
    }

    @Test func rowReplacedByRowWithSameIDIsUpdate() async throws {
        try await withStorage { manager in
            let ids = try await insertTags(["a"], in: manager)
            let changes = try await changes(
                of: "INSERT OR REPLACE INTO Tag (objectID, name) VALUES (\(ids[0].rowID), 'z')",
                in: manager
            )
            #expect(changes.updated == [ids[0]: ["name"]])
            #expect(changes.inserted.isEmpty && changes.deleted.isEmpty)
        }
    }

    @Test func upsertRecordsChangedAttributesOnly() async throws {
        try await withStorage { manager in
            let id = try await manager.performAndSave { storage in
                let order = try storage.insertNewObject(ofType: Order.self)
                order.number = 5
                return order.objectID
            }
            let changes = try await changes(
                of: """
                    INSERT INTO "Order" (objectID, siteID, number, status, total, placedAt, quantity)
                    VALUES (larder_next_id(), 1, 5, 'sent', '0', 0, 0)
                    ON CONFLICT (siteID, number) DO UPDATE SET status = excluded.status, quantity = excluded.quantity
                    """,
                in: manager
            )
            #expect(changes.updated == [id: ["status"]])
            #expect(changes.inserted.isEmpty && changes.deleted.isEmpty)
        }
    }

    @Test func deleteWithoutConditionIsRecorded() async throws {
        try await withStorage { manager in
            let ids = try await insertTags(["a", "b", "c"], in: manager)
            let changes = try await changes(of: "DELETE FROM Tag", in: manager)
            #expect(changes.deleted == ids)
        }
    }

    @Test func changedLinksRefreshRelationship() async throws {
        try await withStorage { manager in
            let id = try await manager.performAndSave { storage in
                let order = try storage.insertNewObject(ofType: Order.self)
                order.number = 1
                order.tags = [try storage.insertNewObject(ofType: Tag.self)]
                return order.objectID
            }
            let order = try #require(try manager.viewStorage.loadObject(ofType: Order.self, with: id))
            #expect(order.tags.count == 1)
            let changes = try await changes(of: "DELETE FROM \"Order.tags\"", in: manager)
            #expect(!changes.isEmpty && changes.deleted.isEmpty)
            #expect(order.tags.isEmpty)
        }
    }

    @Test func programTriggerIsRecorded() async throws {
        try await withStorage { manager in
            let ids = try await insertTags(["a"], in: manager)
            try await manager.write { database in
                try database.execute(
                    sql: """
                        CREATE TRIGGER countItems AFTER INSERT ON Item BEGIN
                            UPDATE Tag SET name = name || '!' WHERE name = 'a';
                        END
                        """
                )
            }
            let changes = try await changes(
                of: "INSERT INTO Item (objectID, name, quantity) VALUES (larder_next_id(), 'new', 1)",
                in: manager
            )
            #expect(changes.inserted.map(\.entityName) == ["Item"])
            #expect(changes.updated == [ids[0]: ["name"]])
        }
    }

    @Test func programTriggerDoesNotRunRecursively() async throws {
        try await withStorage { manager in
            let ids = try await insertTags(["a"], in: manager)
            try await manager.write { database in
                try database.execute(
                    sql: "CREATE TRIGGER mark AFTER UPDATE ON Tag BEGIN UPDATE Tag SET name = new.name || '!'; END"
                )
            }
            let changes = try await changes(of: "UPDATE Tag SET name = 'b'", in: manager)
            #expect(changes.updated == [ids[0]: ["name"]])
            #expect(try manager.viewStorage.allObjects(ofType: Tag.self).map(\.name) == ["b!"])
        }
    }

    @Test func rolledBackWriteRecordsNothing() async throws {
        try await withStorage { manager in
            let ids = try await insertTags(["a", "b"], in: manager)
            await #expect(throws: Refusal.self) {
                try await manager.write { database in
                    try database.execute(sql: "DELETE FROM Tag")
                    throw Refusal()
                }
            }
            let changes = try await changes(of: "UPDATE Tag SET name = 'c' WHERE name = 'b'", in: manager)
            #expect(changes.updated == [ids[1]: ["name"]])
            #expect(changes.deleted.isEmpty)
        }
    }

    @Test func rolledBackSavepointRecordsNoDeletion() async throws {
        try await withStorage { manager in
            let ids = try await insertTags(["a", "b"], in: manager)
            let changes = try await changes(in: manager) { database in
                try database.inSavepoint {
                    try database.execute(sql: "DELETE FROM Tag")
                    try database.execute(sql: "INSERT INTO Tag (objectID, name) VALUES (larder_next_id(), 'lost')")
                    return .rollback
                }
                try database.execute(sql: "DELETE FROM Tag WHERE name = 'b'")
            }
            #expect(changes.deleted == [ids[1]])
            #expect(changes.inserted.isEmpty)
        }
    }

    @Test func failedStatementRecordsNoInsertion() async throws {
        try await withStorage { manager in
            _ = try await insertTags(["a"], in: manager)
            let changes = try await changes(in: manager) { database in
                let names = "SELECT 7000, 'new' UNION ALL SELECT 7001, 'a'"
                #expect(throws: DatabaseError.self) {
                    try database.execute(sql: "INSERT INTO Tag (objectID, name) \(names)")
                }
                try database.execute(sql: "INSERT INTO Tag (objectID, name) VALUES (8000, 'kept')")
            }
            #expect(changes.inserted.map(\.rowID) == [8_000])
        }
    }

    @Test func changedObjectIDIsDeletionAndInsertion() async throws {
        try await withStorage { manager in
            let ids = try await insertTags(["a"], in: manager)
            let changes = try await changes(of: "UPDATE Tag SET objectID = 9000", in: manager)
            #expect(changes.deleted == ids)
            #expect(changes.inserted.map(\.rowID) == [9_000])
        }
    }

    @Test func objectIDThatChangesWithAnotherColumnIsDeletionAndInsertion() async throws {
        try await withStorage { manager in
            let ids = try await insertTags(["a"], in: manager)
            let changes = try await changes(of: "UPDATE Tag SET objectID = 9000, name = 'b'", in: manager)
            #expect(changes.deleted == ids && changes.updated.isEmpty)
            #expect(changes.inserted.map(\.rowID) == [9_000])
        }
    }

    @Test func temporaryTableSurvivesCalls() async throws {
        try await withStorage { manager in
            try await manager.write {
                try $0.execute(sql: "CREATE TEMP TABLE Tag (name); INSERT INTO Tag VALUES ('t')")
            }
            let ids = try await insertTags(["a"], in: manager)
            let names = try await manager.write { try String.fetchAll($0, sql: "SELECT name FROM temp.Tag") }
            #expect(names == ["t"])
            let changes = try await changes(of: "UPDATE main.Tag SET name = 'b'", in: manager)
            #expect(changes.updated == [ids[0]: ["name"]])
        }
    }

    @Test func rebuiltTableIsRecordedInNextCall() async throws {
        try await withStorage { manager in
            let ids = try await insertTags(["a"], in: manager)
            try await manager.write { database in
                let table = try #require(
                    try String.fetchOne(database, sql: "SELECT sql FROM sqlite_schema WHERE name = 'Tag'")
                )
                let index = try #require(
                    try String.fetchOne(
                        database,
                        sql:
                            "SELECT sql FROM sqlite_schema WHERE tbl_name = 'Tag' AND type = 'index' AND sql IS NOT NULL"
                    )
                )
                try database.execute(sql: "CREATE TEMP TABLE copy AS SELECT * FROM Tag")
                try database.execute(sql: "DROP TABLE Tag; \(table); \(index)")
                try database.execute(sql: "INSERT INTO Tag SELECT * FROM copy")
            }
            let changes = try await changes(of: "UPDATE Tag SET name = 'b'", in: manager)
            #expect(changes.updated == [ids[0]: ["name"]])
        }
    }

    @Test func writeAfterCloseThrows() async throws {
        let manager = try SQLiteStorageManager(
            inMemory: Shop.model,
            configuration: .init(viewQueue: DispatchQueue(label: "view"))
        )
        try await manager.write { try $0.execute(sql: "DELETE FROM Tag") }
        try manager.close()
        await #expect(throws: ObjectError.self) { try await manager.write { try $0.execute(sql: "DELETE FROM Tag") } }
    }

    @Test func triggersOfNewPolicyAreCreatedAfterFailure() throws {
        let model = try Shop.model.resolved()
        let recorder = RawRecorder(model, HistoryColumns(model))
        let values = StoredHistoryPolicy(keeps: StoredHistoryPolicy.keepsValues)
        try DatabaseQueue().writeWithoutTransaction { database in
            for sql in SchemaStatements(SchemaDescription(model)).everything() { try database.execute(sql: sql) }
            try recorder.register(on: database)
            try recorder.begin(database, .internal)
            try database.execute(sql: "PRAGMA query_only = ON")
            #expect(throws: DatabaseError.self) { try recorder.begin(database, values) }
            try database.execute(sql: "PRAGMA query_only = OFF")
            try recorder.begin(database, values)
            let sql = "SELECT count(*) FROM temp.sqlite_schema WHERE sql GLOB '*larder_old*'"
            #expect(try Int.fetchOne(database, sql: sql) ?? 0 > 0)
        }
    }
}
#endif
