#if Objects
import Foundation
import LarderCore
import LarderObjects
import Testing

/// Tests of upserts whose values conflict with existing objects in a unique property other than the key.
@Suite struct UniqueConflictTests {
    @Entity(unique: [["country", "number"]]) final class Account {
        @Attribute(.unique) var key = 0
        @Attribute(.unique) var mail: String?
        var country = "de"
        var number = 0
        @Relationship(deleteRule: .cascade, inverse: \Entry.account, ordered: true) var entries: [Entry]
        @Relationship(inverse: \Owner.account) var owner: Owner?
    }
    @Entity final class Entry {
        var text = ""
        @Relationship var account: Account?
    }
    @Entity final class Owner {
        var name = ""
        @Relationship var account: Account?
    }
    struct Row: Sendable {
        var key: Int
        var mail: String?
        var number: Int
    }
    private static let model = ObjectModel([Account.self, Entry.self, Owner.self])

    private func withAccounts(_ body: (SQLiteStorageManager) async throws -> Void) async throws {
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave { storage in
                for key in 1...3 {
                    let account = try storage.insertNewObject(ofType: Account.self)
                    (account.key, account.mail, account.number) = (key, "\(key)@a.example", key)
                    let entry = try storage.insertNewObject(ofType: Entry.self)
                    entry.text = "of \(key)"
                    account.addToEntries(entry)
                    let owner = try storage.insertNewObject(ofType: Owner.self)
                    owner.name = "owner \(key)"
                    account.owner = owner
                }
            }
            try await body(manager)
        }
    }

    private func upsert(_ rows: [Row], _ storage: any WritableStorageType) throws -> SyncResult {
        try storage.upsert(rows, into: Account.self, by: \.key, key: \.key) {
            ($0.key, $0.mail, $0.number) = ($1.key, $1.mail, $1.number)
        }
    }

    @Test func conflictingObjectsAreMergedIntoObjectWithMatchingKey() async throws {
        try await withAccounts { manager in
            let result = try await manager.performAndSave { storage in
                try upsert([Row(key: 1, mail: "2@a.example", number: 3)], storage)
            }
            #expect(result.updated.count == 1 && result.deleted.count == 2)
            let account = try #require(try manager.viewStorage.firstObject(ofType: Account.self))
            #expect(try manager.viewStorage.countObjects(ofType: Account.self) == 1)
            #expect(account.entries.map(\.text).sorted() == ["of 1", "of 2", "of 3"])
            #expect(account.owner?.name == "owner 1")
            #expect(try manager.viewStorage.countObjects(ofType: Owner.self) == 3)
        }
    }

    @Test func upsertedObjectInheritsLinksOfConflictingObject() async throws {
        try await withAccounts { manager in
            try await manager.performAndSave { storage in
                _ = try upsert([Row(key: 9, mail: "2@a.example", number: 9)], storage)
            }
            let account = try #require(
                try manager.viewStorage.firstObject(ofType: Account.self, matching: \.key == 9)
            )
            #expect(account.entries.map(\.text) == ["of 2"] && account.owner?.name == "owner 2")
            #expect(try manager.viewStorage.countObjects(ofType: Account.self) == 3)
        }
    }

    @Test func swappedUniqueValuesDoNotConflict() async throws {
        try await withAccounts { manager in
            let result = try await manager.performAndSave { storage in
                try upsert(
                    [Row(key: 1, mail: "2@a.example", number: 2), Row(key: 2, mail: "1@a.example", number: 1)],
                    storage
                )
            }
            #expect(result.updated.count == 2 && result.deleted.isEmpty)
            let accounts = try manager.viewStorage.allObjects(ofType: Account.self)
            #expect(accounts.map(\.mail) == ["2@a.example", "1@a.example", "3@a.example"])
        }
    }

    @Test func upsertOfValuesWithSameUniqueValueFails() async throws {
        try await withAccounts { manager in
            let error = await #expect(throws: ObjectError.self) {
                try await manager.performAndSave { storage in
                    _ = try upsert([Row(key: 8, mail: "x", number: 8), Row(key: 9, mail: "x", number: 9)], storage)
                }
            }
            #expect(error?.code == .duplicate)
            let count = try manager.viewStorage.countObjects(ofType: Account.self)
            #expect(count == 3)
        }
    }

    @Test func syncAppliesDeleteRulesToConflictingObjects() async throws {
        try await withAccounts { manager in
            let result = try await manager.performAndSave { storage in
                try storage.sync(
                    [Row(key: 1, mail: "2@a.example", number: 3)],
                    into: Account.self,
                    by: \.key,
                    key: \.key
                ) { ($0.key, $0.mail, $0.number) = ($1.key, $1.mail, $1.number) }
            }
            #expect(result.deleted.count == 2)
            let entries = try manager.viewStorage.allObjects(ofType: Entry.self).map(\.text)
            #expect(entries == ["of 1"])
        }
    }

    @Test func nilUniqueValuesDoNotConflict() async throws {
        try await withAccounts { manager in
            try await manager.performAndSave { storage in
                _ = try upsert([Row(key: 1, mail: nil, number: 1), Row(key: 2, mail: nil, number: 2)], storage)
            }
            #expect(try manager.viewStorage.countObjects(ofType: Account.self, matching: \.mail == nil) == 2)
        }
    }
}
#endif
