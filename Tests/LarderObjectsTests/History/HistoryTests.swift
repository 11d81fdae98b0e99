#if Objects
import Foundation
import GRDB
import LarderCore
@testable import LarderObjects
import LarderTestSupport
import Testing

/// Tests of the public history of saves.
@Suite struct HistoryTests {
    @discardableResult
    private func insertTag(_ name: String, in manager: SQLiteStorageManager) async throws -> ObjectID {
        try await manager.performAndSave { storage in
            let tag = try storage.insertNewObject(ofType: Tag.self)
            tag.name = name
            return tag.objectID
        }
    }

    private func expectExpired(_ body: () throws -> Void) {
        let error = #expect(throws: ObjectError.self) { try body() }
        #expect(error?.code == .historyExpired)
    }

    @Test(arguments: Place.allCases) func historyAfterTokenHasLaterSaves(_ place: Place) async throws {
        try await withStorage(place) { manager in
            let first = try await insertTag("a", in: manager)
            let token = try manager.historyToken
            #expect(try manager.history(after: token).isEmpty)
            try await manager.performAndSave { try $0.firstObject(ofType: Tag.self)?.name = "b" }
            try await manager.performAndSave { storage in
                storage.author = "import"
                try storage.deleteAllObjects(ofType: Tag.self)
            }
            let entries = try manager.history(after: token)
            #expect(
                entries.map(\.changes) == [
                    [ObjectChange(.updated, first, ["name"])], [ObjectChange(.deleted, first)],
                ]
            )
            #expect(entries.allSatisfy { !$0.isForeign && $0.scope == .objects })
            #expect(entries[1].author == "import" && entries[0].author != nil)
            #expect(entries[1].token == (try manager.historyToken))
            #expect(abs(entries[0].time.timeIntervalSinceNow) < 600)
            #expect(try manager.history(after: nil).count == 3)
            #expect(try manager.history(after: token, limit: 1) == [entries[0]])
            #expect(try manager.history(after: entries[0].token) == [entries[1]])
        }
    }

    @Test func historyWithLimitZeroIsEmpty() async throws {
        try await withStorage { manager in
            try await insertTag("a", in: manager)
            #expect(try manager.history(after: nil, limit: 0).isEmpty)
        }
    }

    @Test func verificationFindsUnreadableRecord() async throws {
        try await withStorage(.file) { manager in
            try await insertTag("a", in: manager)
            try await manager.write { try $0.execute(sql: "UPDATE larder_save SET changes = '{' WHERE token = 1") }
            let problems = try manager.verify().problems
            #expect(problems.map(\.key) == ["larder_save/1"])
            #expect(problems.first?.message.contains("can't be read from byte 1") == true)
            let database = try ObjectDatabase(reading: manager.url.path)
            #expect(try database.verify(deep: false).problems == problems)
            database.close()
            try await insertTag("b", in: manager)
            try manager.trimHistory(to: .bytes(0))
            #expect(try manager.verify().problems == [])
            try await manager.write { try $0.execute(sql: "UPDATE larder_timeline SET trimmed = 99") }
            #expect(try manager.verify().problems.first?.message.contains("tokens of removed ones") == true)
            try await manager.write { database in
                try database.execute(sql: "DELETE FROM larder_timeline")
            }
            #expect(try manager.verify().problems.map(\.key) == ["larder_timeline"])
            try await manager.write { try $0.execute(sql: "INSERT INTO larder_timeline (id) VALUES (1)") }
        }
    }

    @Test func changedLinkNamesBothObjects() async throws {
        try await withStorage { manager in
            let (order, tag) = try await manager.performAndSave { storage in
                let order = try storage.insertNewObject(ofType: Order.self)
                order.number = 1
                return (order.objectID, try storage.insertNewObject(ofType: Tag.self).objectID)
            }
            let token = try manager.historyToken
            try await manager.performAndSave { storage in
                let order = try #require(try storage.firstObject(ofType: Order.self))
                order.tags = try storage.allObjects(ofType: Tag.self)
                order.note = "linked"
            }
            #expect(
                try manager.history(after: token).map(\.changes) == [
                    [ObjectChange(.updated, order, ["note", "tags"]), ObjectChange(.updated, tag, ["orders"])]
                ]
            )
        }
    }

    @Test func resetIsOneEntry() async throws {
        try await withStorage { manager in
            try await insertTag("a", in: manager)
            let token = try manager.historyToken
            try manager.reset()
            #expect(try manager.history(after: token).map(\.scope) == [.reset])
        }
    }

    @Test func rawSQLIsRecorded() async throws {
        try await withStorage { manager in
            let id = try await insertTag("a", in: manager)
            let token = try manager.historyToken
            try await manager.write { try $0.execute(sql: "UPDATE Tag SET name = 'b'") }
            #expect(try manager.history(after: token).map(\.changes) == [[ObjectChange(.updated, id, ["name"])]])
        }
    }

    @Test func trimmedTokenThrows() async throws {
        try await withStorage { manager in
            try await insertTag("a", in: manager)
            let first = try manager.historyToken
            try await insertTag("b", in: manager)
            let second = try manager.historyToken
            try await insertTag("c", in: manager)
            #expect(try manager.trimHistory(to: .token(second)) == 2)
            expectExpired { _ = try manager.history(after: first) }
            #expect(try manager.history(after: second).count == 1)
            #expect(try manager.history(after: nil).count == 1)
            #expect(try manager.trimHistory(to: .token(first)) == 0)
        }
    }

    @Test func newestSaveIsNeverTrimmed() async throws {
        try await withStorage { manager in
            for name in ["a", "b", "c"] { try await insertTag(name, in: manager) }
            let newest = try manager.historyToken
            #expect(try manager.trimHistory(to: .token(newest)) == 2)
            #expect(try manager.trimHistory(to: .bytes(0)) == 0)
            #expect(try manager.history(after: nil).map(\.token) == [newest])
            try await insertTag("d", in: manager)
            #expect(try manager.history(after: newest).count == 1)
        }
    }

    @Test func trimmingByAge() async throws {
        try await withStorage { manager in
            for name in ["a", "b", "c"] { try await insertTag(name, in: manager) }
            // The two oldest saves become a day old.
            try await manager.write { database in
                try database.execute(
                    sql:
                        "UPDATE larder_save SET time = time - 86400 WHERE token IN (SELECT token FROM larder_save ORDER BY token LIMIT 2)"
                )
            }
            #expect(try manager.trimHistory(to: .age(.seconds(90_000))) == 0)
            #expect(try manager.trimHistory(to: .age(.seconds(3_600))) == 2)
            #expect(try manager.history(after: nil).count == 1)
        }
    }

    @Test func trimmingBySize() async throws {
        try await withStorage { manager in
            for name in ["a", "b", "c", "d"] { try await insertTag(name, in: manager) }
            let sizes = try await manager.write { database in
                try Int.fetchAll(database, sql: "SELECT length(changes) FROM larder_save ORDER BY token")
            }
            #expect(try manager.trimHistory(to: .bytes(sizes.reduce(0, +))) == 0)
            #expect(try manager.trimHistory(to: .bytes(sizes.suffix(2).reduce(0, +))) == 2)
            #expect(try manager.history(after: nil).count == 2)
        }
    }

    @Test func restoredFileExpiresTokens() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            let backup = folder.appendingPathComponent("backup.sqlite")
            let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
            let manager = try SQLiteStorageManager(model: Shop.model, url: url, configuration: configuration)
            try await insertTag("a", in: manager)
            let before = try manager.historyToken
            _ = try manager.backup(to: backup)
            try await insertTag("lost", in: manager)
            let after = try manager.historyToken
            try manager.close()
            try SQLiteStorageManager.restore(from: backup, to: url)
            let restored = try SQLiteStorageManager(model: Shop.model, url: url, configuration: configuration)
            try await insertTag("b", in: restored)
            for token in [before, after] {
                expectExpired { _ = try restored.history(after: token) }
                expectExpired { try restored.trimHistory(to: .token(token)) }
            }
            #expect(try restored.history(after: nil).count == 2)
            #expect(try restored.verify().problems == [])
            try restored.close()
        }
    }

    @Test func tokenIsCodable() async throws {
        try await withStorage { manager in
            try await insertTag("a", in: manager)
            let token = try manager.historyToken
            let data = try JSONEncoder().encode(token)
            let decoded = try JSONDecoder().decode(HistoryToken.self, from: data)
            #expect(decoded == token)
            try await insertTag("b", in: manager)
            #expect(try manager.history(after: decoded).count == 1)
        }
    }

    @Test func sequenceWaitsForSave() async throws {
        try await withStorage { manager in
            let first = try await insertTag("a", in: manager)
            let updates = manager.historyUpdates(after: nil)
            let seen = Box<[HistoryEntry]>([])
            let reading = Task {
                for try await entry in updates
                where seen.update({
                    $0.append(entry); return $0.count
                }) == 2 { break }
            }
            try await waitUntil("the first save") { seen.value.count == 1 }
            let second = try await insertTag("b", in: manager)
            try await reading.value
            let changes = [first, second].map { [ObjectChange(.inserted, $0)] }
            #expect(seen.value.map(\.changes) == changes)
        }
    }

    @Test func sequenceReturnsEverySave() async throws {
        try await withStorage { manager in
            let saves = 250
            let updates = manager.historyUpdates(after: try manager.historyToken)
            let reading = Task {
                var tokens: [HistoryToken] = []
                for try await entry in updates {
                    tokens.append(entry.token)
                    if tokens.count == saves { break }
                }
                return tokens
            }
            for number in 0..<saves { try await insertTag("\(number)", in: manager) }
            let tokens = try await reading.value
            #expect(tokens == (try manager.history(after: nil).map(\.token)))
        }
    }

    @Test func sequenceEndsWithManager() async throws {
        let manager = try SQLiteStorageManager(
            inMemory: Shop.model,
            configuration: .init(viewQueue: DispatchQueue(label: "view"))
        )
        try await insertTag("a", in: manager)
        let updates = manager.historyUpdates(after: nil)
        let seen = Box(0)
        let reading = Task { for try await _ in updates { seen.update { $0 += 1 } } }
        try await waitUntil("the first save") { seen.value == 1 }
        #expect(try manager.verify().problems == [])
        try manager.close()
        try await reading.value
        #expect(seen.value == 1)
    }
}

extension ObjectChange {
    fileprivate init(_ kind: Kind, _ id: ObjectID, _ properties: Set<String>? = nil) {
        self.init(kind: kind, objectID: id, properties: properties)
    }
}
#endif
