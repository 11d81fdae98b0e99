#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import LarderTestTraits
import Testing

/// Tests of files that can't be opened, which cause an error with the path and remain unchanged.
@Suite struct OpeningTests {
    private func open(
        _ url: URL,
        _ model: ObjectModel = Shop.model,
        _ policy: MismatchPolicy = .refuse
    ) throws
        -> SQLiteStorageManager
    {
        let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"), onMismatch: policy)
        return try SQLiteStorageManager(model: model, url: url, configuration: configuration)
    }

    /// Creates a database that contains some orders, then closes it.
    private func makeShop(at url: URL, orders: Int = 300) async throws {
        let manager = try open(url)
        try await manager.performAndSave { storage in
            for number in 0..<orders {
                let order = try storage.insertNewObject(ofType: Order.self)
                order.number = Int64(number)
                order.note = String(repeating: "note \(number) ", count: 20)
            }
        }
        #expect(try manager.verify().isIntact)
        try manager.close()
    }

    /// Returns the error that opening a file throws, and checks that the file is unchanged.
    private func refusal(_ content: Data) async throws -> ObjectError? {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            try content.write(to: url)
            let error = #expect(throws: ObjectError.self) { _ = try open(url) }
            #expect(try Data(contentsOf: url) == content)
            #expect(error?.path == url.path)
            return error
        }
    }

    @Test func openingEmptyFileFails() async throws { #expect(try await refusal(Data())?.code == .notADatabase) }

    @Test func openingTextFileFails() async throws {
        #expect(try await refusal(Data("Dear diary, this is no database at all.".utf8))?.code == .notADatabase)
    }

    @Test func openingFolderFails() async throws {
        try await withTemporaryFolder { folder throws in
            let error = #expect(throws: ObjectError.self) { _ = try open(folder) }
            #expect(error?.code == .notADatabase && error?.path == folder.path)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        }
    }

    @Test func openingUnwritablePathFails() async throws {
        let error = #expect(throws: ObjectError.self) { _ = try open(URL(fileURLWithPath: "/proc/larder/shop.sqlite")) }
        #expect(error?.code == .inaccessible)
        await Task.yield()
    }

    @Test func openingDatabaseOfAnotherApplicationFails() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("theirs.sqlite")
            let queue = try DatabaseQueue(path: url.path)
            try await queue.write { try $0.execute(sql: "CREATE TABLE theirs (a); PRAGMA application_id = 5") }
            try queue.close()
            let content = try Data(contentsOf: url)
            let error = #expect(throws: ObjectError.self) { _ = try open(url) }
            #expect(error?.code == .foreignDatabase)
            #expect(try Data(contentsOf: url) == content)
        }
    }

    @Test func openingFileWithNewerModelVersionFails() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            let newer = ObjectModel([Order.self, Item.self, Customer.self, Refund.self, Tag.self], version: 2)
            try open(url, newer).close()
            let content = try Data(contentsOf: url)
            let error = #expect(throws: ObjectError.self) { _ = try open(url) }
            #expect(error?.code == .storeIsNewer)
            #expect(try Data(contentsOf: url) == content)
            let manager = try open(url, newer)
            #expect(try manager.verify().isIntact)
        }
    }

    @Test func openingTruncatedDatabaseReportsCorruption() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            try await makeShop(at: url)
            let content = try Data(contentsOf: url).prefix(40_960)
            try content.write(to: url)
            let error = #expect(throws: ObjectError.self) {
                let manager = try open(url)
                _ = try manager.viewStorage.allObjects(ofType: Order.self)
            }
            #expect(error?.code == .damaged)
            #expect(try Data(contentsOf: url) == content)
        }
    }

    @Test(.expectsIssues(.damaged)) func queryReportsCorruptPage() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            try open(url).close()
            // The schema is on the pages of the empty file.
            let empty = try Data(contentsOf: url).count
            try await makeShop(at: url)
            var content = try Data(contentsOf: url)
            for offset in empty..<content.count where offset % 4_096 < 200 { content[offset] ^= 0xFF }
            try content.write(to: url)
            let manager = try open(url)
            let error = #expect(throws: ObjectError.self) {
                _ = try manager.viewStorage.allObjects(ofType: Order.self)
            }
            #expect(error?.code == .damaged)
            #expect(try !manager.verify().isIntact)
            try manager.close()
            // Opening changes only a counter in the header, which is on the first page.
            #expect(
                try Data(contentsOf: url).dropFirst(4_096).prefix(content.count - 4_096) == content.dropFirst(4_096)
            )
        }
    }

    @Test func closedManagerCannotRead() async throws {
        try await withTemporaryFolder { folder in
            let manager = try open(folder.appendingPathComponent("shop.sqlite"))
            try manager.close()
            let error = #expect(throws: ObjectError.self) { try manager.viewStorage.countObjects(ofType: Order.self) }
            #expect(error?.code == .expired)
        }
    }

    @Test func operationStartedAfterCloseFails() async throws {
        try await withTemporaryFolder { folder in
            let manager = try open(folder.appendingPathComponent("shop.sqlite"))
            try manager.close()
            await #expect(throws: (any Error).self) {
                try await manager.performAndSave { _ = try $0.insertNewObject(ofType: Tag.self) }
            }
        }
    }

    @Test func inMemoryDatabaseLeavesNoFile() throws {
        let manager = try SQLiteStorageManager(inMemory: Shop.model)
        let folder = manager.url.deletingLastPathComponent().path
        #expect(FileManager.default.fileExists(atPath: folder))
        try manager.close()
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test(arguments: [3_007_017, 3_036_000, 3_036_999] as [Int32])
    func sqliteBefore337IsRejectedWithSpecificMessage(_ number: Int32) throws {
        let error = #expect(throws: ObjectError.self) { try SQLiteVersion(number: number).check() }
        #expect(error?.code == .unsupportedSQLite)
        for part in ["3.37", "\(SQLiteVersion(number: number))", "Update"] {
            #expect(error?.message.contains(part) == true)
        }
    }

    @Test func sqliteFrom337IsAccepted() throws {
        for number: Int32 in [3_037_000, 3_040_001, 3_051_003] { try SQLiteVersion(number: number).check() }
        #expect(SQLiteVersion(number: 3_007_017).description == "3.7.17")
    }

    @Test func patchReleasesHaveFixOfLogReset() {
        for number: Int32 in [3_040_001, 3_044_005, 3_045_000, 3_050_006, 3_051_000, 3_051_002] {
            #expect(SQLiteVersion(number: number).hasLogResetRace, "\(number)")
        }
        for number: Int32 in [3_044_006, 3_044_099, 3_050_007, 3_051_003, 3_052_000] {
            #expect(!SQLiteVersion(number: number).hasLogResetRace, "\(number)")
        }
    }
}
#endif
