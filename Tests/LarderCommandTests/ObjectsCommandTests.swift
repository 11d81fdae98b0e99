#if Command && Objects
import Foundation
import LarderCore
import LarderObjects
import Testing

/// Tests the output of `larder objects FILE` for a database whose entity classes the command does not know.
@Suite struct ObjectsCommandTests {
    @Test func entitiesAreListedWithObjectCounts() async throws {
        try await withBooks { path, _ in
            let run = Invocation("objects", path)
            #expect(run.status == 0 && run.complaint.isEmpty)
            #expect(
                run.output == """
                    ENTITY   OBJECTS  ATTRIBUTES  RELATIONSHIPS
                    Book     2        4           1
                    Chapter  1        1           1

                    """
            )
        }
    }

    @Test func entitiesAreListedAsJSON() async throws {
        try await withBooks { path, _ in
            let run = Invocation("objects", path, "--format", "json")
            let rows = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: String]]
            #expect(rows?.map { $0["ENTITY"] } == ["Book", "Chapter"])
        }
    }

    @Test func schemaIsPrintedAsSQL() async throws {
        try await withBooks { path, _ in
            let run = Invocation("objects", path, "schema")
            #expect(run.output.contains("CREATE TABLE \"Book\" (\"objectID\" INTEGER PRIMARY KEY, \"number\" INTEGER,"))
            #expect(run.output.contains("CREATE UNIQUE INDEX \"Book.unique.number\" ON \"Book\" (\"number\");"))
        }
    }

    @Test func schemaIsRenderedAsSVG() async throws {
        try await withBooks { path, _ in
            let run = Invocation("objects", path, "schema", "--format", "svg")
            #expect(run.output.hasPrefix("<svg ") && run.output.hasSuffix("</svg>\n"))
            #expect(run.output.contains(">Book (2)<") && run.output.contains(">chapters 1–*<"))
            #expect(throws: Never.self) { try XMLCheck.check(run.output) }
        }
    }

    @Test func schemaIsPrintedAsMermaid() async throws {
        try await withBooks { path, _ in
            let run = Invocation("objects", path, "schema", "--format", "mermaid")
            #expect(
                run.output == """
                    erDiagram
                        Book {
                            int64 number UK
                            string title
                            decimal price
                            string note
                        }
                        Chapter {
                            string title
                        }
                        Book |o--o{ Chapter : chapters

                    """
            )
        }
    }

    @Test func schemaDiffPrintsMigrationToNewerModel() async throws {
        try await withBooks { path, folder in
            let later = folder.appending(path: "later.sqlite").path
            try makeDatabase(later, [Later.Book.self, Later.Chapter.self, Later.Author.self], version: 2).close()
            let run = Invocation("objects", path, "schema", "--diff", later)
            #expect(run.status == 0)
            #expect(
                Set(run.output.split(separator: "\n")) == [
                    #"CREATE TABLE "Author" ("objectID" INTEGER PRIMARY KEY, "name" TEXT) STRICT;"#,
                    #"ALTER TABLE "Book" ADD COLUMN "subtitle" TEXT;"#,
                    #"CREATE INDEX "Book.index.title" ON "Book" ("title");"#,
                ]
            )
            #expect(Invocation("objects", path, "schema", "--diff", path).output == "-- no difference\n")
            let back = Invocation("objects", later, "schema", "--diff", path)
            #expect(back.output.contains("-- refused: The entity Author exists only in \"\(later)\"."))
            #expect(back.output.contains("-- refused: The column Book.subtitle exists only in \"\(later)\"."))
        }
    }

    @Test func rowsArePrintedAsTable() async throws {
        try await withBooks { path, _ in
            let run = Invocation("objects", path, "rows", "Chapter")
            #expect(
                run.output == """
                    objectID  title  book
                    2         Water  Book/1

                    """
            )
        }
    }

    @Test(arguments: [
        ("price >= 10", ["1"]), ("price < 12.5", ["2"]), ("title = Jam", ["2"]), ("note is nil", ["1"]),
        ("title contains 'green'", ["1"]), ("title contains ' OR 1=1; --'", []), ("number != 1", ["2"]),
    ])
    func whereOptionFiltersRows(_ condition: String, _ numbers: [String]) async throws {
        try await withBooks { path, _ in
            let run = Invocation("objects", path, "rows", "book", "--where", condition, "--format", "json")
            #expect(run.status == 0, "\(run.complaint)")
            let rows = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]]
            #expect(rows?.map { $0["number"] as? String } == numbers)
        }
    }

    @Test func rowsArePrintedAsCSV() async throws {
        try await withBooks { path, _ in
            let run = Invocation("objects", path, "rows", "Book", "--format", "csv")
            #expect(
                run.output == """
                    objectID,number,title,price,note
                    1,1,"Tea, ""green\""",12.5,
                    3,2,Jam,7,"two
                    lines"

                    """
            )
        }
    }

    @Test func limitOptionLimitsRows() async throws {
        try await withBooks { path, _ in
            let run = Invocation("objects", path, "rows", "Book", "--limit", "1", "--format", "csv")
            #expect(run.output.split(separator: "\n").count == 2)
        }
    }

    @Test func swiftSubcommandPrintsEntityClasses() async throws {
        try await withBooks { path, _ in
            #expect(
                Invocation("objects", path, "swift").output == """
                    import Foundation
                    import LarderObjects

                    @Entity
                    final class Book {
                        @Attribute(.unique) var number: Int64
                        var title: String
                        var price: Decimal
                        var note: String?
                        @Relationship(deleteRule: .cascade, inverse: \\Chapter.book, ordered: true) var chapters: [Chapter]
                    }

                    @Entity
                    final class Chapter {
                        var title: String
                        @Relationship var book: Book?
                    }

                    let model = ObjectModel([Book.self, Chapter.self], version: 1)

                    """
            )
        }
    }

    @Test func verifyPrintsObjectCountAndSQLiteVersion() async throws {
        try await withBooks { path, _ in
            let run = Invocation("objects", path, "verify")
            #expect(run.status == 0)
            #expect(
                run.output.hasPrefix(
                    "Checked 3 objects in \"\(path)\", model version 1. No problems were found.\nSQLite 3."
                )
            )
            #expect(run.output.contains("several processes can use a database"))
            let consequences = ["must not write to it", "can write to it"].map { "programs without Larder " + $0 }
            #expect(consequences.contains { run.output.contains($0) })
        }
    }

    @Test func verifyReportsCorruptDatabase() async throws {
        try await withBooks { path, folder in
            var content = try Data(contentsOf: URL(filePath: path))
            for offset in stride(from: 4_096 * 4, to: content.count, by: 64) { content[offset] ^= 0xFF }
            let damaged = folder.appending(path: "damaged.sqlite")
            try content.write(to: damaged)
            let run = Invocation("objects", damaged.path, "verify")
            #expect(run.status == 2 && run.output.isEmpty)
            #expect(run.complaint.contains(damaged.path))
            #expect(try Data(contentsOf: damaged) == content)
        }
    }

    @Test(arguments: [
        (["rows"], "larder objects FILE rows ENTITY"), (["rows", "Nothing"], "Use one of Book, Chapter"),
        (["rows", "Book", "--where", "nothing = 1"], "Use one of number, title, price, note"),
        (["rows", "Book", "--where", "number = x"], "not of the format int64"), (["dance"], "dance"),
        (["schema", "--format", "csv"], "sql, svg or mermaid"), (["--format", "svg"], "table, json or csv"),
    ])
    func invalidArgumentsAreRejectedWithAdvice(_ arguments: [String], _ hint: String) async throws {
        try await withBooks { path, _ in
            let run = Invocation(["objects", path] + arguments)
            #expect(run.status == 2 && run.output.isEmpty)
            #expect(run.complaint.contains(hint), "\(run.complaint)")
        }
    }

    @Test func nonDatabaseFileIsRejected() throws {
        try withFolder { folder in
            let path = folder.appending(path: "text").path
            let missing = Invocation("objects", path)
            #expect(missing.status == 1 && missing.complaint.contains(path))
            try Data("no database".utf8).write(to: URL(filePath: path))
            let text = Invocation("objects", path)
            #expect(text.status == 2 && text.complaint.contains("not a SQLite database"))
        }
    }
}

/// Checks that the tags in an XML document are balanced.
private enum XMLCheck {
    struct Unbalanced: Error {}

    static func check(_ text: String) throws {
        var open: [Substring] = []
        for match in text.matches(of: /<(\/?)([a-z]+)[^>]*?(\/?)>/) where match.3.isEmpty {
            if match.1.isEmpty {
                open.append(match.2)
            } else if open.popLast() != match.2 {
                throw Unbalanced()
            }
        }
        guard open.isEmpty else { throw Unbalanced() }
    }
}
#endif
