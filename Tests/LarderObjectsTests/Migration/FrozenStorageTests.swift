#if Objects
import Foundation
import LarderCore
import LarderObjects
import LarderTesting
import Testing

/// Databases of earlier versions that are filled and read by name.
@Suite struct FrozenStorageTests {
    enum Genre: String, Codable, Sendable, CaseIterable { case prose, verse }

    enum First {
        @Entity final class Book {
            @Attribute(.unique) var number: Int
            @Attribute(.searchable) var title: String = "untitled"
            var genre: Genre = Genre.prose
            var price: Decimal?
            @Relationship(deleteRule: .cascade, inverse: \Page.book, ordered: true) var pages: [Page]
            @Relationship(inverse: \Tag.books) var tags: [Tag]
        }
        @Entity final class Page {
            var text = ""
            @Relationship var book: Book?
        }
        @Entity final class Tag {
            var name = ""
            @Relationship var books: [Book]
        }
        static let model = ObjectModel([Book.self, Page.self, Tag.self])
    }
    enum Second {
        @Entity final class Book {
            @Attribute(.unique) var number: Int
            @Attribute(.searchable) var title: String = "untitled"
            var genre: Genre = Genre.prose
            var cents: Int = 0
            @Relationship(deleteRule: .cascade, inverse: \Page.book, ordered: true) var pages: [Page]
            @Relationship(inverse: \Tag.books) var tags: [Tag]
        }
        @Entity final class Page {
            var text = ""
            @Relationship var book: Book?
        }
        @Entity final class Tag {
            var name = ""
            @Relationship var books: [Book]
        }
        static let entities: [any Object.Type] = [Book.self, Page.self, Tag.self]
    }
    enum Third {
        @Entity final class Book {
            @Attribute(.unique) var number: Int
            @Attribute(.searchable) var title: String = "untitled"
            var genre: Genre = Genre.prose
            var cents: Int = 0
            var token: UUID = UUID()
            @Relationship(deleteRule: .cascade, inverse: \Page.book, ordered: true) var pages: [Page]
            @Relationship(inverse: \Tag.books) var tags: [Tag]
        }
        @Entity final class Page {
            var text = ""
            @Relationship var book: Book?
        }
        @Entity final class Tag {
            var name = ""
            @Relationship var books: [Book]
        }
        static let entities: [any Object.Type] = [Book.self, Page.self, Tag.self]
    }

    private static func plan() throws -> MigrationPlan {
        MigrationPlan(
            versions: .models([try First.model.frozen(), try ObjectModel(Second.entities, version: 2).frozen()]),
            stages: [
                MigrationStage(from: 1, to: 2) { migration in
                    try migration.migrate("Book") { old, new in
                        new["cents"] = (old["price"] as Decimal? ?? 0) * 100
                    }
                },
                MigrationStage(from: 2, to: 3) { migration in
                    try migration.forEachNew("Book") { $0["title"] = ($0["title"] as String? ?? "") + "!" }
                },
            ]
        )
    }

    /// Returns a database with two books, of which the first has two pages and a tag.
    private func filled() throws -> FrozenStorage {
        let storage = try FrozenStorage(First.model.frozen())
        let tag = try storage.insert("Tag", ["name": "new"])
        let pages = try ["one", "two"].map { try storage.insert("Page", ["text": $0]) }
        try storage.insert(
            "Book",
            ["number": 1, "title": "Émile", "genre": "verse", "price": Decimal(2.5)],
            links: ["pages": pages.reversed(), "tags": [tag]]
        )
        try storage.insert("Book") { $0["number"] = 2 }
        return storage
    }

    @Test func insertedObjectsAreReadByEntityAndPropertyName() throws {
        let storage = try filled()
        let titles = try storage.rows("Book") { $0["title"] as String? }
        #expect(titles == ["Émile", "untitled"])
        #expect(try storage.rows("Book") { $0["genre"] as Genre? } == [.verse, .prose])
        #expect(try storage.rows("Book") { $0["price"] as Decimal? } == [2.5, nil])
        let pages = try storage.rows("Book") { try $0.records("pages").map { $0["text"] as String? } }
        #expect(pages == [["two", "one"], []])
        let books = try storage.rows("Tag") { try $0.records("books").map { $0["number"] as Int? } }
        #expect(books == [[1]])
        #expect(throws: ObjectError.self) { try storage.rows("Book") { $0["titel"] as String? } }
        #expect(throws: ObjectError.self) { try storage.rows("Books") { $0.id } }
    }

    @Test func invalidObjectIsNotInserted() throws {
        let storage = try filled()
        let page = try #require(try storage.rows("Page", \.id).first)
        func code(_ insert: () throws -> Void) -> ObjectError.Code? {
            #expect(throws: ObjectError.self, performing: insert)?.code
        }
        #expect(code { try storage.insert("Books") } == .invalidModel)
        #expect(code { try storage.insert("Book", ["titel": "x"]) } == .invalidModel)
        #expect(code { try storage.insert("Book", ["number": 1.5]) } == .notConvertible)
        #expect(code { try storage.insert("Book", ["number": 3, "genre": "drama"]) } == .notConvertible)
        #expect(code { try storage.insert("Book", ["number": 3], links: ["page": []]) } == .invalidModel)
        let missing = ObjectID(entityName: "Page", rowID: 99)
        #expect(code { try storage.insert("Book", ["number": 3], links: ["pages": [missing]]) } == .invalidObjects)
        #expect(code { try storage.insert("Book", ["number": 3], links: ["tags": [page]]) } == .invalidObjects)
        #expect(code { try storage.insert("Page", links: ["book": [page]]) } == .invalidObjects)
        let dangling = code {
            try storage.insert("Book") { book in
                book["number"] = 3
                try book.set("tags", to: [missing])
            }
        }
        #expect(dangling == .invalidObjects)
        #expect(code { try storage.insert("Book", ["number": 1]) } == .duplicate)
        #expect(try storage.rows("Book", \.id).count == 2 && storage.rows("Page", \.id).count == 2)
        let manager = try storage.migrated(to: First.model)
        #expect(try manager.verify().isIntact)
        try manager.close()
    }

    @Test func missingRequiredValueIsReportedBeforeMigration() throws {
        let storage = try FrozenStorage(First.model.frozen())
        try storage.insert("Book", ["title": "x"])
        let error = #expect(throws: ObjectError.self) { try storage.migrated(to: First.model) }
        #expect(error?.code == .invalidObjects && error?.message.hasPrefix("Book/1.number has no value") == true)
    }

    @Test func frozenStorageCanBeMigratedRepeatedly() throws {
        let storage = try filled()
        let ids = try storage.rows("Book", \.id)
        for _ in 0..<2 {
            let manager = try storage.migrated(to: ObjectModel(Third.entities, version: 3, plan: Self.plan()))
            let books = try manager.viewStorage.allObjects(ofType: Third.Book.self)
            #expect(books.map(\.objectID) == ids)
            #expect(books.map(\.title) == ["Émile!", "untitled!"] && books.map(\.cents) == [250, 0])
            #expect(books.map { $0.pages.map(\.text) } == [["two", "one"], []])
            #expect(Set(books.map(\.token)).count == 2)
            let found = try manager.viewStorage.allObjects(
                ofType: Third.Book.self,
                matching: (\Third.Book.title).containsIgnoringCaseAndAccents("emile")
            )
            #expect(found.count == 1)
            #expect(try manager.verify().isIntact)
            let folder = manager.url.deletingLastPathComponent().path
            #expect(FileManager.default.fileExists(atPath: folder))
            try manager.close()
            #expect(!FileManager.default.fileExists(atPath: folder))
        }
        #expect(try storage.rows("Book") { $0["price"] as Decimal? } == [2.5, nil])
    }

    @Test func idsOfInsertedObjectsAreNotReused() throws {
        let storage = try filled()
        let last = try #require(try storage.rows("Book", \.id).last)
        let manager = try storage.migrated(to: First.model)
        let id = try manager.viewStorage.allObjects(ofType: First.Book.self).last?.objectID
        #expect(id == last)
        #expect(try storage.insert("Tag").rowID == last.rowID + 1)
        try manager.close()
    }

    @Test func migrationToFrozenVersionRunsItsStage() throws {
        let second = try ObjectModel(Second.entities, version: 2).frozen()
        let migrated = try filled().migrated(to: second, plan: Self.plan())
        #expect(migrated.version == second)
        #expect(try migrated.rows("Book") { $0["cents"] as Int? } == [250, 0])
        // The stage from 2 to 3 did not run.
        #expect(try migrated.rows("Book") { $0["title"] as String? } == ["Émile", "untitled"])
        try migrated.insert("Book", ["number": 3, "cents": 7])
        #expect(try migrated.rows("Book", \.id).count == 3)
    }

    @Test func migrationToFrozenVersionThrowsSameErrorsAsOpening() throws {
        let storage = try filled()
        let second = try ObjectModel(Second.entities, version: 2).frozen()
        let lost = #expect(throws: ObjectError.self) { try storage.migrated(to: second) }
        #expect(lost?.code == .modelMismatch && lost?.losses.map(\.property) == ["price"])
        // Nothing makes the default of `token`, because the step does not lead to classes.
        let empty = try FrozenStorage(second)
        let third = try ObjectModel(Third.entities, version: 3).frozen()
        let unmade = #expect(throws: ObjectError.self) { try empty.migrated(to: third) }
        #expect(unmade?.problems.first?.hasPrefix("Book.token was added in version 3") == true)
        let newer = #expect(throws: ObjectError.self) { try empty.migrated(to: First.model.frozen()) }
        #expect(newer?.code == .storeIsNewer)
    }

    @Test func databaseCanBeFilledUsingOnlyFrozenModelFile() async throws {
        try await withTemporaryFolder { folder in
            let file = try First.model.freeze(in: folder)
            let storage = try FrozenStorage(FrozenModel(contentsOf: file))
            try storage.insert("Book", ["number": 1])
            let manager = try storage.migrated(to: First.model)
            #expect(try manager.viewStorage.countObjects(ofType: First.Book.self) == 1)
            #expect(try manager.verify().isIntact)
            try manager.close()
        }
    }
}
#endif
