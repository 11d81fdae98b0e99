#if Objects
package import LarderObjects

/// The entities of a library in version 1.
package enum Library {
    @Entity final class Book {
        @Attribute(.indexed) var title = ""
        var pages: Int = 0
        var isbn: String?
        var publisherName: String = ""
        @Relationship var author: Author?
    }
    @Entity final class Author {
        @Attribute(.unique) var name = ""
        @Relationship(inverse: \Book.author, ordered: true) var books: [Book]
    }

    /// The model of version 1.
    package static let model = ObjectModel([Book.self, Author.self])

    private static let books = 12
    private static let authors = 4
    private static let publishers = 3

    /// Inserts books and their authors.
    package static func fill(_ storage: any WritableStorageType) throws {
        let authors = try (0..<authors).map { number in
            let author = try storage.insertNewObject(ofType: Author.self)
            author.name = "author \(number)"
            return author
        }
        for number in 0..<books {
            let book = try storage.insertNewObject(ofType: Book.self)
            book.title = title(number)
            book.pages = number * 100
            book.isbn = number % 2 == 0 ? "isbn \(number)" : nil
            book.publisherName = publisher(number)
            authors[number % authors.count].books.insert(book, at: 0)
        }
    }

    /// Long enough that a rewritten table has several pages.
    private static func title(_ number: Int) -> String { "title \(number) " + String(repeating: "x", count: 600) }
    private static func publisher(_ number: Int) -> String { "publisher \(number % publishers)" }
    /// The books of an author in their order, which is the opposite of that of their insertion.
    private static func books(of author: Int) -> [String] {
        (0..<books).filter { $0 % authors == author }.reversed().map(title)
    }

    /// A migration that is inferred: a renamed and a converted attribute, links that move to a join table, and a dropped attribute.
    package enum Inferred {
        @Entity(dropping: ["isbn"]) final class Book {
            @Attribute(.indexed, was: "title") var name = ""
            var pages: String = ""
            var publisherName: String = ""
            @Relationship(was: "author") var authors: [Author]
        }
        @Entity final class Author {
            @Attribute(.unique) var name = ""
            @Relationship(inverse: \Book.authors, ordered: true) var books: [Book]
        }

        package static let model = ObjectModel([Book.self, Author.self], version: 2)

        /// Returns whether all objects are those that ``Library/fill(_:)`` inserted, migrated.
        package static func isComplete(_ storage: any StorageType) throws -> Bool {
            let found = try storage.allObjects(ofType: Book.self)
            let authors = try storage.allObjects(ofType: Author.self)
            return found.map(\.name) == (0..<Library.books).map(title)
                && found.map(\.pages) == (0..<Library.books).map { "\($0 * 100)" }
                && found.map { $0.authors.map(\.name) }
                    == (0..<Library.books).map { ["author \($0 % Library.authors)"] }
                && authors.map { $0.books.map(\.name) } == (0..<Library.authors).map(books)
        }
    }

    /// A migration by a custom stage, which moves the publishers to an entity of their own.
    package enum Custom {
        @Entity(dropping: ["publisherName"]) final class Book {
            @Attribute(.indexed) var title = ""
            var pages: Int = 0
            var isbn: String?
            @Relationship var author: Author?
            @Relationship var publisher: Publisher?
        }
        @Entity final class Author {
            @Attribute(.unique) var name = ""
            @Relationship(inverse: \Book.author, ordered: true) var books: [Book]
        }
        @Entity final class Publisher {
            @Attribute(.unique) var name = ""
            @Relationship(inverse: \Book.publisher) var books: [Book]
        }

        package static func model() throws -> ObjectModel {
            let plan = MigrationPlan(
                versions: .models([try Library.model.frozen()]),
                stages: [MigrationStage(from: 1, to: 2, split)]
            )
            return ObjectModel([Book.self, Author.self, Publisher.self], version: 2, plan: plan)
        }

        @Sendable private static func split(_ migration: Migration) throws {
            var publishers: [String: ObjectID] = [:]
            try migration.migrate("Book") { old, new in
                let name = old["publisherName"] as String? ?? ""
                if publishers[name] == nil {
                    publishers[name] = try migration.insert("Publisher") { $0["name"] = name }
                }
                try new.set("publisher", to: publishers[name])
            }
        }

        /// Returns whether all objects are those that ``Library/fill(_:)`` inserted, migrated.
        package static func isComplete(_ storage: any StorageType) throws -> Bool {
            let found = try storage.allObjects(ofType: Book.self)
            let authors = try storage.allObjects(ofType: Author.self)
            let publishers = try storage.allObjects(ofType: Publisher.self)
            return found.map(\.title) == (0..<Library.books).map(title)
                && found.map(\.pages) == (0..<Library.books).map { $0 * 100 }
                && found.map(\.isbn) == (0..<Library.books).map { $0 % 2 == 0 ? "isbn \($0)" : nil }
                && found.map { $0.publisher?.name } == (0..<Library.books).map(publisher)
                && authors.map { $0.books.map(\.title) } == (0..<Library.authors).map(books)
                && publishers.map(\.name) == (0..<Library.publishers).map(publisher)
        }
    }
}
#endif
