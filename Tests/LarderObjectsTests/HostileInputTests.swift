#if Objects
import Dispatch
import Foundation
import GRDB
import LarderCore
import LarderObjects
import Testing

// If these names were not escaped in SQL, they would end a quoted name, a literal or a statement.
@Entity(unique: [["it's \"unique\"", "--n"]], indexes: [["a); DROP TABLE Tag; --"]])
final class `Robert"); DROP TABLE "Tag"; --` {
    var `it's "unique"`: String = ""
    var `--n`: Int = 0
    @Attribute(.searchable) var `a); DROP TABLE Tag; --`: String = ""
    @Relationship(deleteRule: .cascade, inverse: \Größe.`an "owner"`, ordered: true) var `the "parts"`: [Größe]
    @Relationship(inverse: \Tag2.`"'`) var `%s`: [Tag2]
}

@Entity final class Größe {
    var `select`: Int = 0
    @Relationship var `an "owner"`: `Robert"); DROP TABLE "Tag"; --`?
}

@Entity final class Tag2 {
    var name = ""
    @Relationship var `"'`: [`Robert"); DROP TABLE "Tag"; --`]
}

/// The table that the names above would drop if they were executed.
private enum Victim {
    @Entity final class Tag { var name = "" }
}

private typealias Robert = `Robert"); DROP TABLE "Tag"; --`

/// Tests that SQL in values, names and conditions is never executed.
@Suite struct HostileInputTests {
    private static let model = ObjectModel([Robert.self, Größe.self, Tag2.self, Victim.Tag.self])
    static let texts = [
        "'", "\"", "''; --", "x'); DROP TABLE \"Customer\"; --", "\\", "%", "_", "?", "?1", ":name", "\u{0}", "a\u{0}b",
        "NULL", "1 OR 1=1", "`", "]", "/*", "\n;", "\u{FEFF}", "É", "",
    ]

    @Test(arguments: texts) func sqlInValueIsNotExecuted(_ text: String) async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                for name in ["other", text] {
                    let customer = try storage.insertNewObject(ofType: Customer.self)
                    (customer.name, customer.nickname) = (name, name)
                }
            }
            let view = manager.viewStorage
            let filters: [Filter<Customer>] = [
                \.name == text, \.name =~ text, (\Customer.name).in([text, "absent"]),
                (\Customer.name).between(text...text),
                (\Customer.nickname).in([text]), Filter(#Predicate { $0.name == text }),
                (\Customer.nickname).contains(text) && \.name == text,
                (\Customer.name).hasPrefix(text) && \.name != "other", .any(\.orders, \.note == text) || \.name == text,
            ]
            for (index, filter) in filters.enumerated() {
                let names = try view.allObjects(ofType: Customer.self, matching: filter).map(\Customer.name)
                #expect(names == [text], "filter \(index)")
            }
            let gone = try await manager.performAndSave { storage in
                let set = [PropertyAssignment<Customer>.set(\.nickname, to: text + "!")]
                #expect(try storage.batchUpdate(ofType: Customer.self, matching: \.name == text, set: set) == 1)
                #expect(
                    try storage.firstObject(ofType: Customer.self, matching: \.name == text)?.nickname == text + "!"
                )
                return try storage.batchDelete(ofType: Customer.self, matching: \.name == text)
            }
            #expect(gone == 1)
            #expect(try view.allObjects(ofType: Customer.self).map(\.name) == ["other"])
        }
    }

    @Test(arguments: texts) func sqlInKeyIsNotExecuted(_ text: String) async throws {
        try await withStorage { manager in
            let names = ["other", text]
            for _ in 0..<2 {
                try await manager.performAndSave { storage in
                    try storage.upsert(names, into: Tag.self, by: \.name, key: \.self) { $0.name = $1 }
                }
            }
            #expect(try manager.viewStorage.countObjects(ofType: Tag.self) == 2)
        }
    }

    /// Inserts, updates, sorts, links, searches and deletes objects whose names contain SQL.
    private func use(_ manager: SQLiteStorageManager) async throws {
        try await manager.performAndSave { storage in
            for number in 1...3 {
                let robert = try storage.insertNewObject(ofType: Robert.self)
                (robert.`it's "unique"`, robert.`--n`) = ("key", number)
                robert.`a); DROP TABLE Tag; --` = "Text \(number)"
                for place in 0..<2 {
                    let part = try storage.insertNewObject(ofType: Größe.self)
                    (part.`select`, part.`an "owner"`) = (place, robert)
                }
                robert.`%s` = [try storage.insertNewObject(ofType: Tag2.self)]
            }
        }
    }

    @Test func entityNamesWithQuotesAreEscapedInQueries() async throws {
        try await withStorage(.file, model: Self.model) { manager in
            try await use(manager)
            let view = manager.viewStorage
            let found = try view.allObjects(
                ofType: Robert.self,
                matching: \.`it's "unique"` == "key" && \.`--n` > 1 && .any(\.`the "parts"`, \.`select` == 1),
                sortedBy: [SortDescriptor(\.`--n`, order: .reverse)],
                prefetch: [\.`the "parts"`, \.`%s`]
            )
            #expect(found.map(\.`--n`) == [3, 2])
            #expect(found[0].`the "parts"`.map(\.`select`) == [0, 1] && found[0].`%s`.first?.`"'` == [found[0]])
            let searched = (\Robert.`a); DROP TABLE Tag; --`).containsIgnoringCaseAndAccents("TEXT 2")
            #expect(try view.countObjects(ofType: Robert.self, matching: searched) == 1)
            #expect(try view.countObjects(ofType: Größe.self, matching: \.`an "owner"`?.`--n` == 1) == 2)
        }
    }

    @Test func entityNamesWithQuotesAreEscapedInWrites() async throws {
        try await withStorage(.file, model: Self.model) { manager in
            try await use(manager)
            let count = try await manager.performAndSave { storage in
                try storage.batchUpdate(ofType: Robert.self, set: [.set(\.`it's "unique"`, to: "other")])
            }
            #expect(count == 3)
            let error = await #expect(throws: ObjectError.self) {
                try await manager.performAndSave { storage in
                    for robert in try storage.allObjects(ofType: Robert.self) { robert.`--n` = 1 }
                }
            }
            #expect(error?.code == .duplicate)
            try await manager.performAndSave { storage in
                try storage.batchDelete(ofType: Robert.self, matching: \.`--n` == 3)
                try storage.deleteObject(try #require(try storage.firstObject(ofType: Robert.self)))
            }
            #expect(try manager.viewStorage.countObjects(ofType: Größe.self) == 2)
            #expect(try manager.viewStorage.countObjects(ofType: Victim.Tag.self) == 0)
        }
    }

    @Test func entityNamesWithQuotesAreEscapedInInspection() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("hostile.sqlite")
            let manager = try SQLiteStorageManager(
                model: Self.model,
                url: url,
                configuration: .init(viewQueue: DispatchQueue(label: "view"))
            )
            try await use(manager)
            try manager.close()
            let database = try ObjectDatabase(reading: url.path)
            defer { database.close() }
            #expect(Set(database.entities.map(\.name)) == [Robert.entityName, "Größe", "Tag2", "Tag"])
            let rows = try database.rows(of: try database.entity(Robert.entityName), where: "--n = 2").rows
            #expect(rows.count == 1)
            #expect(try database.verify() == [])
            #expect(!database.svg().contains("DROP TABLE \"") && database.svg().contains("Robert&quot;);"))
            #expect(database.mermaid().contains("Robert____DROP_TABLE__Tag_____"))
            let source = database.swiftSource()
            #expect(source.contains("final class `Robert\"); DROP TABLE \"Tag\"; --` {"))
            #expect(source.contains(#"@Entity(unique: [["it\'s \"unique\"", "--n"]]"#))
        }
    }

    enum Earlier {
        @Entity final class Größe {
            var `select`: Int = 0
            @Attribute(.indexed) var `old "name"`: String?
        }
    }

    @Test func entityNamesWithQuotesAreEscapedInMigration() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("hostile.sqlite")
            let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
            let earlier = ObjectModel([Earlier.Größe.self])
            let first = try SQLiteStorageManager(model: earlier, url: url, configuration: configuration)
            try await first.performAndSave { try $0.insertNewObject(ofType: Earlier.Größe.self).`old "name"` = "kept" }
            try first.close()
            let later = ObjectModel([LaterIndexed.Größe.self], version: 2)
            let second = try SQLiteStorageManager(model: later, url: url, configuration: configuration)
            let object = try #require(try second.viewStorage.firstObject(ofType: LaterIndexed.Größe.self))
            #expect(object.`new "name"` == "kept" && object.`ad"ded` == "it's")
            let hint = try await second.withView { view in
                try view.explain(ObjectRequest<LaterIndexed.Größe>(\.`select` == 1)).hint
            }
            #expect(hint == nil)
            #expect(try second.verify().isIntact)
            try second.close()
        }
    }

    enum LaterIndexed {
        @Entity final class Größe {
            @Attribute(.indexed) var `select`: Int = 0
            @Attribute(.indexed, was: "old \"name\"") var `new "name"`: String?
            var `ad"ded`: String = "it's"
        }
    }

    enum Confusing {
        @Entity final class A {
            var `a.b`: Int = 0
            var `a,b`: Int = 0
            // swift-format-ignore: AlwaysUseLowerCamelCase
            var larder_a: Int = 0
            // swift-format-ignore: AlwaysUseLowerCamelCase
            var sqlite_a: Int = 0
        }
    }

    @Test func modelWithReservedOrAmbiguousNamesIsRejected() throws {
        let error = #expect(throws: ObjectError.self) {
            _ = try SQLiteStorageManager(inMemory: ObjectModel([Confusing.A.self]))
        }
        #expect(error?.code == .invalidModel && error?.problems.count == 4)
    }
}
#endif
