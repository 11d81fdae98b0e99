#if Objects
import Dispatch
import Foundation
import LarderCore
@testable import LarderObjects
import LarderTestSupport
import Synchronization
import Testing

/// Tests of inspections of databases that are corrupt or can't be read for a while.
@Suite struct InspectedDamageTests {
    @Test func lookingDoesNotMakeTheManagerReadOnly() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            func open() throws -> SQLiteStorageManager {
                let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
                return try SQLiteStorageManager(model: Shop.model, url: url, configuration: configuration)
            }
            let made = try open()
            try await made.performAndSave { try $0.insertNewObject(ofType: Item.self).name = "first" }
            try made.close()
            let pages = DatabasePages(url: url)
            try pages.damage([pages.root(of: "Item")])
            let manager = try open()
            let error = #expect(throws: ObjectError.self) {
                try manager.inspectionPage(InspectionQuery(table: "Item"))
            }
            #expect(error?.code == .damaged)
            #expect(try manager.inspectionTables().count == 5)
            #expect(try manager.inspectionFacts().contains { $0.name == "health" && $0.value.hasPrefix("corrupt") })
            try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "red" }
            #expect(try manager.viewStorage.countObjects(ofType: Tag.self) == 1)
            try manager.close()
        }
    }

    /// A source whose next read can be made to fail.
    private final class BusySource: InspectedSource {
        let database: ObjectDatabase
        let isBusy = Atomic(false)

        init(_ database: ObjectDatabase) { self.database = database }

        var path: String { database.path }
        var knowledge: InspectedKnowledge { database.knowledge }
        var inspectionLimits: InspectionLimits { InspectionLimits() }

        func reading<Result>(_ body: (StatementCache) throws -> Result) throws -> Result {
            if isBusy.exchange(false, ordering: .relaxed) { throw ObjectError(.busy, "The file is busy.") }
            return try database.reading(body)
        }
    }

    @Test func saveIsReportedAfterReadFailed() async throws {
        try await withStorage(.file) { manager in
            let database = try ObjectDatabase(reading: manager.url.path)
            defer { database.close() }
            let source = BusySource(database)
            let seen = Box<[InspectionEvent]>([])
            let made = try SaveFollower(source, pause: .milliseconds(1)) { event in seen.update { $0.append(event) } }
            let follower = try #require(made)
            for number in 1...2 {
                try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "tag \(number)" }
                source.isBusy.store(true, ordering: .relaxed)
                follower.noteSave()
                try await waitUntil("save \(number)") { seen.value.count == number }
            }
            follower.end()
            #expect(!source.isBusy.load(ordering: .relaxed) && !seen.value.contains(.missed))
        }
    }

    @Test func closedManagerIsNotReadAgain() async throws {
        try await withTemporaryFolder { folder in
            let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
            let manager = try SQLiteStorageManager(
                model: Shop.model,
                name: "shop",
                in: folder,
                configuration: configuration
            )
            let observation = try #require(try manager.observeForInspection { _ in })
            #expect(try manager.verify().problems == [])
            try manager.close()
            let error = #expect(throws: ObjectError.self) { try manager.inspectionTables() }
            #expect(error?.code == .expired)
            observation.cancel()
        }
    }
}
#endif
