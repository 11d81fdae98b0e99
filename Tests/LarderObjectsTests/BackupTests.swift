#if Objects
import Foundation
import LarderCore
import LarderObjects
import Testing

/// Tests of backups of an open database.
@Suite struct BackupTests {
    private func open(_ url: URL) throws -> SQLiteStorageManager {
        let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        return try SQLiteStorageManager(model: Shop.model, url: url, configuration: configuration)
    }

    private func names(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test func backupIsSingleFileWithAllCommits() async throws {
        try await withTemporaryFolder { folder in
            let manager = try open(folder.appendingPathComponent("shop.sqlite"))
            try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "in the log" }
            let place = folder.appendingPathComponent("copies")
            let url = place.appendingPathComponent("copy.sqlite")
            try manager.backup(to: url)
            #expect(try names(place) == ["copy.sqlite"])
            try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "later" }

            let copy = try open(url)
            #expect(try copy.viewStorage.allObjects(ofType: Tag.self).map(\.name) == ["in the log"])
            try await copy.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "own" }
            #expect(try copy.verify().problems == [])
            try copy.close()
            #expect(try manager.viewStorage.countObjects(ofType: Tag.self) == 2)
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    @Test func backupDoesNotOverwriteFiles() async throws {
        try await withTemporaryFolder { folder in
            let manager = try open(folder.appendingPathComponent("shop.sqlite"))
            let url = folder.appendingPathComponent("copy.sqlite")
            try Data("mine".utf8).write(to: url)
            let error = #expect(throws: ObjectError.self) { try manager.backup(to: url) }
            #expect(error?.code == .inaccessible && error?.path == url.path)
            #expect(try Data(contentsOf: url) == Data("mine".utf8))
            #expect(throws: ObjectError.self) { try manager.backup(to: manager.url) }
            #expect(try manager.verify().problems == [])
            try manager.close()
            #expect(throws: ObjectError.self) { try manager.backup(to: folder.appendingPathComponent("late.sqlite")) }
            #expect(try !names(folder).contains { $0.hasPrefix("late") })
        }
    }

    @Test func backupOfCorruptDatabaseFails() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            var manager = try open(url)
            try await manager.performAndSave { storage in
                for number in 0..<300 {
                    try storage.insertNewObject(ofType: Customer.self).name = String(repeating: "\(number)", count: 50)
                }
            }
            try manager.close()
            let pages = DatabasePages(url: url)
            try pages.damage([try #require(pages.leaves(of: "Customer").last)])
            manager = try open(url)
            let copy = folder.appendingPathComponent("copy.sqlite")
            let error = withIssueHandler({ _ in }) {
                #expect(throws: ObjectError.self) { try manager.backup(to: copy) }
            }
            #expect(error?.code == .damaged && error?.path == url.path)
            #expect(try !names(folder).contains { $0.hasPrefix("copy") })
            #expect(try !manager.verify().isIntact)
            try manager.close()
        }
    }
}
#endif
