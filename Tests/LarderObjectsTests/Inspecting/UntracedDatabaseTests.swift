#if Objects
import Dispatch
import Foundation
import LarderCore
import LarderObjects
import Testing

/// Tests that a database can be read without a change in its folder.
@Suite struct UntracedDatabaseTests {
    /// The names, contents and modification times of the files in a folder.
    private func listing(_ folder: URL) throws -> [String: String] {
        var files: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let url = folder.appendingPathComponent(name)
            let date = try FileManager.default.attributesOfItem(atPath: url.path)[.modificationDate]
            files[name] = "\(try Data(contentsOf: url).base64EncodedString()) \(String(describing: date))"
        }
        return files
    }

    /// Uses everything that an inspection shows, and returns the number of tags.
    private func use(_ database: ObjectDatabase) throws -> Int? {
        _ = try database.inspectionFacts()
        _ = try database.inspectionReports()
        _ = try database.inspectionStatistics()
        _ = try database.inspectionPage(InspectionQuery(table: "Order"))
        #expect(try database.observeForInspection { _ in } == nil)
        return try database.inspectionTables().last?.count
    }

    /// Runs `body` with a database file that has two tags, of which one is only in the log if `hasLog` is `true`.
    private func withFile(hasLog: Bool, _ body: (URL) throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let made = folder.appendingPathComponent("made")
            let copy = folder.appendingPathComponent("copy #1?%")
            let manager = try SQLiteStorageManager(
                model: Shop.model,
                name: "shop",
                in: made,
                configuration: .init(viewQueue: DispatchQueue(label: "view"))
            )
            try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "red" }
            try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "blue" }
            if !hasLog { try manager.close() }
            try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
            for name in ["shop.sqlite"] + (hasLog ? ["shop.sqlite-wal"] : []) {
                // The manager is not used afterward, so it does not matter that copying releases its locks.
                try FileManager.default.copyItem(
                    at: made.appendingPathComponent(name),
                    to: copy.appendingPathComponent(name)
                )
            }
            if hasLog { try manager.close() }
            try body(copy)
        }
    }

    @Test(arguments: [true, false], [0, 1 << 20]) func inspectionWithoutTraceChangesNothing(
        _ hasLog: Bool,
        _ size: Int
    ) async throws {
        try await withFile(hasLog: hasLog) { folder in
            let before = try listing(folder)
            let path = folder.appendingPathComponent("shop.sqlite").path
            let database = try ObjectDatabase(readingWithoutTrace: path, copyingUpTo: size)
            #expect(try use(database) == 2)
            #expect(try listing(folder) == before)
            database.close()
            #expect(try listing(folder) == before && before.count == (hasLog ? 2 : 1))
        }
    }

    @Test func changedFileIsNotReadWithoutTrace() async throws {
        try await withFile(hasLog: false) { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            let database = try ObjectDatabase(readingWithoutTrace: url.path, copyingUpTo: 0)
            defer { database.close() }
            #expect(try use(database) == 2)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 0)],
                ofItemAtPath: url.path
            )
            let error = #expect(throws: ObjectError.self) { try database.inspectionTables() }
            #expect(error?.code == .busy)
        }
    }

    @Test(arguments: [true, false]) func smallFileIsReadEvenAfterItWasChanged(_ hasLog: Bool) async throws {
        try await withFile(hasLog: hasLog) { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            let database = try ObjectDatabase(readingWithoutTrace: url.path)
            defer { database.close() }
            try Data("changed".utf8).write(to: url)
            #expect(try use(database) == 2)
        }
    }

    @Test(arguments: [0, 1 << 20]) func fileWithTimeInTheFutureIsReadWithoutTrace(_ size: Int) async throws {
        try await withFile(hasLog: false) { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: 100_000)],
                ofItemAtPath: url.path
            )
            let database = try ObjectDatabase(readingWithoutTrace: url.path, copyingUpTo: size)
            defer { database.close() }
            #expect(try use(database) == 2)
        }
    }

    @Test func fileWithJournalIsNotReadWithoutTrace() async throws {
        try await withFile(hasLog: false) { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            try Data("journal".utf8).write(to: folder.appendingPathComponent("shop.sqlite-journal"))
            let error = #expect(throws: ObjectError.self) { _ = try ObjectDatabase(readingWithoutTrace: url.path) }
            #expect(error?.code == .busy)
        }
    }

    @Test func openDatabaseIsNotReadWithoutTrace() async throws {
        try await withStorage(.file) { manager in
            let error = #expect(throws: ObjectError.self) {
                _ = try ObjectDatabase(readingWithoutTrace: manager.url.path)
            }
            #expect(error?.code == .busy)
        }
    }
}
#endif
