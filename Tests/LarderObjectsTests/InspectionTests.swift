#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import Testing

/// Tests of inspecting a database without its classes.
@Suite struct InspectionTests {
    private func withShop(_ body: (ObjectDatabase, String) throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appendingPathComponent("shop.sqlite").path
            let manager = try SQLiteStorageManager(
                model: Shop.model,
                url: URL(fileURLWithPath: path),
                configuration: .init(viewQueue: DispatchQueue(label: "view"))
            )
            try await manager.performAndSave { storage in
                let customer = try storage.insertNewObject(ofType: Customer.self)
                customer.name = "O'Brien, \"Bob\""
                for number in 1...3 {
                    let order = try storage.insertNewObject(ofType: Order.self)
                    order.number = Int64(number)
                    order.total = Decimal(number) * 10
                    order.customer = number == 1 ? customer : nil
                }
            }
            try manager.close()
            let database = try ObjectDatabase(reading: path)
            defer { database.close() }
            try body(database, path)
        }
    }

    @Test func inspectionCountsObjectsPerEntity() async throws {
        try await withShop { database, _ in
            let counts = database.entities.map { "\($0.name) \($0.count)" }
            #expect(counts == ["Customer 1", "Item 0", "Order 3", "Refund 0", "Tag 0"])
        }
    }

    @Test(arguments: [
        ("total >= 20", ["2", "3"]), ("number = 1", ["1"]), ("customer is nil", ["2", "3"]),
        ("status = pending", ["1", "2", "3"]),
        ("status contains ' OR 1=1'", []), ("placedAt < 2001-01-01T00:00:01Z", ["1", "2", "3"]),
        ("note != 'x'", ["1", "2", "3"]),
    ]) func inspectionConditionSelectsRows(_ condition: String, _ expected: [String]) async throws {
        try await withShop { database, _ in
            let (columns, rows) = try database.rows(of: try database.entity("order"), where: condition)
            let place = try #require(columns.firstIndex(of: "number"))
            #expect(rows.map { $0[place] } == expected)
        }
    }

    @Test(arguments: ["number", "number = x", "nothing = 1", "number ~ 1", "number\" = 1"])
    func invalidInspectionConditionIsRejected(_ condition: String) async throws {
        try await withShop { database, _ in
            let error = #expect(throws: ObjectError.self) {
                _ = try database.rows(of: try database.entity("Order"), where: condition)
            }
            #expect(error?.code == .unsupportedQuery)
        }
    }

    @Test func inspectionShowsReadableValues() async throws {
        try await withShop { database, _ in
            let (columns, rows) = try database.rows(of: try database.entity("Order"), limit: 1)
            let row = Dictionary(uniqueKeysWithValues: zip(columns, rows[0]))
            #expect(row["total"] == "10" && row["note"] == .some(nil) && row["customer"] == "Customer/1")
            #expect(row["placedAt"]??.hasPrefix("2001-01-01T00:00:00") == true)
        }
    }

    @Test func generatedSwiftSourceContainsEntireModel() async throws {
        try await withShop { database, _ in
            let source = database.swiftSource()
            for part in [
                "@Entity(unique: [[\"siteID\", \"number\"]], indexes: [[\"status\", \"placedAt\"]])\nfinal class Order {",
                "    var siteID: Int64\n", "    @Attribute(.indexed) var status: String\n", "    var note: String?\n",
                "@Relationship(deleteRule: .cascade, inverse: \\Item.order, ordered: true) var items: [Item]",
                "    @Attribute(.unique) var name: String\n",
                "@Relationship(deleteRule: .deny, inverse: \\Order.customer)",
                "let model = ObjectModel([Customer.self, Item.self, Order.self, Refund.self, Tag.self], version: 1)",
            ] { #expect(source.contains(part), "\(part)") }
            #expect(source.components(separatedBy: "inverse:").count == 6)
        }
    }

    @Test func diagramsContainAllEntitiesAndRelationships() async throws {
        try await withShop { database, _ in
            let mermaid = database.mermaid()
            #expect(mermaid.hasPrefix("erDiagram\n") && mermaid.contains("Order |o--o{ Item : items"))
            #expect(mermaid.contains("Tag }o--o{ Order") || mermaid.contains("Order }o--o{ Tag : tags"))
            let svg = database.svg()
            #expect(svg.hasPrefix("<svg ") && svg.hasSuffix("</svg>\n") && svg.contains(">Customer (1)<"))
            #expect(XMLDocumentCheck.isWellFormed(svg))
        }
    }

    @Test func verifyFindsNoProblemsInIntactFile() async throws {
        try await withShop { database, _ in
            let (problems, schema) = (try database.verify(), try database.schema())
            #expect(problems == [])
            #expect(ObjectDatabase.engine.hasPrefix("SQLite 3."))
            #expect(schema.contains { $0.hasPrefix("CREATE TABLE \"Order\"") })
        }
    }

    @Test func schemaDifferenceIsListOfSQLStatements() async throws {
        try await withTemporaryFolder { folder in
            let urls = ["a", "b"].map { folder.appendingPathComponent($0 + ".sqlite") }
            try SQLiteStorageManager(model: ObjectModel([ModelChangeTests.First.Note.self]), url: urls[0]).close()
            let later = ObjectModel([ModelChangeTests.Added.Note.self, ModelChangeTests.Added.Folder.self], version: 2)
            #expect(try later.difference(from: urls[0]).statements.count == 7)
            try SQLiteStorageManager(model: later, url: urls[1]).close()
            let (first, second) = (try ObjectDatabase(reading: urls[0].path), try ObjectDatabase(reading: urls[1].path))
            let forth = try first.difference(to: second)
            #expect(forth.statements.contains { $0.hasPrefix("CREATE TABLE \"Folder\"") })
            #expect(forth.statements.contains { $0.contains("ADD COLUMN \"subtitle\" TEXT") })
            #expect(forth.refusals == ["The new required column Note.isPinned needs a default value."])
            #expect(try second.difference(to: first).refusals.count >= 4)
            #expect(try first.difference(to: first).isEmpty)
        }
    }

    enum Plain {
        @Entity final class Shelf {
            var name: String = ""
            @Relationship(inverse: \Book.shelf) var books: [Book]
            @Relationship(inverse: \Book.formerShelves) var formerBooks: [Book]
        }
        @Entity final class Book {
            var name: String = ""
            @Relationship var shelf: Shelf?
            @Relationship var formerShelves: [Shelf]
            @Relationship(inverse: \Book.sequel) var original: Book?
            @Relationship var sequel: Book?
        }
        static let model = ObjectModel([Shelf.self, Book.self])
    }
    enum Related {
        @Entity final class Shelf {
            var name: String = ""
            @Relationship(inverse: \Book.shelf, ordered: true) var books: [Book]
            @Relationship(inverse: \Book.owners) var favorites: [Book]
            @Relationship(inverse: \Shelf.above) var below: [Shelf]
            @Relationship var above: Shelf?
            @Relationship(inverse: \Book.sequel) var sequels: [Book]
        }
        @Entity final class Book {
            var name: String = ""
            @Relationship var shelf: Shelf?
            @Relationship var owners: [Shelf]
            @Relationship var sequel: Shelf?
        }
        static let model = ObjectModel([Shelf.self, Book.self], version: 2)
    }

    @Test func schemaDifferenceIncludesRelationships() async throws {
        try await withTemporaryFolder { folder in
            let urls = ["a", "b"].map { folder.appendingPathComponent($0 + ".sqlite") }
            try SQLiteStorageManager(model: Plain.model, url: urls[0]).close()
            try SQLiteStorageManager(model: Related.model, url: urls[1]).close()
            let (first, second) = (try ObjectDatabase(reading: urls[0].path), try ObjectDatabase(reading: urls[1].path))
            defer {
                first.close()
                second.close()
            }
            let forth = try first.difference(to: second)
            for part in [
                "CREATE TABLE \"Shelf.favorites\" (", "CREATE INDEX \"Shelf.favorites.target\" ON",
                "ADD COLUMN \"shelf.position\" INTEGER",
                "ALTER TABLE \"Shelf\" ADD COLUMN \"above\" INTEGER REFERENCES \"Shelf\" DEFERRABLE INITIALLY DEFERRED",
            ] { #expect(forth.statements.contains { $0.contains(part) }, "\(part)") }
            let (a, b) = ("\"\(urls[0].path)\"", "\"\(urls[1].path)\"")
            for refusal in [
                "The join table Shelf.formerBooks exists only in \(a).",
                "The relationship Shelf.formerBooks exists only in \(a).",
                "The relationship Book.formerShelves exists only in \(a).",
                "The relationship Book.original exists only in \(a).",
                "The relationship Book.sequel refers to Book in \(a) and to Shelf in \(b).",
            ] { #expect(forth.refusals.contains(refusal), "\(refusal)") }
            #expect(try first.difference(to: first).isEmpty)
            #expect(
                try second.difference(to: first).refusals.contains(
                    "The join table Shelf.favorites exists only in \(b)."
                )
            )
            let queue = try DatabaseQueue(path: urls[0].path)
            try await queue.write { database in for sql in forth.statements { try database.execute(sql: sql) } }
            try queue.close()
        }
    }

    @Test func inspectionRejectsFileInUnknownFormat() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appendingPathComponent("x").path
            let missing = #expect(throws: ObjectError.self) { _ = try ObjectDatabase(reading: path) }
            #expect(missing?.code == .inaccessible)
            try Data("text".utf8).write(to: URL(fileURLWithPath: path))
            let text = #expect(throws: ObjectError.self) { _ = try ObjectDatabase(reading: path) }
            #expect(text?.code == .notADatabase)
        }
    }
}

/// Checks that each opening tag has a closing tag.
private enum XMLDocumentCheck {
    static func isWellFormed(_ text: String) -> Bool {
        var open: [Substring] = []
        for piece in text.split(separator: "<").dropFirst(text.hasPrefix("<") ? 0 : 1) {
            guard let end = piece.firstIndex(of: ">") else { return false }
            let tag = piece[..<end]
            if tag.hasPrefix("/") {
                guard open.popLast() == tag.dropFirst() else { return false }
            } else if !tag.hasSuffix("/") {
                open.append(tag.prefix { $0 != " " })
            }
        }
        return open.isEmpty
    }
}
#endif
