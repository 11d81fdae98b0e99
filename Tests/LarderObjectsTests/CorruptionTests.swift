#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import LarderTestTraits
import Testing

/// Tests of a manager whose database is damaged according to SQLite.
@Suite(.expectsIssues(.damaged, .notConvertible)) struct CorruptionTests {
    private func open(_ url: URL) throws -> SQLiteStorageManager {
        let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        return try SQLiteStorageManager(model: Shop.model, url: url, configuration: configuration)
    }

    /// Creates a database that contains many orders with one item each, then closes it.
    private func makeShop(at url: URL, orders: Int) async throws {
        let manager = try open(url)
        try await manager.performAndSave { storage in
            try storage.insertNewObject(ofType: Tag.self).name = "first"
            for number in 0..<orders {
                let order = try storage.insertNewObject(ofType: Order.self)
                order.number = Int64(number)
                let item = try storage.insertNewObject(ofType: Item.self)
                item.name = String(repeating: "item \(number) ", count: 5)
                order.items = [item]
            }
        }
        #expect(try manager.verify().isIntact)
        try manager.close()
    }

    /// The calls that detect the damage.
    enum Sign: CaseIterable {
        case verification, fetch, values, accessor, work, rawSQL
    }

    private func find(_ sign: Sign, _ manager: SQLiteStorageManager) async throws {
        switch sign {
        case .verification: #expect(try !manager.verify().isIntact)
        case .fetch: #expect(throws: ObjectError.self) { try manager.viewStorage.allObjects(ofType: Item.self) }
        case .values:
            await #expect(throws: ObjectError.self) {
                try await manager.fetchValues(ObjectRequest<Item>()) { $0.name }
            }
        case .accessor:
            let order = try #require(try manager.viewStorage.firstObject(ofType: Order.self))
            withIssueHandler({ _ in }) { #expect(order.items.isEmpty) }
            // The next read throws the error that the accessor could not throw.
            #expect(throws: ObjectError.self) { try manager.viewStorage.countObjects(ofType: Order.self) }
        case .work:
            await #expect(throws: ObjectError.self) {
                try await manager.performAndSave { _ = try $0.allObjects(ofType: Item.self) }
            }
        case .rawSQL:
            await #expect(throws: ObjectError.self) {
                try await manager.write { _ = try Row.fetchAll($0, sql: "SELECT * FROM Item") }
            }
        }
    }

    @Test(arguments: Sign.allCases)
    func writesFailAfterCorruptionIsDetected(by sign: Sign) async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            try await makeShop(at: url, orders: 300)
            let pages = DatabasePages(url: url)
            try pages.damage([pages.root(of: "Item")])
            let content = try Data(contentsOf: url)
            let manager = try open(url)
            try await find(sign, manager)

            let errors = [
                await #expect(throws: ObjectError.self) {
                    try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "late" }
                },
                await #expect(throws: ObjectError.self) {
                    try await manager.performAndSave { storage in
                        try storage.batchUpdate(ofType: Tag.self, set: [.set(\.name, to: "late")])
                    }
                },
                await #expect(throws: ObjectError.self) {
                    try await manager.write { try $0.execute(sql: "UPDATE Tag SET name = 'late'") }
                },
                #expect(throws: ObjectError.self) { try manager.reset() },
            ]
            for error in errors {
                #expect(error?.code == .damaged)
                #expect(error?.message.contains("read-only") == true)
            }
            #expect(try manager.viewStorage.allObjects(ofType: Tag.self).map(\.name) == ["first"])
            _ = try manager.viewStorage.countObjects(ofType: Order.self)
            try manager.close()
            #expect(try Data(contentsOf: url) == content)
            let database = try ObjectDatabase(reading: url.path)
            #expect(try database.rows(of: database.entity("Tag")).rows.map(\.last) == ["first"])
            #expect(try database.verify() != [])
            database.close()
        }
    }

    @Test func operationIgnoringCorruptionErrorIsRolledBack() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            try await makeShop(at: url, orders: 300)
            let pages = DatabasePages(url: url)
            try pages.damage([pages.root(of: "Item")])
            let manager = try open(url)
            let error = await #expect(throws: ObjectError.self) {
                try await manager.performAndSave { storage in
                    _ = try storage.batchUpdate(ofType: Tag.self, set: [.set(\.name, to: "late")])
                    _ = try? storage.allObjects(ofType: Item.self)
                }
            }
            #expect(error?.code == .damaged)
            #expect(try manager.viewStorage.allObjects(ofType: Tag.self).map(\.name) == ["first"])
            #expect(try !manager.verify().isIntact)
            try manager.close()
        }
    }

    @Test func corruptionIsReportedOnce() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            try await makeShop(at: url, orders: 300)
            let pages = DatabasePages(url: url)
            try pages.damage([pages.root(of: "Item")])
            let manager = try open(url)
            let codes = Box<[LarderIssue.Code]>([])
            for _ in 0..<3 {
                withIssueHandler({ codes.value.append($0.code) }) {
                    _ = #expect(throws: ObjectError.self) { try manager.viewStorage.allObjects(ofType: Item.self) }
                }
            }
            #expect(codes.value == [.damaged])
            #expect(try !manager.verify().isIntact)
            try manager.close()
        }
    }

    @Test func corruptRelationshipIsReportedOnceWithShortMessage() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            try await makeShop(at: url, orders: 3_000)
            let pages = DatabasePages(url: url)
            try pages.damage([pages.root(of: "Item")])
            let manager = try open(url)
            let issues = Box<[LarderIssue]>([])
            try withIssueHandler({ issues.value.append($0) }) {
                for order in try manager.viewStorage.allObjects(ofType: Order.self) { #expect(order.items.isEmpty) }
            }
            #expect(issues.value.filter { $0.code == .readFailed }.count == 1)
            #expect(issues.value.count <= 2)
            #expect(issues.value.allSatisfy { $0.description.utf8.count < 4_000 })
            let error = #expect(throws: ObjectError.self) { try manager.viewStorage.countObjects(ofType: Tag.self) }
            #expect(error?.code == .faultFailed)
            #expect(error.map { $0.description.utf8.count < 4_000 } == true)
            #expect(try manager.viewStorage.countObjects(ofType: Tag.self) == 1)
            try manager.close()
        }
    }

    @Test func corruptPageMakesOnlyItsObjectsUnreadable() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            try await makeShop(at: url, orders: 300)
            let pages = DatabasePages(url: url)
            let leaves = try pages.leaves(of: "Item")
            try pages.damage([try #require(leaves.last)])
            let manager = try open(url)
            let read = try withIssueHandler({ _ in }) {
                try manager.viewStorage.allObjects(ofType: Order.self).filter { !$0.items.isEmpty }.count
            }
            #expect(read > 100 && read < 300)
            #expect(try !manager.verify().isIntact)
            try manager.close()
        }
    }

    @Test func unreadableRelationshipRollsBackOperation() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { try $0.insertNewObject(ofType: Order.self).number = 1 }
            try await manager.write { try $0.execute(sql: "ALTER TABLE Item RENAME TO Hidden") }
            let error = await #expect(throws: ObjectError.self) {
                try await manager.performAndSave { storage in
                    let order = try #require(try storage.firstObject(ofType: Order.self))
                    order.quantity = withIssueHandler({ _ in }) { order.items.count + 7 }
                    _ = try? storage.countObjects(ofType: Tag.self)
                }
            }
            #expect(error?.code == .faultFailed)
            try await manager.write { try $0.execute(sql: "ALTER TABLE Hidden RENAME TO Item") }
            #expect(try manager.viewStorage.firstObject(ofType: Order.self)?.quantity == 0)
        }
    }
}
#endif
