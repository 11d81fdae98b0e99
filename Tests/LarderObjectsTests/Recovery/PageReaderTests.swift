#if Objects
import Foundation
import GRDB
import LarderTesting
import Testing

@testable import LarderObjects

/// Tests of the types that read SQLite's file format.
@Suite struct PageReaderTests {
    @Test(arguments: [512, 1_024, 4_096], [true, false])
    func everyRowOfIntactFileIsRead(_ pageSize: Int, _ hasLog: Bool) throws {
        let fixture = try SalvageFixture(seed: UInt64(pageSize), orders: 150, pageSize: pageSize, hasLog: hasLog)
        let file = try #require(fixture.file)
        #expect(file.pageSize == pageSize)
        let salvaged = try SalvageFixture.salvage(file)
        #expect(salvaged.report.isComplete, "\(salvaged.report)")
        #expect(salvaged.doubtful == [])
        #expect(salvaged.problems == [])
        let rows = try fixture.rows()
        for table in SalvageFixture.tables { #expect(salvaged.rows[table] == rows[table], "\(table)") }
        #expect(rows["Order"]?.count == 175)
    }

    /// Whether SQLite was compiled with the table of its pages.
    private static let listsPages =
        (try? DatabaseQueue().read { try Int.fetchAll($0, sql: "SELECT 1 FROM dbstat") }) != nil

    @Test(.enabled(if: listsPages)) func everyPageIsFreeOrInExactlyOneTree() async throws {
        let fixture = try SalvageFixture(seed: 5, orders: 200)
        let file = try #require(fixture.file)
        let database = StoredDatabase(file)
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            try fixture.write(to: url)
            let queue = try DatabaseQueue(path: url.path)
            let (free, pages) = try await queue.read { connection in
                (
                    try Int.fetchOne(connection, sql: "PRAGMA freelist_count"),
                    // SQLite's own list of the pages of each table, without overflow pages.
                    try Row.fetchAll(connection, sql: "SELECT name, pageno FROM dbstat WHERE pagetype <> 'overflow'")
                        .map { ($0["name"] as String, $0["pageno"] as Int) }
                )
            }
            try queue.close()
            #expect(free ?? 0 > 0)
            #expect(database.freePages().count == free)
            let byTable = Dictionary(grouping: pages, by: \.0).mapValues { Set($0.map(\.1)) }
            for (name, table) in database.tables { #expect(table.tree.pages == byTable[name], "\(name)") }
            #expect(database.tables.keys.contains("Order.tags"))
            for (name, index) in database.indexes {
                #expect(IndexTree(root: index.root, isReal: nil, file).pages == byTable[name], "\(name)")
            }
            #expect(database.schema.pages == byTable["sqlite_schema"])
        }
    }

    @Test(arguments: [512, 4_096]) func everyIndexOfIntactFileListsAllRows(_ pageSize: Int) throws {
        let fixture = try SalvageFixture(seed: 9, orders: 150, pageSize: pageSize)
        let file = try #require(fixture.file)
        let database = StoredDatabase(file)
        let rows = try fixture.rows()
        let tables = SalvageTable.all(of: try #require(database.frozen), database)
        for table in tables where !table.isJoin {
            #expect(!table.indexes.isEmpty)
            for index in table.indexes {
                let tree = IndexTree(root: index.root, isReal: index.isReal, file)
                #expect(tree.isWhole && !tree.hasReplacedPages, "\(table.name) \(index.columns)")
                #expect(tree.entries.map(\.id) == rows[table.name]?.keys.sorted(), "\(table.name) \(index.columns)")
            }
            let (shape, evidence) = (try #require(table.shape), IndexEvidence(table, rows: 1, file))
            for (id, row) in rows[table.name] ?? [:] {
                let values = shape.names.map { row[$0] ?? .null }
                #expect(evidence.finding(id, values) == .confirmed)
                #expect(evidence.finding(id + 10_000, values) == .refuted)
            }
        }
    }

    @Test func indexWithForeignPageIsNotWhole() throws {
        var fixture = try SalvageFixture(seed: 21, orders: 150)
        let database = StoredDatabase(try #require(fixture.file))
        let tables = SalvageTable.all(of: try #require(database.frozen), database)
        let index = try #require(tables.first { $0.name == "Item" }?.indexes.first)
        let pages = IndexTree(root: index.root, isReal: index.isReal, database.file).pages
            .filter { database.file.page($0)?.first == 10 }.sorted()
        let count = IndexTree(root: index.root, isReal: index.isReal, database.file).entries.count
        #expect(pages.count > 2)
        let foreign = try #require(database.indexes["Order.index.status"]).root
        for source in [pages[0], foreign] {
            let content = fixture.database
            fixture.database.replaceSubrange(
                (pages[1] - 1) * 512..<pages[1] * 512,
                with: content[(source - 1) * 512..<source * 512]
            )
            let tree = IndexTree(root: index.root, isReal: index.isReal, try #require(fixture.file))
            #expect(!tree.isWhole && tree.hasReplacedPages)
            #expect(tree.entries.count < count * 2)
            fixture.database = content
        }
        let intact = IndexTree(root: index.root, isReal: index.isReal, try #require(fixture.file))
        #expect(intact.isWhole)
    }

    @Test func readingCorruptIndexPagesNeverCrashes() throws {
        let fixture = try SalvageFixture(seed: 13, orders: 150)
        let file = try #require(fixture.file)
        var random = SeededGenerator(seed: 3)
        let pages = StoredDatabase(file).indexes.values.flatMap { IndexTree(root: $0.root, isReal: nil, file).pages }
        let numbers = pages.sorted()
        var whole = 0
        for _ in 0..<5_000 {
            var page = try #require(file.page(numbers.randomElement(using: &random) ?? 2))
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let end = Bool.random(using: &random) ? 40 : page.count
                page[Int.random(in: 0..<end, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            guard let index = IndexPage(page, usableSize: 512) else { continue }
            whole += 1
            for entry in index.entries {
                _ = RecordReader(file: file).overflowPages(of: entry.record)
                _ = RecordReader(file: file).read(entry.record, in: page)
            }
        }
        #expect(whole > 100)
    }

    @Test func readingCorruptPagesNeverCrashes() throws {
        let fixture = try SalvageFixture(seed: 11, orders: 60)
        var random = SeededGenerator(seed: 1)
        let pageSize = 512
        var whole = 0
        for _ in 0..<10_000 {
            let number = Int.random(in: 1...fixture.database.count / pageSize, using: &random)
            var page = Array(fixture.database[(number - 1) * pageSize..<number * pageSize])
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                // Most changes hit the header of the page, its pointers, or the beginnings of its cells.
                let end = Bool.random(using: &random) ? 40 : pageSize
                page[Int.random(in: 0..<end, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            let file = try #require(PageFile(FileBytes(fixture.database)))
            guard case .leaf(let cells) = BTreePage(page, number: number, usableSize: pageSize) else { continue }
            whole += 1
            for cell in cells {
                _ = RecordReader.types(cell, in: page)
                _ = RecordReader(file: file).read(cell, in: page)
            }
        }
        #expect(whole > 100)
    }

    @Test func randomBytesAreNotValidPage() {
        var random = SeededGenerator(seed: 2)
        for round in 0..<2_000 {
            var page = (0..<512).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            page[0] = round % 2 == 0 ? 13 : 5
            // A few cells only, so that the pointers have room.
            if round % 4 < 2 { (page[3], page[4]) = (0, UInt8(round % 16)) }
            #expect(BTreePage(page, number: 2, usableSize: 512) == nil)
        }
    }

    @Test func inconsistentPageIsRejected() throws {
        let fixture = try SalvageFixture(seed: 7, orders: 150)
        let file = try #require(fixture.file)
        var checked = 0
        for leaf in StoredDatabase(file).tables.values.flatMap(\.tree.leaves) {
            let page = try #require(file.page(leaf.page))
            func isWhole(_ change: (inout [UInt8]) -> Void) -> Bool {
                var copy = page
                change(&copy)
                return BTreePage(copy, number: leaf.page, usableSize: file.usableSize) != nil
            }
            #expect(isWhole { _ in })
            #expect(!isWhole { $0[7] &+= 1 }, "one more fragment")
            guard page[4] > 1 else { continue }
            checked += 1
            #expect(!isWhole { $0[4] -= 1 }, "one cell less")
            // The last cell begins inside of another one.
            #expect(!isWhole { $0[8 + 2 * Int(page[4]) - 1] &+= 1 }, "a cell elsewhere")
        }
        #expect(checked > 20)
    }

    @Test func pageOfAnotherTableIsIgnored() throws {
        var fixture = try SalvageFixture(seed: 3, orders: 150)
        let before = try fixture.rows()
        let database = StoredDatabase(try #require(fixture.file))
        let orders = try #require(database.tables["Order"]?.tree.leaves)
        let items = try #require(database.tables["Item"]?.tree.leaves)
        let (victim, source) = (orders[orders.count / 2].page, items[items.count / 2].page)
        fixture.database.replaceSubrange(
            (victim - 1) * 512..<victim * 512,
            with: fixture.database[(source - 1) * 512..<source * 512]
        )
        let salvaged = try SalvageFixture.salvage(try #require(fixture.file))
        let order = try #require(salvaged.report.entities.first { $0.name == "Order" })
        #expect(order.lost.contains(175 - order.kept))
        #expect(order.lost.lowerBound > 0)
        for (id, row) in salvaged.rows["Order"] ?? [:] { #expect(before["Order"]?[id] == row) }
    }

    @Test func tableDefinitionWithUnusualNamesIsParsed() throws {
        let entity = SchemaDescription.Entity(
            name: "a); DROP TABLE \"Tag\"; --",
            columns: [
                .init(name: "it's \"unique\", really", format: "string", type: "TEXT", isRequired: true),
                .init(name: "UNIQUE", format: "int64", type: "INTEGER", isRequired: false),
                .init(
                    name: "größe (cm)",
                    format: "reference",
                    type: "INTEGER",
                    isRequired: false,
                    destination: "PRIMARY KEY"
                ),
            ],
            relationships: [],
            unique: [],
            indexes: []
        )
        let sql = SchemaStatements(SchemaDescription(entities: [entity])).table(entity)
        let definition = try #require(TableDefinition(sql))
        #expect(definition.columns.map(\.name) == ["objectID"] + entity.columns.map(\.name))
        #expect(definition.columns.map(\.type) == ["INTEGER", "TEXT", "INTEGER", "INTEGER"])
        #expect(definition.columns.map(\.isKey) == [true, false, false, false])
    }
}
#endif
