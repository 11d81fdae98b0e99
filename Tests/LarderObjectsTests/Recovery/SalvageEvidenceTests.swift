#if Objects
import Foundation
import GRDB
import LarderCore
import LarderTestTraits
import Testing

@testable import LarderObjects

/// Tests of salvaging files in which an older version of a page contradicts other pages.
@Suite(.expectsIssues(.damaged)) struct SalvageEvidenceTests {
    private static let pageSize = 4_096

    private func open(_ url: URL, _ model: ObjectModel = Shop.model) throws -> SQLiteStorageManager {
        let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        return try SQLiteStorageManager(model: model, url: url, configuration: configuration)
    }

    /// Creates a file with five tags, changes it with SQL, and replaces pages with their content before the change.
    ///
    /// - Parameters:
    ///   - before: SQL statements that run before the older content is read.
    ///   - later: SQL statements that change the file.
    ///   - stale: The tables and indexes whose root pages are replaced.
    ///   - body: A closure that receives the report and the salvaged database.
    /// - Throws: An error of SQLite, or an error that `body` throws.
    private func salvaged(
        before: String = "",
        _ later: String,
        stale: [String],
        _ body: @Sendable (SalvageReport, Database) throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let (url, copy) = (folder.appendingPathComponent("a.sqlite"), folder.appendingPathComponent("copy.sqlite"))
            let manager = try open(url)
            try await manager.performAndSave { storage in
                for number in 1...5 { try storage.insertNewObject(ofType: Tag.self).name = "tag \(number)" }
            }
            #expect(try manager.verify().problems == [])
            try manager.close()
            try await change(url, before)
            let older = try Data(contentsOf: url)
            try await change(url, later)
            var content = try Data(contentsOf: url)
            let pages = DatabasePages(url: url)
            for name in stale {
                let end = try pages.root(of: name) * Self.pageSize
                content.replaceSubrange(end - Self.pageSize..<end, with: older[end - Self.pageSize..<end])
            }
            try content.write(to: url)
            let report = try SQLiteStorageManager.salvage(from: url, to: copy)
            let again = try open(copy)
            #expect(try again.verify().problems == [])
            try again.close()
            let result = try DatabaseQueue(path: copy.path)
            try await result.read { try body(report, $0) }
            try result.close()
        }
    }

    private func change(_ url: URL, _ sql: String) async throws {
        let queue = try DatabaseQueue(path: url.path)
        try await queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    private func tag(_ report: SalvageReport) throws -> SalvageReport.Entity {
        try #require(report.entities.first { $0.name == "Tag" })
    }

    @Test func indexCountsRowsMissingFromOlderPage() async throws {
        try await salvaged(
            "INSERT INTO Tag (objectID, name) VALUES (6, 'new'), (7, 'newer'), (8, 'newest')",
            stale: ["Tag"]
        ) { report, _ in
            let tag = try tag(report)
            #expect(tag.kept == 5 && tag.inDoubt == 0 && tag.lost == 0...3)
            #expect(report.hasReplacedPages && !report.isComplete)
            #expect(report.notes.contains { $0.contains("contradict") })
        }
    }

    @Test func referencesCountRowsMissingFromOlderPage() async throws {
        // The index is as old as the table.
        try await salvaged(
            """
            INSERT INTO Tag (objectID, name) VALUES (6, 'new');
            INSERT INTO "Order" (objectID, siteID, number, status, total, placedAt, quantity)
            VALUES (7, 1, 7, 'paid', '1', 5, 1);
            INSERT INTO "Order.tags" VALUES (7, 6)
            """,
            stale: ["Tag", "Tag.unique.name"]
        ) { report, _ in
            let tag = try tag(report)
            #expect(tag.kept == 5 && tag.lost == 0...1)
            #expect(report.hasReplacedPages && report.repairedReferences == 1)
        }
    }

    @Test func deletedRowOnOlderPageIsInDoubt() async throws {
        try await salvaged("DELETE FROM Tag WHERE objectID IN (2, 4)", stale: ["Tag"]) { report, database in
            let tag = try tag(report)
            #expect(tag.kept == 3 && tag.inDoubt == 2 && tag.lost == 0...0)
            #expect(report.hasReplacedPages)
            let reasons = try String.fetchAll(database, sql: "SELECT DISTINCT reason FROM larder_in_doubt")
            #expect(reasons == ["The indexes of the entity do not contain the row."])
        }
    }

    @Test func indexThatLacksMostRowsRefutesNone() async throws {
        try await salvaged("UPDATE Tag SET name = name || 'x'", stale: []) { report, _ in #expect(report.isComplete) }
        try await salvaged(
            before: "DELETE FROM Tag",
            "INSERT INTO Tag (objectID, name) VALUES (6, 'a'), (7, 'b'), (8, 'c')",
            stale: ["Tag.unique.name"]
        ) { report, _ in
            let tag = try tag(report)
            #expect(tag.kept == 3 && tag.inDoubt == 0 && tag.lost == 0...0)
            #expect(report.hasReplacedPages)
        }
    }

    @Test func olderValueThatDiffersFromIndexIsInDoubt() async throws {
        try await salvaged("UPDATE Tag SET name = 'renamed' WHERE objectID = 3", stale: ["Tag"]) { report, database in
            let tag = try tag(report)
            #expect(tag.kept == 4 && tag.inDoubt == 1 && tag.lost == 0...0)
            #expect(try Int.fetchAll(database, sql: "SELECT objectID FROM larder_in_doubt") == [3])
            #expect(try String.fetchOne(database, sql: "SELECT row FROM larder_in_doubt")?.contains("tag 3") == true)
        }
    }

    @Test func rowThatOneOfSeveralIndexesLacksIsKept() async throws {
        // The older version of one index lacks the order, which three others contain.
        try await salvaged(
            """
            INSERT INTO "Order" (objectID, siteID, number, status, total, placedAt, quantity)
            VALUES (7, 1, 7, 'paid', '1', 5, 1)
            """,
            stale: ["Order.index.status"]
        ) { report, database in
            let order = try #require(report.entities.first { $0.name == "Order" })
            #expect(order.kept == 1 && order.inDoubt == 0 && order.lost == 0...0)
            #expect(report.hasReplacedPages)
            #expect(try Double.fetchOne(database, sql: "SELECT placedAt FROM \"Order\"") == 5)
        }
    }

    private static let longValue = "printf('%.*c', 5000, 'x')"

    @Test func longValueOnFreePageIsInDoubt() async throws {
        try await salvaged(
            before: """
                INSERT INTO Customer (objectID, name) VALUES (6, \(Self.longValue));
                DROP INDEX "Customer.index.boss"
                """,
            "PRAGMA secure_delete = OFF; DELETE FROM Customer",
            stale: ["Customer"]
        ) { report, database in
            let customer = try #require(report.entities.first { $0.name == "Customer" })
            #expect(customer.kept == 0 && customer.inDoubt == 1)
            #expect(report.hasReplacedPages)
            let reason = try String.fetchOne(database, sql: "SELECT reason FROM larder_in_doubt")
            #expect(reason == "A page of a long value is also free, or part of something else.")
        }
    }

    @Test(arguments: [true, false]) func longValueWhosePageWasUsedAgainIsInDoubt(_ hasIndex: Bool) async throws {
        try await salvaged(
            before: """
                INSERT INTO Customer (objectID, name, age) VALUES (6, \(Self.longValue), 1), (8, 'a', 1), (9, 'b', 1);
                \(hasIndex ? "" : "DROP INDEX \"Customer.index.boss\"")
                """,
            """
            DELETE FROM Customer WHERE objectID = 6;
            INSERT INTO "Order" (objectID, siteID, number, status, total, placedAt, quantity, note)
            VALUES (7, 1, 7, 'paid', '1', 5, 1, \(Self.longValue))
            """,
            stale: ["Customer"]
        ) { report, database in
            let customer = try #require(report.entities.first { $0.name == "Customer" })
            #expect(customer.kept == 2 && customer.inDoubt == 1)
            // Without an index, it is not known to which of the two rows the page belongs.
            let order = try #require(report.entities.first { $0.name == "Order" })
            #expect(order.kept == (hasIndex ? 1 : 0) && order.inDoubt == (hasIndex ? 0 : 1))
            #expect(report.hasReplacedPages)
        }
    }

    @Test func longRowWhoseSearchColumnDiffersIsInDoubt() async throws {
        try await withTemporaryFolder { folder in
            let (url, copy) = (folder.appendingPathComponent("a.sqlite"), folder.appendingPathComponent("copy.sqlite"))
            let manager = try open(url, MigrationTests.First.model)
            try await manager.performAndSave { storage in
                for length in [10_000, 10_000, 10] {
                    try storage.insertNewObject(ofType: MigrationTests.First.Note.self).title = String(
                        repeating: "É",
                        count: length
                    )
                }
            }
            #expect(try manager.verify().problems == [])
            try manager.close()
            // The third row is short, so it can't contain bytes of another page.
            try await change(url, "UPDATE Note SET \"title.folded\" = 'x' WHERE objectID > 1")
            let report = try SQLiteStorageManager.salvage(from: url, to: copy)
            let note = try #require(report.entities.first { $0.name == "Note" })
            #expect(note.kept == 2 && note.inDoubt == 1 && note.lost == 0...0)
            let result = try DatabaseQueue(path: copy.path)
            let ids = try await result.read { try Int.fetchAll($0, sql: "SELECT objectID FROM larder_in_doubt") }
            #expect(ids == [2])
            try result.close()
        }
    }
}
#endif
