#if Objects
import Dispatch
import Foundation
import GRDB
import LarderCore
import LarderObjects
import LarderTestTraits
import Testing

/// Tests of lists under unusual conditions: contention, read-only and closed managers, small stacks, and a schema that another program changes.
@Suite struct ListConditionsTests {
    private static let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))

    private func withFile(_ body: (URL) async throws -> Void) async throws {
        try await withTemporaryFolder { try await body($0.appendingPathComponent("shop.sqlite")) }
    }

    private static func open(_ url: URL) throws -> SQLiteStorageManager {
        try SQLiteStorageManager(model: Shop.model, url: url, configuration: configuration)
    }

    @Test func requestIsReplacedWhileThreadsSave() async throws {
        try await withStorage { manager in
            try await Orders.insert(Array(0..<20), manager)
            let list = try await LiveList(manager, Orders.byNumber)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for thread in 0..<4 as Range<Int64> {
                    group.addTask {
                        for step in 0..<15 as Range<Int64> {
                            try await Orders.change((thread * 5 + step) % 20, manager) { $0.quantity = Int(step % 4) }
                            try await Orders.insert([100 + thread * 100 + step], manager)
                        }
                    }
                }
                group.addTask {
                    for step in 0..<20 {
                        try await list.read { controller in
                            switch step % 3 {
                            case 0: try controller.setRequest(Orders.byNumber)
                            case 1:
                                try controller.setRequest(
                                    ObjectRequest(\.quantity > 1),
                                    sectionBy: SortDescriptor(\.quantity, order: .reverse)
                                )
                            default:
                                try controller.setRequest(
                                    ObjectRequest(sortedBy: [SortDescriptor(\.quantity)], limit: 10, offset: 5)
                                )
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            // The last request is the second one.
            try await list.check(ObjectRequest(\.quantity > 1), sectionBy: SortDescriptor(\.quantity, order: .reverse))
        }
    }

    @Test func listOfReadOnlyManagerFollowsOtherManager() async throws {
        try await withFile { url in
            let writer = try Self.open(url)
            try await Orders.insert([1, 3], writer)
            let reader = try SQLiteStorageManager.openReadOnly(
                model: Shop.model,
                url: url,
                configuration: ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "reader"))
            )
            let list = try await LiveList(reader, Orders.byNumber, sectionBy: SortDescriptor(\.quantity))
            var updates = try await list.read { $0.updates }.makeAsyncIterator()
            #expect(await updates.next()?.snapshot.count == 2)
            let ids = try await Orders.insert([2], writer) { $0.quantity = 5 }
            let changes = try #require(await updates.next()).changes
            #expect(changes.insertions.map(\.id) == ids && changes.insertedSections.map(\.title) == ["5"])
            try await list.check(Orders.byNumber, sectionBy: SortDescriptor(\.quantity))
            #expect(try writer.verify().problems == [])
            try reader.close()
            try writer.close()
        }
    }

    @Test func closedManagerRefusesNewListsAndRequests() async throws {
        let manager = try SQLiteStorageManager(inMemory: Shop.model, configuration: Self.configuration)
        try await Orders.insert([1], manager)
        let list = try await LiveList(manager, Orders.byNumber)
        let order = try await list.read { try $0.object(at: ResultsPath(section: 0, item: 0)).number }
        #expect(order == 1)
        #expect(try manager.verify().problems == [])
        try manager.close()
        let code = { (body: () throws -> Void) -> ObjectError.Code? in
            do { try body() } catch { return (error as? ObjectError)?.code }
            return nil
        }
        let view = manager.viewStorage
        #expect(code { _ = try (view as? ViewContext)?.results(Orders.byNumber) } == .expired)
        var values = manager.results(Orders.byNumber, sectionBy: nil) { $0.number }.makeAsyncIterator()
        #expect(try await values.next() == nil)
        #expect(try await list.snapshot.count == 1)
    }

    @Test func listIsReadOnSmallThread() async throws {
        try await withStorage { manager in
            try await Orders.insert(Array(0..<500), manager) { $0.quantity = Int($0.number % 50) }
            let shown = try await onSmallThread {
                let view = try #require(manager.viewStorage as? ViewContext)
                let list = try view.results(
                    ObjectRequest(
                        \Order.customer?.name == nil && \Order.customer?.boss?.age == nil,
                        sortedBy: [SortDescriptor(\.customer?.boss?.name), SortDescriptor(\.number, order: .reverse)]
                    ),
                    sectionBy: SortDescriptor(\.quantity)
                )
                try list.setRequest(Orders.byNumber, sectionBy: SortDescriptor(\.quantity, order: .reverse))
                return try list.snapshot.sections.indices.flatMap { try list.objects(in: $0).map(\.number) }
            }
            #expect(shown.count == 500 && shown.first == 49)
        }
    }

    /// Another program, which does not use Larder's locks, can change the schema while the file is open.
    @Test(.expectsIssues(.readFailed)) func removedSectionPropertyIsError() async throws {
        try await withFile { url in
            let manager = try Self.open(url)
            let ids = try await Orders.insert([1, 2], manager) { $0.quantity = 7 }
            let list = try await LiveList(manager, Orders.byNumber, sectionBy: SortDescriptor(\.quantity))
            let changes = manager.changes
            var iterator = changes.makeAsyncIterator()
            let program = try DatabaseQueue(path: url.path)
            try await program.write { database in
                try database.execute(sql: "ALTER TABLE \"Order\" DROP COLUMN quantity")
                try database.execute(sql: "UPDATE \"Order\" SET number = 9 WHERE number = 1")
            }
            _ = await iterator.next()
            #expect(try await list.read { $0.error != nil })
            #expect(try await list.sections == ["7: 2"])
            try await program.write { database in
                try database.execute(sql: "ALTER TABLE \"Order\" ADD COLUMN quantity INTEGER NOT NULL DEFAULT 3")
                try database.execute(sql: "UPDATE \"Order\" SET note = 'x' WHERE number = 2")
            }
            _ = await iterator.next()
            #expect(try await list.read { $0.error == nil })
            #expect(try await list.sections == ["3: 2"])
            #expect(Array(try await list.snapshot.ids) == ids.reversed())
            try await list.check(Orders.byNumber, sectionBy: SortDescriptor(\.quantity))
            try program.close()
            try manager.close()
        }
    }
}
#endif
