#if Objects
import Foundation
import GRDB
import LarderCore
import LarderTestTraits
import Testing

@testable import LarderObjects

/// Tests of salvaging files that are damaged in known places.
@Suite(.expectsIssues(.damaged)) struct SalvageTests {
    private func open(_ url: URL, _ model: ObjectModel = Shop.model) throws -> SQLiteStorageManager {
        let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        return try SQLiteStorageManager(model: model, url: url, configuration: configuration)
    }

    /// Creates and closes a database with orders that have an item, a customer and a tag each.
    private func makeShop(at url: URL, orders: Int = 300) async throws {
        let manager = try open(url)
        try await manager.performAndSave { storage in
            let tags = try (0..<5).map { number in
                let tag = try storage.insertNewObject(ofType: Tag.self)
                tag.name = "tag \(number)"
                return tag
            }
            for number in 0..<orders {
                let order = try storage.insertNewObject(ofType: Order.self)
                order.number = Int64(number)
                order.note = String(repeating: "note \(number) ", count: 10)
                let item = try storage.insertNewObject(ofType: Item.self)
                item.name = String(repeating: "item \(number) ", count: 5)
                order.items = [item]
                let customer = try storage.insertNewObject(ofType: Customer.self)
                customer.name = String(repeating: "customer \(number) ", count: 5)
                order.customer = customer
                order.tags = [tags[number % 5]]
            }
        }
        #expect(try manager.verify().isIntact)
        try manager.close()
    }

    /// Creates a shop, damages its file, salvages the file and opens the result, which must be intact.
    private func salvaged(
        damage: (DatabasePages) throws -> Void,
        model: ObjectModel? = nil,
        _ body: (SalvageReport, SQLiteStorageManager, URL) throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            let copy = folder.appendingPathComponent("new/copy.sqlite")
            try await makeShop(at: url)
            try damage(DatabasePages(url: url))
            let bytes = try Data(contentsOf: url)
            let report = try SQLiteStorageManager.salvage(from: url, to: copy, model: model)
            #expect(try Data(contentsOf: url) == bytes)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: copy.deletingLastPathComponent().path) == [
                    "copy.sqlite"
                ]
            )
            let manager = try open(copy)
            try body(report, manager, copy)
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    private func entity(_ name: String, _ report: SalvageReport) throws -> SalvageReport.Entity {
        try #require(report.entities.first { $0.name == name })
    }

    private func doubtful(_ url: URL, _ condition: String = "1") throws -> [String] {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: url.path, configuration: configuration)
        defer { try? queue.close() }
        return try queue.read { try String.fetchAll($0, sql: "SELECT row FROM larder_in_doubt WHERE \(condition)") }
    }

    @Test func salvageCopiesIntactFileCompletely() async throws {
        try await salvaged(damage: { _ in }) { report, manager, _ in
            #expect(report.isComplete)
            #expect(report.entities.map(\.name) == ["Customer", "Item", "Order", "Refund", "Tag"])
            #expect(report.entities.map(\.kept) == [300, 300, 300, 0, 5])
            let orders = try manager.viewStorage.allObjects(ofType: Order.self, sortedBy: [SortDescriptor(\.number)])
            #expect(orders.map(\.number) == (0..<300).map(Int64.init))
            for order in orders {
                #expect(order.items.map(\.name) == [String(repeating: "item \(order.number) ", count: 5)])
                #expect(order.tags.map(\.name) == ["tag \(order.number % 5)"])
            }
        }
    }

    @Test func salvageLosesOnlyRowsOfDestroyedLeafPage() async throws {
        try await salvaged { pages in
            try pages.damage([pages.leaves(of: "Customer")[1]])
        } _: { report, manager, copy in
            let customer = try entity("Customer", report)
            #expect(customer.kept < 300 && customer.kept > 200)
            #expect(customer.lost.contains(300 - customer.kept))
            #expect(customer.inDoubt == 0)
            // Orders that lose their customer have the rule `deny`, which no longer has any effect here.
            #expect(try entity("Order", report).kept == 300)
            #expect(report.repairedReferences == 300 - customer.kept)
            let orders = try manager.viewStorage.allObjects(ofType: Order.self)
            #expect(orders.filter { $0.customer == nil }.count == 300 - customer.kept)
        }
    }

    @Test func rowsWithLostRelatedObjectAreInDoubt() async throws {
        try await salvaged { pages in
            try pages.damage([pages.leaves(of: "Order")[1]])
        } _: { report, manager, copy in
            let (order, item) = (try entity("Order", report), try entity("Item", report))
            #expect(order.lost.contains(300 - order.kept) && order.lost.lowerBound > 0)
            #expect(item.kept == order.kept)
            #expect(item.inDoubt == 300 - order.kept)
            #expect(item.lost == 0...0)
            let rows = try doubtful(copy, "entity = 'Item'")
            #expect(rows.count == item.inDoubt)
            #expect(rows.allSatisfy { $0.contains("\"name\":\"item ") && $0.contains("\"quantity\":1") })
            for order in try manager.viewStorage.allObjects(ofType: Order.self) { #expect(order.tags.count == 1) }
        }
    }

    @Test func rowsBelowDestroyedRootPageAreInDoubt() async throws {
        try await salvaged { pages in
            try pages.damage([pages.root(of: "Customer")])
        } _: { report, _, copy in
            let customer = try entity("Customer", report)
            #expect(customer.kept == 0)
            #expect(customer.inDoubt == 300)
            #expect(customer.lost.contains(300))
            #expect(report.unknownInDoubt == 0)
            #expect(try doubtful(copy, "entity = 'Customer' AND page IS NOT NULL").count == 300)
        }
    }

    /// Two entities whose rows can't be told apart.
    enum Twins {
        @Entity final class Left { var name: String = "" }
        @Entity final class Right { var name: String = "" }
        static let model = ObjectModel([Left.self, Right.self])
    }

    @Test func rowsMatchingTwoTablesAreInDoubt() async throws {
        try await withTemporaryFolder { folder in
            let (url, copy) = (folder.appendingPathComponent("a.sqlite"), folder.appendingPathComponent("copy.sqlite"))
            let manager = try open(url, Twins.model)
            try await manager.performAndSave { storage in
                for number in 0..<300 {
                    let name = String(repeating: "\(number) ", count: 20)
                    try storage.insertNewObject(ofType: Twins.Left.self).name = "left " + name
                    try storage.insertNewObject(ofType: Twins.Right.self).name = "right " + name
                }
            }
            #expect(try manager.verify().problems == [])
            try manager.close()
            let pages = DatabasePages(url: url)
            let (left, right) = (try pages.root(of: "Left"), try pages.root(of: "Right"))
            var content = try Data(contentsOf: url)
            content.replaceSubrange(
                (right - 1) * 4_096..<right * 4_096,
                with: Data(content[(left - 1) * 4_096..<left * 4_096])
            )
            try content.write(to: url)
            let report = try SQLiteStorageManager.salvage(from: url, to: copy)
            #expect(report.entities.map(\.kept) == [0, 0])
            #expect(report.entities.map(\.lost.upperBound).allSatisfy { $0 >= 300 })
            #expect(report.unknownInDoubt == 600)
            #expect(try doubtful(copy, "entity IS NULL AND reason LIKE '%several tables%'").count == 300)
            let again = try open(copy, Twins.model)
            #expect(try again.verify().problems == [])
            try again.close()
        }
    }

    @Test func rowWithIDInTwoTablesIsInDoubtInBoth() async throws {
        try await withTemporaryFolder { folder in
            let (url, copy) = (folder.appendingPathComponent("a.sqlite"), folder.appendingPathComponent("copy.sqlite"))
            let manager = try open(url, Twins.model)
            try await manager.performAndSave { storage in
                for number in 0..<5 {
                    try storage.insertNewObject(ofType: Twins.Left.self).name = "left \(number)"
                    try storage.insertNewObject(ofType: Twins.Right.self).name = "right \(number)"
                }
            }
            #expect(try manager.verify().problems == [])
            try manager.close()
            let pages = DatabasePages(url: url)
            let (left, right) = (try pages.root(of: "Left"), try pages.root(of: "Right"))
            var content = try Data(contentsOf: url)
            content.replaceSubrange(
                (right - 1) * 4_096..<right * 4_096,
                with: Data(content[(left - 1) * 4_096..<left * 4_096])
            )
            try content.write(to: url)
            let report = try SQLiteStorageManager.salvage(from: url, to: copy)
            #expect(report.entities.map(\.kept) == [0, 0])
            #expect(report.entities.map(\.inDoubt) == [5, 5])
        }
    }

    @Test func rowWithErasedOverflowPageIsInDoubt() async throws {
        try await withTemporaryFolder { folder in
            let (url, copy) = (folder.appendingPathComponent("a.sqlite"), folder.appendingPathComponent("copy.sqlite"))
            let manager = try open(url, Twins.model)
            try await manager.performAndSave { storage in
                for number in 0..<5 {
                    try storage.insertNewObject(ofType: Twins.Left.self).name = String(
                        repeating: "\(number)",
                        count: 9_000
                    )
                }
            }
            #expect(try manager.verify().problems == [])
            try manager.close()
            var content = try Array(Data(contentsOf: url))
            let file = try #require(PageFile(FileBytes(content)))
            let tree = try #require(StoredDatabase(file).tables["Left"]?.tree)
            var page = try #require(tree.rows(of: tree.leaves[0], file)?.cells[0].overflow)
            while let next = file.page(page)?.uint32(at: 0), next != 0 { page = next }
            content.replaceSubrange((page - 1) * 4_096..<page * 4_096, with: [UInt8](repeating: 0, count: 4_096))
            try Data(content).write(to: url)
            let report = try SQLiteStorageManager.salvage(from: url, to: copy)
            let entity = try entity("Left", report)
            #expect(entity.kept == 4 && entity.inDoubt == 1 && entity.lost == 0...0)
            let again = try open(copy, Twins.model)
            #expect(try again.viewStorage.allObjects(ofType: Twins.Left.self).allSatisfy { Set($0.name).count == 1 })
            #expect(try again.verify().problems == [])
            try again.close()
        }
    }

    @Test func salvageGuessesPageSizeIfHeaderIsLost() async throws {
        try await salvaged { pages in
            var content = try Data(contentsOf: pages.url)
            content.replaceSubrange(0..<100, with: Data(count: 100))
            try content.write(to: pages.url)
        } _: { report, _, _ in
            #expect(report.entities.map(\.kept) == [300, 300, 300, 0, 5])
            #expect(report.notes.count == 1 && report.notes[0].contains("4096 bytes"))
        }
    }

    @Test func lostSchemaPutsAllRowsInDoubt() async throws {
        try await salvaged(
            damage: { pages in
                var content = try Data(contentsOf: pages.url)
                content.replaceSubrange(0..<4_096, with: Data(count: 4_096))
                try content.write(to: pages.url)
            },
            model: Shop.model
        ) { report, _, copy throws in
            #expect(report.entities.allSatisfy { $0.kept == 0 })
            let found = report.entities.map(\.inDoubt).reduce(report.unknownInDoubt, +)
            #expect(found >= 905)
            #expect(try entity("Order", report).inDoubt == 300)
            #expect(try doubtful(copy).contains { $0.contains("note 299 ") })
        }
    }

    @Test func salvageWithoutStoredModelRequiresModelArgument() async throws {
        let damage = { (pages: DatabasePages) in try pages.damage([pages.root(of: "larder_model")]) }
        let error = await #expect(throws: ObjectError.self) { try await salvaged(damage: damage) { _, _, _ in } }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("Pass the program's model") == true)
        try await salvaged(damage: damage, model: Shop.model) { report, _, _ in
            #expect(report.entities.map(\.kept) == [300, 300, 300, 0, 5])
            #expect(report.notes.contains { $0.contains("description") })
        }
    }

    @Test func olderDuplicateOfUniqueValueIsInDoubt() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            try await makeShop(at: url, orders: 3)
            // The index is dropped, as if it had been lost with a damaged page.
            let queue = try DatabaseQueue(path: url.path)
            try await queue.write { database in
                try database.execute(
                    sql: "DROP INDEX \"Tag.unique.name\"; UPDATE Tag SET name = 'same' WHERE objectID < 4"
                )
            }
            try queue.close()
            let copy = folder.appendingPathComponent("copy.sqlite")
            let report = try SQLiteStorageManager.salvage(from: url, to: copy)
            #expect(try entity("Tag", report).kept == 3)
            #expect(try entity("Tag", report).inDoubt == 2)
            let manager = try open(copy)
            #expect(try manager.viewStorage.allObjects(ofType: Tag.self).map { Int($0.objectID.rowID) } == [3, 4, 5])
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    @Test func salvagedDatabaseAssignsUnusedIDs() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            try await makeShop(at: url)
            let pages = DatabasePages(url: url)
            try pages.damage([pages.root(of: "larder_sequence"), pages.root(of: "Item")])
            let copy = folder.appendingPathComponent("copy.sqlite")
            try SQLiteStorageManager.salvage(from: url, to: copy)
            let manager = try open(copy)
            try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "new" }
            let tag = try #require(try manager.viewStorage.allObjects(ofType: Tag.self).last)
            #expect(tag.objectID.rowID > 905)
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    @Test(arguments: ["objects-v1.sqlite", "objects-v2.sqlite", "objects-v3.sqlite"])
    func goldenFileIsSalvagedCompletely(_ name: String) async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent(name)
            try FileManager.default.copyItem(at: GoldenObjectFileTests.file(name), to: url)
            let copy = folder.appendingPathComponent("copy.sqlite")
            #expect(try SQLiteStorageManager.salvage(from: url, to: copy).isComplete)
            for model in [GoldenModel.model, GoldenModel.later] {
                let manager = try open(copy, model)
                try GoldenContent.check(manager.viewStorage)
                #expect(try manager.verify().problems == [])
                try manager.close()
            }
        }
    }

    @Test func commitsInWriteAheadLogAreSalvaged() async throws {
        try await withTemporaryFolder { folder in
            let (url, moved) = (
                folder.appendingPathComponent("shop.sqlite"), folder.appendingPathComponent("moved.sqlite")
            )
            try await makeShop(at: url, orders: 3)
            let queue = try DatabaseQueue(path: url.path)
            try await queue.write {
                try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0; UPDATE Tag SET name = 'late' WHERE objectID = 1")
            }
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: url.path + suffix, toPath: moved.path + suffix)
            }
            try queue.close()
            let copy = folder.appendingPathComponent("copy.sqlite")
            #expect(try SQLiteStorageManager.salvage(from: moved, to: copy).isComplete)
            let manager = try open(copy)
            #expect(try manager.viewStorage.firstObject(ofType: Tag.self)?.name == "late")
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    @Test func salvageProgressIncreasesToOne() async throws {
        try await withTemporaryFolder { folder in
            let (url, copy) = (
                folder.appendingPathComponent("shop.sqlite"), folder.appendingPathComponent("copy.sqlite")
            )
            try await makeShop(at: url)
            var fractions: [Double] = []
            try SQLiteStorageManager.salvage(from: url, to: copy) { fractions.append($0.fraction) }
            #expect(fractions.last == 1)
            #expect(fractions == fractions.sorted())
        }
    }

    @Test func openDatabaseCannotBeSalvaged() async throws {
        try await withTemporaryFolder { folder in
            let (url, copy) = (
                folder.appendingPathComponent("shop.sqlite"), folder.appendingPathComponent("copy.sqlite")
            )
            try await makeShop(at: url, orders: 3)
            let manager = try open(url)
            let error = #expect(throws: ObjectError.self) { try SQLiteStorageManager.salvage(from: url, to: copy) }
            #expect(error?.code == .busy)
            #expect(try manager.verify().problems == [])
            try manager.close()
            try SQLiteStorageManager.salvage(from: url, to: copy)
            let taken = #expect(throws: ObjectError.self) { try SQLiteStorageManager.salvage(from: url, to: copy) }
            #expect(taken?.code == .inaccessible && taken?.path == copy.path)
        }
    }

    @Test func salvagingMissingOrForeignFileFails() async throws {
        try await withTemporaryFolder { folder in
            let (url, copy) = (folder.appendingPathComponent("a.sqlite"), folder.appendingPathComponent("copy.sqlite"))
            let missing = #expect(throws: ObjectError.self) { try SQLiteStorageManager.salvage(from: url, to: copy) }
            #expect(missing?.code == .inaccessible)
            for content in [Data(), Data("Dear diary, this is no database at all.".utf8), Data(count: 100_000)] {
                try content.write(to: url)
                let error = #expect(throws: ObjectError.self) {
                    try SQLiteStorageManager.salvage(from: url, to: copy, model: Shop.model)
                }
                #expect(error?.code == .notADatabase)
            }
            try FileManager.default.removeItem(at: url)
            let queue = try DatabaseQueue(path: url.path)
            try await queue.write { try $0.execute(sql: "CREATE TABLE theirs (a); PRAGMA application_id = 5") }
            try queue.close()
            let foreign = #expect(throws: ObjectError.self) {
                try SQLiteStorageManager.salvage(from: url, to: copy, model: Shop.model)
            }
            #expect(foreign?.code == .foreignDatabase)
            #expect(!FileManager.default.fileExists(atPath: copy.path))
        }
    }

    @Test func salvageReportIsCodable() throws {
        let report = SalvageReport(
            entities: [.init(name: "Order", kept: 1, lost: 0...2, inDoubt: 3)],
            unknownInDoubt: 4,
            repairedReferences: 5,
            hasReplacedPages: true,
            notes: ["a"]
        )
        #expect(try JSONDecoder().decode(SalvageReport.self, from: JSONEncoder().encode(report)) == report)
    }
}
#endif
