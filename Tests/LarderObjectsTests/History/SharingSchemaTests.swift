#if Objects
import Foundation
import GRDB
@testable import LarderObjects
import Testing

/// Tests of the triggers that record the changes of other programs, and of reading what they record.
@Suite struct SharingSchemaTests {
    /// Runs `body` with a database in memory that has the tables and triggers of a schema.
    private func withTables(
        _ schema: SchemaDescription? = nil,
        _ body: (Database, SaveReader) throws -> Void
    ) throws {
        let schema = try schema ?? SchemaDescription(Shop.model.resolved())
        try DatabaseQueue().write { database in
            let statements = StatementCache(database)
            try statements.run("CREATE TABLE larder_sequence (next INTEGER NOT NULL) STRICT")
            try statements.run("INSERT INTO larder_sequence VALUES (1)")
            try SharingSchema.createTables(statements)
            for statement in SchemaStatements(schema).everything() { try statements.run(statement) }
            try SharingSchema.createTriggers(schema, statements)
            #expect(try !SharingSchema.hasForeignTriggers(statements))
            try body(database, SaveReader(statements: statements))
        }
    }

    private func texts(_ rows: [SavedRow]) -> [String] {
        rows.flatMap { SaveText.write($0.changes) }.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func eachChangeOfAnotherProgramAddsARow() throws {
        try withTables { database, reader in
            try database.execute(
                sql: """
                    INSERT INTO Customer (objectID, name) VALUES (7, 'Ada'), (8, 'Eve');
                    UPDATE Customer SET age = 36 WHERE objectID = 7;
                    DELETE FROM Customer WHERE objectID = 8;
                    UPDATE Customer SET objectID = 9 WHERE objectID = 7;
                    INSERT INTO Tag (objectID, name) VALUES (1, 'red');
                    INSERT INTO "Order" (objectID) VALUES (2), (3);
                    INSERT INTO "Order.tags" (source, target) VALUES (2, 1);
                    UPDATE "Order.tags" SET source = 3;
                    DELETE FROM "Order.tags";
                    """
            )
            let rows = try Row.fetchAll(database, sql: "SELECT * FROM larder_save ORDER BY token")
            #expect(
                rows.map { $0["changes"] } == [
                    #"{"Customer":{"inserted":[7]}}"#, #"{"Customer":{"inserted":[8]}}"#,
                    #"{"Customer":{"updated":[7]}}"#, #"{"Customer":{"deleted":[8]}}"#,
                    #"{"Customer":{"inserted":[9],"deleted":[7]}}"#, #"{"Tag":{"inserted":[1]}}"#,
                    #"{"Order":{"inserted":[2]}}"#, #"{"Order":{"inserted":[3]}}"#,
                    #"{"Order.tags":{"inserted":[[2,1]]}}"#,
                    #"{"Order.tags":{"inserted":[[3,1]],"deleted":[[2,1]]}}"#, #"{"Order.tags":{"deleted":[[3,1]]}}"#,
                ]
            )
            #expect(rows.allSatisfy { $0["process"] == nil && $0["author"] == nil && $0["last"] == 1 })
            // A reader sees them as one change of unknown columns.
            let saves = try reader.rows(after: 0)
            #expect(saves.count == 1 && saves.allSatisfy { $0.isForeign && $0.token == 11 })
            #expect(
                texts(saves) == [
                    #"{"Customer":{"inserted":[9],"deleted":[[7,8]]},"Order":{"inserted":[[2,3]]},"Tag":{"inserted":[1]},"#
                        + #""Order.tags":{"deleted":[[2,1],[3,1]]}}"#
                ]
            )
        }
    }

    @Test func triggersRaiseSequence() throws {
        try withTables { database, _ in
            for (sql, next) in [
                ("INSERT INTO Tag (objectID, name) VALUES (41, 'a')", 42),
                ("INSERT INTO Tag (objectID, name) VALUES (5, 'b')", 42),
                ("UPDATE Tag SET objectID = 100 WHERE objectID = 5", 101),
                ("INSERT INTO Tag (objectID, name) VALUES (9223372036854775807, 'c')", .max),
            ] as [(String, Int64)] {
                try database.execute(sql: sql)
                #expect(try Int64.fetchOne(database, sql: "SELECT next FROM larder_sequence") == next)
            }
        }
    }

    @Test func columnsCanBeAddedAndDropped() throws {
        try withTables { database, reader in
            try database.execute(
                sql: """
                    ALTER TABLE Item DROP COLUMN name; ALTER TABLE Item ADD COLUMN price REAL;
                    INSERT INTO Item (objectID, price) VALUES (1, 5);
                    """
            )
            #expect(try texts(reader.rows(after: 0)) == [#"{"Item":{"inserted":[1]}}"#])
            try SharingSchema.dropTriggers(reader.statements)
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'") == 0)
        }
    }

    @Test func namesAreQuoted() throws {
        let name = "it's \"quoted\"\\\n"
        let schema = SchemaDescription(
            entities: [.init(name: name, columns: [], relationships: [], unique: [], indexes: [])]
        )
        try withTables(schema) { database, reader in
            try database.execute(sql: "INSERT INTO \(name.quotedIdentifier) VALUES (1)")
            let changes = try reader.rows(after: 0).map(\.changes)
            #expect(changes == [SavedChanges(objects: [.init(entity: name, kind: .inserted, ids: [1...1])])])
        }
    }

    @Test func rowsOfOneSaveAreJoined() throws {
        try withTables { database, reader in
            var changes = RowChanges(entities: 1)
            for id in 1...25_000 as ClosedRange<Int64> { changes.insert(0, 2 * id) }
            let saved = SavedChanges(changes, SaveNames([.init(name: "Tag", columns: [])]))
            let recorder = SaveRecorder(statements: reader.statements, author: "a")
            #expect(try recorder.record(saved) == 1...3)
            try database.execute(sql: "INSERT INTO Tag (objectID, name) VALUES (1, 'x')")
            try database.execute(sql: "DELETE FROM Tag")
            #expect(try recorder.record(SavedChanges(scope: .reset)) == 6...6)
            try database.execute(sql: "INSERT INTO larder_save (changes) VALUES ('nonsense')")
            let rows = try reader.rows(after: 0)
            #expect(rows.map(\.token) == [3, 5, 6, 7])
            #expect(rows.map(\.isForeign) == [false, true, false, true])
            #expect(rows.map(\.author) == ["a", nil, "a", nil])
            #expect(rows[0].changes.count == 25_000)
            #expect(rows[1].changes.objects == [.init(entity: "Tag", kind: .deleted, ids: [1...1])])
            #expect(rows.suffix(2).map(\.changes.scope) == [.reset, .anything])
            #expect(try reader.rows(after: 0, limit: 2).map(\.token) == [3, 5])
            #expect(try reader.rows(after: 5).map(\.token) == [6, 7])
            #expect(try reader.newest() == 7 && reader.trimmed() == 0)
        }
    }

    /// Records saves of one object until the history has a token.
    private func record(upTo token: Int64, _ recorder: SaveRecorder) throws {
        let changes = SavedChanges(objects: [.init(entity: "Tag", kind: .inserted, ids: [1...1])])
        while try SaveReader(statements: recorder.statements).newest() < token {
            _ = try commit(recorder) { try recorder.record(changes) }
        }
    }

    /// Runs a closure whose save counts as committed.
    private func commit<Result>(_ recorder: SaveRecorder, _ body: () throws -> Result) throws -> Result {
        try recorder.schedule?.whileCommitting(body) ?? body()
    }

    private func recorder(_ reader: SaveReader, newest: Int64 = 0) -> SaveRecorder {
        SaveRecorder(
            statements: reader.statements,
            author: nil,
            schedule: TrimmingSchedule(newest: newest, trimmed: 0)
        )
    }

    @Test func historyOfUnknownPolicyIsNotTrimmed() throws {
        try withTables { database, reader in
            try database.execute(sql: "UPDATE larder_timeline SET keeps = 9")
            let recorder = recorder(reader)
            try record(upTo: 1_400, recorder)
            #expect(try reader.trimmed() == 0 && reader.rows(after: 0).count == 1_400)
            try database.execute(sql: "UPDATE larder_timeline SET keeps = 0")
            try record(upTo: 1_600, recorder)
            #expect(try reader.trimmed() == 536)
        }
    }

    @Test func tokensOfOtherProgramsCauseTrimming() throws {
        try withTables { database, reader in
            let recorder = recorder(reader)
            for token in stride(from: Int64(256), through: 1_536, by: 256) {
                try record(upTo: token - 1, recorder)
                // The manager's own tokens are never multiples of 256.
                try database.execute(sql: "INSERT INTO larder_save (changes) VALUES ('{}')")
            }
            try record(upTo: 1_537, recorder)
            #expect(try reader.trimmed() == 537)
        }
    }

    @Test func firstSaveOfManagerTrimsLongHistory() throws {
        try withTables { _, reader in
            try record(upTo: 1_300, SaveRecorder(statements: reader.statements, author: nil))
            #expect(try reader.trimmed() == 0)
            try record(upTo: 1_301, recorder(reader, newest: 1_300))
            #expect(try reader.trimmed() == 301)
        }
    }

    @Test(arguments: [
        "INSERT INTO Tag (objectID, name) VALUES (1, 'x'); DELETE FROM Tag WHERE objectID = 1",
        // No trigger tells that the object existed.
        "INSERT OR REPLACE INTO Tag (objectID, name) VALUES (2, 'x'); DELETE FROM Tag WHERE objectID = 2",
    ])
    func insertedAndDeletedObjectIsDeleted(_ sql: String) throws {
        try withTables { database, reader in
            try database.execute(sql: "INSERT INTO Tag (objectID, name) VALUES (2, 'y')")
            try database.execute(sql: sql)
            let changes = try reader.rows(after: 1).map(\.changes)
            #expect(changes.flatMap(\.objects).map(\.kind) == [.deleted])
        }
    }

    @Test func rowsWithoutChangesAreOmitted() throws {
        try withTables { database, reader in
            let recorder = SaveRecorder(statements: reader.statements, author: nil)
            let note = "INSERT INTO larder_save (changes) VALUES ('{\"Tag\":{\"replaced\":[1]}}')"
            for _ in 0..<2 {
                try database.execute(sql: "\(note); \(note)")
                try recorder.record(SavedChanges(scope: .reset))
            }
            try database.execute(sql: note)
            #expect(try reader.rows(after: 0).map(\.token) == [3, 6])
            #expect(try reader.rows(after: 0, limit: 1).map(\.token) == [3])
            #expect(try reader.rows(after: 6).isEmpty)
        }
    }

    // MARK: Trimming

    private func size(_ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT total(length(changes)) FROM larder_save") ?? 0
    }

    @Test func writesOfOtherProgramsCountForSizeLimit() throws {
        try withTables { database, reader in
            try database.execute(sql: "UPDATE larder_timeline SET keeps = 1, bytes = 10000")
            let recorder = recorder(reader)
            try record(upTo: 256, recorder)
            let text = "{\"unknown\":\"\(String(repeating: "x", count: 100))\"}"
            for _ in 0..<300 {
                try database.execute(sql: "INSERT INTO larder_save (changes) VALUES (?)", arguments: [text])
            }
            #expect(try size(database) > 30_000)
            try record(upTo: 557, recorder)
            #expect(try size(database) <= 10_000)
        }
    }

    @Test(arguments: ["1e300", "9e999", "-1e300"]) func hugeAgeIsValid(_ age: String) throws {
        try withTables { database, reader in
            try database.execute(sql: "UPDATE larder_timeline SET keeps = 1, age = \(age)")
            try record(upTo: 256, recorder(reader))
            #expect(try reader.rows(after: 0).count == (age.hasPrefix("-") ? 1 : 256))
        }
    }

    @Test func sizeLimitRemovesSaveOfSeveralRows() throws {
        try withTables { database, reader in
            let recorder = SaveRecorder(statements: reader.statements, author: nil)
            let large = SavedChanges(
                objects: [.init(entity: "Tag", kind: .inserted, ids: (1...25_000).map { (2 * $0)...(2 * $0) })]
            )
            for _ in 0..<3 { try recorder.record(large) }
            let sizes = try Int.fetchAll(database, sql: "SELECT length(changes) FROM larder_save ORDER BY token")
            #expect(sizes.count == 9)
            func removed(newest rows: Int, _ more: Int = 0) throws -> Int64? {
                try HistoryLimit.bytes(sizes.suffix(rows).reduce(more, +))
                    .lastRemoved(reader.statements, now: Date(timeIntervalSinceReferenceDate: 0))
            }
            #expect(try removed(newest: 9) == nil)
            #expect(try removed(newest: 9, -1) == 3)
            #expect(try removed(newest: 6) == 3)
            #expect(try removed(newest: 6, -1) == 6)
            // The newest save exceeds the limit.
            #expect(try removed(newest: 2) == 6)
            #expect(try removed(newest: 0) == 6)
        }
    }

    @Test func trimmingRemovesWholeSaves() throws {
        try withTables { _, reader in
            let recorder = SaveRecorder(statements: reader.statements, author: nil)
            let large = SavedChanges(
                objects: [.init(entity: "Tag", kind: .inserted, ids: (1...25_000).map { (2 * $0)...(2 * $0) })]
            )
            for _ in 0..<3 { try recorder.record(large) }
            // The limit is inside the second save.
            try recorder.trim(rows: 4, bytes: .max)
            #expect(try reader.rows(after: 0).map(\.token) == [6, 9])
            #expect(try reader.trimmed() == 3)
            try recorder.trim(rows: 100, bytes: 1)
            #expect(try reader.rows(after: 0).map(\.token) == [9])
            try recorder.trim(rows: 0, bytes: 0)
            #expect(try reader.rows(after: 0).map(\.token) == [9] && reader.trimmed() == 6)
        }
    }
}
#endif
