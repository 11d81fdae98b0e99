#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import LarderTestTraits
import Testing

/// Tests of the policy `quarantineAndRecreate`, applied to files that can't be used.
@Suite(.expectsIssues(.damaged)) struct QuarantineTests {
    private func open(
        _ url: URL,
        _ policy: MismatchPolicy = .quarantineAndRecreate
    ) throws -> SQLiteStorageManager {
        let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"), onMismatch: policy)
        return try SQLiteStorageManager(model: Shop.model, url: url, configuration: configuration)
    }

    /// Files that are not a database, and a damaged database.
    enum Content: CaseIterable {
        case text, empty, zeros, damagedSchema, noModel, noModelTable
    }

    private func write(_ content: Content, to url: URL) throws {
        switch content {
        case .text: try Data("Dear diary, this is no database at all.".utf8).write(to: url)
        case .empty: try Data().write(to: url)
        case .zeros: try Data(count: 10_000).write(to: url)
        case .damagedSchema:
            try open(url).close()
            var bytes = try Data(contentsOf: url)
            for offset in 100..<400 { bytes[offset] ^= 0xFF }
            try bytes.write(to: url)
        case .noModel, .noModelTable:
            try open(url).close()
            let queue = try DatabaseQueue(path: url.path)
            try queue.write {
                try $0.execute(sql: content == .noModel ? "DELETE FROM larder_model" : "DROP TABLE larder_model")
            }
            try queue.close()
        }
    }

    @Test(arguments: Content.allCases)
    func unusableFileIsQuarantinedAndReported(_ content: Content) async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            for number in 1...2 {
                try write(content, to: url)
                let bytes = try Data(contentsOf: url)
                #expect(throws: ObjectError.self) { _ = try open(url, .refuse) }
                #expect(try Data(contentsOf: url) == bytes)
                let issues = Box<[LarderIssue]>([])
                let manager = try withIssueHandler({ issues.value.append($0) }) { try open(url) }
                #expect(try manager.viewStorage.countObjects(ofType: Tag.self) == 0)
                try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "new" }
                #expect(try manager.verify().problems == [])
                try manager.close()
                let aside = url.path + ".quarantined-\(number)"
                #expect(try Data(contentsOf: URL(fileURLWithPath: aside)) == bytes)
                #expect(issues.value.count == 1)
                #expect(issues.value.first?.code == .damaged)
                #expect(issues.value.first?.message.contains(aside) == true)
                try FileManager.default.removeItem(at: url)
            }
        }
    }

    @Test func databaseOfAnotherApplicationIsNotQuarantined() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("theirs.sqlite")
            let queue = try DatabaseQueue(path: url.path)
            try await queue.write { try $0.execute(sql: "CREATE TABLE theirs (a); PRAGMA application_id = 5") }
            try queue.close()
            let error = #expect(throws: ObjectError.self) { _ = try open(url) }
            #expect(error?.code == .foreignDatabase)
            #expect(throws: ObjectError.self) { _ = try open(folder) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).contains("theirs.sqlite"))
        }
    }

    @Test func symbolicLinkTargetIsQuarantinedInOwnFolder() async throws {
        try await withTemporaryFolder { folder in
            let real = folder.appendingPathComponent("real")
            try FileManager.default.createDirectory(at: real, withIntermediateDirectories: true)
            let url = real.appendingPathComponent("shop.sqlite")
            let link = folder.appendingPathComponent("link.sqlite")
            try Data("no database".utf8).write(to: url)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
            let manager = try withIssueHandler({ _ in }) { try open(link) }
            try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "new" }
            #expect(try manager.verify().problems == [])
            try manager.close()
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == url.path)
            #expect(try Data(contentsOf: URL(fileURLWithPath: url.path + ".quarantined-1")) == Data("no database".utf8))
            let again = try open(url)
            #expect(try again.viewStorage.countObjects(ofType: Tag.self) == 1)
            #expect(try again.verify().problems == [])
            try again.close()
        }
    }

    @Test func fileOpenInAnotherProgramIsNotQuarantined() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            try write(.noModel, to: url)
            let other = try DatabaseQueue(path: url.path)
            _ = try await other.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM Tag") }
            let error = #expect(throws: ObjectError.self) { _ = try open(url) }
            #expect(error?.code == .busy)
            #expect(
                try !FileManager.default.contentsOfDirectory(atPath: folder.path).contains { $0.contains("quarant") }
            )
            try other.close()
            let manager = try withIssueHandler({ _ in }) { try open(url) }
            #expect(try manager.verify().isIntact)
            try manager.close()
        }
    }
}
#endif
