#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import Testing

/// Tests of the golden files for the object storage format, which are kept permanently to test compatibility.
@Suite struct GoldenObjectFileTests {
    /// Returns the URL of a golden file.
    ///
    /// Open only a copy of the file.
    static func file(_ name: String) -> URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Golden").appendingPathComponent(name)
    }

    private let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))

    /// Runs `body` with a copy of a golden file.
    private func withCopy(_ name: String = "objects-v1.sqlite", _ body: (URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let copy = folder.appendingPathComponent(name)
            try FileManager.default.copyItem(at: Self.file(name), to: copy)
            try await body(copy)
        }
    }

    /// Returns the schema of a file and all rows of its entities.
    ///
    /// The bytes of the file are not compared. When GRDB opens a file without a log, it creates and drops a table, which changes SQLite's
    /// header and the schema's pages.
    private static func content(of url: URL) async throws -> [String] {
        let queue = try DatabaseQueue(path: url.path)
        let content = try await queue.read { database -> [String] in
            var lines = ["application \(try Int64.fetchOne(database, sql: "PRAGMA application_id") ?? 0)"]
            let schema = try Row.fetchAll(database, sql: "SELECT name, type, sql FROM sqlite_schema ORDER BY name")
            lines += schema.map { $0.debugDescription }
            for row in schema where row["type"] == "table" {
                let name: String = row["name"]
                // The upgrade to another format changes Larder's own tables.
                if name.hasPrefix("larder_") { continue }
                let rows = try Row.fetchAll(database, sql: "SELECT * FROM \"\(name)\" ORDER BY 1")
                lines += rows.map { "\(name) \($0.debugDescription)" }
            }
            return lines
        }
        try queue.close()
        return content
    }

    /// Writes a golden file to the path in `LARDER_GOLDEN`.
    ///
    /// The last commit before format 2 wrote the file for format 1.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["LARDER_GOLDEN"] != nil))
    func goldenFileIsWritten() async throws {
        let path = try #require(ProcessInfo.processInfo.environment["LARDER_GOLDEN"])
        let manager = try SQLiteStorageManager(
            model: GoldenModel.model,
            url: URL(fileURLWithPath: path),
            configuration: configuration
        )
        try await manager.performAndSave { try GoldenContent.fill($0) }
        #expect(try manager.verify().problems == [])
        try manager.close()
    }

    @Test(arguments: ["objects-v1.sqlite", "objects-v2.sqlite", "objects-v3.sqlite"])
    func openingKeepsContents(_ name: String) async throws {
        try await withCopy(name) { url in
            let before = try await Self.content(of: url)
            let manager = try SQLiteStorageManager(
                model: GoldenModel.model,
                url: url,
                configuration: configuration
            )
            #expect(try manager.verify().problems == [])
            #expect(try manager.viewStorage.countObjects(ofType: GoldenModel.Everything.self) == GoldenModel.count)
            try manager.close()
            let after = try await Self.content(of: url)
            #expect(before.filter { !after.contains($0) } == [])
        }
    }

    @Test(arguments: ["objects-v1.sqlite", "objects-v2.sqlite", "objects-v3.sqlite"])
    func filesOfEveryFormatAreReadable(_ name: String) async throws {
        try await withCopy(name) { url in
            let manager = try SQLiteStorageManager(
                model: GoldenModel.model,
                url: url,
                configuration: configuration
            )
            try GoldenContent.check(manager.viewStorage)
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    @Test func firstMigrationConvertsFormat1FileToFormat3() async throws {
        try await withCopy { url in
            let manager = try SQLiteStorageManager(
                model: GoldenModel.later,
                url: url,
                configuration: configuration
            )
            try GoldenContent.check(manager.viewStorage)
            #expect(try manager.verify().problems == [])
            try manager.close()
            #expect(try await SchemaProbe.values(of: url, "PRAGMA user_version") == ["3"])
            #expect(try await SchemaProbe.values(of: url, "SELECT version FROM larder_history") == ["1", "2"])
        }
    }

    /// The version number alone makes an earlier version of Larder refuse the file.
    @Test func newerFormatFileIsRejected() async throws {
        try await withCopy { url in
            let queue = try DatabaseQueue(path: url.path)
            try await queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = 4") }
            try queue.close()
            let error = #expect(throws: ObjectError.self) {
                try SQLiteStorageManager(model: GoldenModel.model, url: url, configuration: configuration)
            }
            #expect(error?.code == .storeIsNewer)
        }
    }
}
#endif
