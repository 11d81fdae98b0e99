#if Objects
import Foundation
import GRDB
import LarderCore
@testable import LarderObjects
import LarderTestSupport
import LarderTesting
import Testing

/// Tests of programs that write to the file with SQLite alone, and of triggers that programs create in the file.
@Suite struct ForeignWriterTests {
    /// Runs SQL on a connection that knows nothing of Larder, in one transaction.
    private func run(_ sql: String, at url: URL) async throws {
        let queue = try DatabaseQueue(path: url.path)
        try await queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    private func insertTags(_ names: [String], in manager: SQLiteStorageManager) async throws -> [ObjectID] {
        try await manager.performAndSave { storage in
            try names.map { name in
                let tag = try storage.insertNewObject(ofType: Tag.self)
                tag.name = name
                return tag.objectID
            }
        }
    }

    /// Whether a statement of `performAndSave` would run triggers.
    private func runsTriggers(_ manager: SQLiteStorageManager) async throws -> Bool {
        try await manager.pool.writeWithoutTransaction { database in
            try Row.fetchAll(database, sql: "EXPLAIN UPDATE Tag SET name = 'x'").contains { $0["opcode"] == "Program" }
        }
    }

    @Test func insertionOfAnotherProgramIsRecorded() async throws {
        try await withStorage(.file) { manager in
            _ = try await insertTags(["a"], in: manager)
            let token = try manager.historyToken
            try await run("INSERT INTO Tag (objectID, name) VALUES (90000, 'foreign')", at: manager.url)
            let entry = try #require(try manager.history(after: token).first)
            #expect(entry.isForeign && entry.author == nil && entry.scope == .objects)
            #expect(entry.changes.map(\.kind) == [.inserted])
            #expect(entry.changes.map(\.objectID) == [ObjectID(entityName: "Tag", rowID: 90_000)])
        }
    }

    @Test func idsOfAnotherProgramAreNotUsedAgain() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            try SQLiteStorageManager(model: Shop.model, url: url).close()
            try await run("INSERT INTO Tag (objectID, name) VALUES (90000, 'foreign')", at: url)
            let manager = try SQLiteStorageManager(
                model: Shop.model,
                url: url,
                configuration: .init(viewQueue: DispatchQueue(label: "view"))
            )
            let ids = try await insertTags(["b"], in: manager)
            #expect(ids[0].rowID > 90_000)
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    @Test func idThatAnotherProgramChoseFromReservedBlockIsNotUsedAgain() async throws {
        try await withStorage(.file) { manager in
            let first = try await insertTags(["a"], in: manager)
            try await run("INSERT INTO Tag (name) VALUES ('foreign')", at: manager.url)
            let second = try await insertTags(["b"], in: manager)
            #expect(second[0].rowID > first[0].rowID + 1)
            #expect(try manager.viewStorage.countObjects(ofType: Tag.self) == 3)
        }
    }

    @Test func bulkUpdateOfAnotherProgramIsOneEntry() async throws {
        try await withStorage(.file) { manager in
            let ids = try await insertTags(["a", "b", "c"], in: manager)
            let token = try manager.historyToken
            try await run("UPDATE Tag SET name = name || '!'; DELETE FROM Tag WHERE name = 'c!'", at: manager.url)
            let entries = try manager.history(after: token)
            #expect(entries.count == 1)
            #expect(entries.first?.changes.map(\.objectID) == ids)
            #expect(entries.first?.changes.map(\.kind) == [.updated, .updated, .deleted])
            #expect(entries.first?.changes.allSatisfy { $0.properties == nil } == true)
        }
    }

    @Test func saveRunsNoTriggerOfLarder() async throws {
        try await withStorage(.file) { manager in
            _ = try await insertTags(["a"], in: manager)
            #expect(try await !runsTriggers(manager))
            try await run("CREATE TRIGGER theirs AFTER INSERT ON Item BEGIN SELECT 1; END", at: manager.url)
            _ = try await insertTags(["b"], in: manager)
            #expect(try await runsTriggers(manager))
            try await run("DROP TRIGGER theirs", at: manager.url)
            _ = try await insertTags(["c"], in: manager)
            #expect(try await !runsTriggers(manager))
            #expect(try manager.history(after: nil).allSatisfy { !$0.isForeign && $0.changes.count == 1 })
        }
    }

    @Test func fileWithProgramTriggersRecordsEachChangeOnce() async throws {
        try await withStorage(.file) { manager in
            let tags = try await insertTags(["a", "b"], in: manager)
            try await run(
                """
                CREATE TABLE search (name TEXT);
                CREATE TRIGGER find AFTER UPDATE ON Tag WHEN new.name = 'z' BEGIN
                    INSERT INTO search VALUES (new.name);
                    UPDATE Tag SET name = 'second' WHERE objectID = \(tags[1].rowID);
                    INSERT INTO Item (objectID, name, quantity) VALUES (70000, 'triggered', 1);
                END
                """,
                at: manager.url
            )
            let token = try manager.historyToken
            let order = try await manager.performAndSave { storage in
                for tag in try storage.allObjects(ofType: Tag.self) where tag.name == "a" { tag.name = "z" }
                let order = try storage.insertNewObject(ofType: Order.self)
                order.number = 1
                order.tags = try storage.allObjects(ofType: Tag.self, matching: \.name == "z")
                return order.objectID
            }
            let entries = try manager.history(after: token)
            #expect(entries.count == 1 && entries.first?.isForeign == false)
            let entry = try #require(entries.first)
            let changes = Dictionary(uniqueKeysWithValues: entry.changes.map { ($0.objectID, $0) })
            #expect(Set(changes.keys) == Set(tags + [order, ObjectID(entityName: "Item", rowID: 70_000)]))
            #expect(changes[tags[0]]?.properties == ["name", "orders"])
            #expect(changes[order]?.kind == .inserted)
            // The view has merged what the trigger changed.
            let names = try manager.viewStorage.allObjects(ofType: Tag.self).map(\.name)
            #expect(names == ["z", "second"])
            #expect(try manager.viewStorage.countObjects(ofType: Item.self) == 1)
            let found = try await manager.write { try String.fetchAll($0, sql: "SELECT name FROM search") }
            #expect(found == ["z"])
        }
    }

    @Test func rawSQLRunsTriggersOfProgramsAndIsRecordedOnce() async throws {
        try await withStorage(.file) { manager in
            let tags = try await insertTags(["a", "b"], in: manager)
            try await run(
                "CREATE TRIGGER mark AFTER UPDATE ON Tag BEGIN UPDATE Tag SET name = new.name || '!' WHERE name = new.name; END",
                at: manager.url
            )
            let token = try manager.historyToken
            try await manager.write { try $0.execute(sql: "UPDATE Tag SET name = 'c' WHERE name = 'a'") }
            let entries = try manager.history(after: token)
            #expect(entries.map { $0.changes.map(\.objectID) } == [[tags[0]]])
            #expect(entries.first?.isForeign == false && entries.first?.changes.first?.properties == ["name"])
            #expect(try manager.viewStorage.allObjects(ofType: Tag.self).map(\.name) == ["c!", "b"])
        }
    }

    @Test func resetWithProgramTriggersIsOneEntry() async throws {
        try await withStorage(.file) { manager in
            _ = try await insertTags(["a", "b"], in: manager)
            try await run("CREATE TRIGGER theirs AFTER DELETE ON Tag BEGIN SELECT 1; END", at: manager.url)
            let token = try manager.historyToken
            try manager.reset()
            #expect(try manager.history(after: token).map(\.scope) == [.reset])
        }
    }

    // MARK: Ids

    @Test func idOfTrimmedSaveIsNotUsedAgain() async throws {
        try await withStorage(.file) { manager in
            let first = try await insertTags(["a"], in: manager)
            try await run(
                """
                INSERT INTO Tag (name) VALUES ('foreign');
                UPDATE larder_timeline SET trimmed = (SELECT max(token) FROM larder_save);
                DELETE FROM larder_save;
                INSERT INTO larder_save (token, changes) SELECT trimmed + 1, '{}' FROM larder_timeline;
                """,
                at: manager.url
            )
            let second = try await insertTags(["b"], in: manager)
            #expect(second[0].rowID > first[0].rowID + 1)
        }
    }

    @Test func idThatTriggerOfAnotherProgramChoseIsNotUsedAgain() async throws {
        try await withStorage(.file) { manager in
            _ = try await insertTags(["a"], in: manager)
            try await run(
                """
                CREATE TRIGGER theirs AFTER INSERT ON Item BEGIN
                    INSERT INTO Tag (name) VALUES ('x' || new.objectID);
                    INSERT INTO Tag (name) VALUES ('y' || new.objectID);
                END
                """,
                at: manager.url
            )
            try await manager.performAndSave { _ = try $0.insertNewObject(ofType: Item.self) }
            let ids = try await insertTags(["b"], in: manager)
            #expect(ids[0].rowID > 3)
            #expect(try manager.viewStorage.countObjects(ofType: Tag.self) == 4)
        }
    }

    /// The ids are in the block that the manager has reserved, and after it.
    @Test(arguments: [4_000, 90_000]) func writeAfterLargeForeignIDHasIDs(_ id: Int) async throws {
        try await withStorage(.file) { manager in
            _ = try await insertTags(["a"], in: manager)
            try await run("INSERT INTO Tag (objectID, name) VALUES (\(id), 'foreign')", at: manager.url)
            try await manager.write { database in
                for number in 0..<2_000 {
                    try database.execute(
                        sql: "INSERT INTO Tag (objectID, name) VALUES (larder_next_id(), ?)",
                        arguments: [number]
                    )
                }
            }
            #expect(try manager.viewStorage.countObjects(ofType: Tag.self) == 2_002)
        }
    }

    // MARK: Triggers

    private func triggers(at url: URL) async throws -> [String?] {
        try await SchemaProbe.values(of: url, "SELECT sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
    }

    @Test func droppedTriggersAreCreatedAgain() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            let open = {
                try SQLiteStorageManager(
                    model: Shop.model,
                    url: url,
                    configuration: .init(viewQueue: DispatchQueue(label: "view"))
                )
            }
            let first = try open()
            _ = try await insertTags(["a"], in: first)
            let token = try first.historyToken
            let expected = try await triggers(at: url)
            try await run(
                "DROP TRIGGER \"larder.insert.Tag\"; INSERT INTO Tag (objectID, name) VALUES (50000, 'foreign')",
                at: url
            )
            // The first manager has the file open, and must learn that it missed something.
            let view = try #require(try first.viewStorage.allObjects(ofType: Tag.self).first)
            try await run("DROP TRIGGER \"larder.update.Tag\"; UPDATE Tag SET name = name || '!'", at: url)
            let second = try open()
            #expect(try await triggers(at: url) == expected)
            #expect(try second.history(after: token).map(\.scope) == [.anything])
            try await waitUntil("the merge") { view.name == "a!" }
            let ids = try await insertTags(["b"], in: second) + insertTags(["c"], in: first)
            #expect(ids[0].rowID > 50_000)
            #expect(try second.verify().problems == [])
            try second.close()
            try first.close()
            try open().close()
            #expect(try await triggers(at: url) == expected)
        }
    }

    @Test func renewalHasConfiguredTime() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            try SQLiteStorageManager(model: Shop.model, url: url).close()
            try await run("DROP TRIGGER \"larder.insert.Tag\"", at: url)
            var configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
            configuration.time = ManualTimeSource(now: Date(timeIntervalSinceReferenceDate: 1_000))
            let manager = try SQLiteStorageManager(model: Shop.model, url: url, configuration: configuration)
            #expect(try manager.history(after: nil).last?.time == Date(timeIntervalSinceReferenceDate: 1_000))
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    // MARK: Rows that are replaced

    /// Runs SQL in a file with the tags "a" and "b", and returns what the history records.
    private func changes(
        of sql: String,
        _ check: (SQLiteStorageManager, [Tag], [ObjectID]) async throws -> Void = { _, _, _ in }
    ) async throws -> [ObjectChange] {
        try await withStorage(.file) { manager in
            let ids = try await insertTags(["a", "b"], in: manager)
            let tags = try ids.map { try #require(try manager.viewStorage.loadObject(ofType: Tag.self, with: $0)) }
            let token = try manager.historyToken
            try await run(sql, at: manager.url)
            try await check(manager, tags, ids)
            return try manager.history(after: token).flatMap(\.changes)
        }
    }

    @Test func replaceInEntityWithUniqueValuesIsRecorded() async throws {
        let changes = try await changes(of: "INSERT OR REPLACE INTO Tag (objectID, name) VALUES (7, 'a')") {
            manager,
            tags,
            _ in
            try await waitUntil("the merge") { tags[0].isDeleted }
            #expect(try manager.viewStorage.allObjects(ofType: Tag.self).map(\.name).sorted() == ["a", "b"])
        }
        #expect(changes.map(\.kind) == [.deleted, .inserted] && changes.map(\.objectID.rowID) == [1, 7])
    }

    @Test func replacingUpdateInEntityWithUniqueValuesIsRecorded() async throws {
        let changes = try await changes(of: "UPDATE OR REPLACE Tag SET name = 'b' WHERE name = 'a'") { _, tags, _ in
            try await waitUntil("the merge") { tags[1].isDeleted && tags[0].name == "b" }
        }
        #expect(changes.map(\.kind) == [.updated, .deleted] && changes.map(\.objectID.rowID) == [1, 2])
    }

    @Test func severalReplacedRowsAreRecorded() async throws {
        let changes = try await changes(
            of: """
                WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 40)
                INSERT INTO Tag (objectID, name) SELECT 100 + n, 'n' || n FROM numbers;
                INSERT OR REPLACE INTO Tag (objectID, name) SELECT objectID + 1000, name FROM Tag;
                """
        )
        #expect(changes.count { $0.kind == .inserted } == 42)
        // Objects that the program itself inserted and deleted are listed as deleted too; see `HistoryEntry.isForeign`.
        #expect(changes.filter { $0.kind == .deleted }.map(\.objectID.rowID) == [1, 2] + Array(101...140))
    }

    @Test func conflictThatReplacesNothingRecordsNoDeletion() async throws {
        let changes = try await changes(
            of: """
                INSERT OR IGNORE INTO Tag (objectID, name) VALUES (7, 'a');
                INSERT INTO Tag (objectID, name) VALUES (8, 'b') ON CONFLICT (name) DO UPDATE SET name = 'c';
                INSERT OR REPLACE INTO Tag (objectID, name) VALUES (1, 'a');
                """
        ) { manager, tags, _ in
            try await waitUntil("the merge") { tags[1].name == "c" }
            #expect(!tags[0].isDeleted)
        }
        #expect(changes.map(\.kind) == [.inserted, .updated] && changes.map(\.objectID.rowID) == [1, 2])
    }

    @Test func ignoredConflictHasNoEntry() async throws {
        try await withStorage(.file) { manager in
            _ = try await insertTags(["a", "b"], in: manager)
            try await run("INSERT OR IGNORE INTO Tag (name) VALUES ('a'), ('b')", at: manager.url)
            #expect(try manager.history(after: nil).map(\.isForeign) == [false])
        }
    }

    @Test func ignoredConflictBeforeSaveIsNoDeletion() async throws {
        try await withStorage(.file) { manager in
            let ids = try await insertTags(["a", "b"], in: manager)
            let token = try manager.historyToken
            try await run("INSERT OR IGNORE INTO Tag (name) VALUES ('a')", at: manager.url)
            try await manager.performAndSave { storage in
                try storage.deleteObject(try #require(try storage.loadObject(ofType: Tag.self, with: ids[0])))
            }
            try await run("INSERT INTO Tag (name) VALUES ('c')", at: manager.url)
            let entries = try manager.history(after: token)
            #expect(entries.map(\.isForeign) == [false, true])
            #expect(entries.map { $0.changes.map(\.kind) } == [[.deleted], [.inserted]])
        }
    }

    @Test func ignoredConflictsDoNotDisplaceSaves() async throws {
        try await withStorage(.file) { manager in
            _ = try await insertTags((0..<1_200).map { "t\($0)" }, in: manager)
            let token = try manager.historyToken
            _ = try await insertTags(["a"], in: manager)
            try await run("INSERT OR IGNORE INTO Tag (name) SELECT name FROM Tag", at: manager.url)
            _ = try await insertTags(["b"], in: manager)
            #expect(try manager.history(after: token).map(\.isForeign) == [false, false])
            let rows = try await manager.write { try Int.fetchOne($0, sql: "SELECT count(*) FROM larder_save") }
            #expect(rows ?? .max < 50)
        }
    }

    @Test func failedInsertionRecordsNothing() async throws {
        try await withStorage(.file) { manager in
            _ = try await insertTags(["a"], in: manager)
            let token = try manager.historyToken
            await #expect(throws: DatabaseError.self) {
                try await run("INSERT INTO Tag (objectID, name) VALUES (7, 'a')", at: manager.url)
            }
            #expect(try manager.history(after: token).isEmpty)
        }
    }
}
#endif
