#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import Testing

/// Tests of the upgrade to format 3, which the first writable opening makes.
@Suite struct Format3Tests {
    private let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))

    /// Runs `body` with a copy of a golden file.
    private func withCopy(_ name: String, _ body: (URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let copy = folder.appendingPathComponent(name)
            try FileManager.default.copyItem(at: GoldenObjectFileTests.file(name), to: copy)
            try await body(copy)
        }
    }

    private func open(_ url: URL) throws -> SQLiteStorageManager {
        try SQLiteStorageManager(model: GoldenModel.model, url: url, configuration: configuration)
    }

    private func values(_ url: URL, _ sql: String) async throws -> [String?] {
        try await SchemaProbe.values(of: url, sql)
    }

    /// Returns the schema of a database, sorted by name.
    private func schema(_ url: URL) async throws -> [String?] {
        try await values(url, "SELECT type || name || ifnull(sql, '') FROM sqlite_schema ORDER BY type, name")
    }

    /// Returns the schema of a new database.
    private func freshSchema(_ folder: URL, _ model: ObjectModel = GoldenModel.model) async throws -> [String?] {
        let fresh = folder.appendingPathComponent("fresh.sqlite")
        try SQLiteStorageManager(model: model, url: fresh, configuration: configuration).close()
        return try await schema(fresh)
    }

    @Test(arguments: ["objects-v1.sqlite", "objects-v2.sqlite", "objects-v3.sqlite"])
    func upgradedFileIsLikeNewFile(_ name: String) async throws {
        try await withCopy(name) { url in
            let manager = try open(url)
            try GoldenContent.check(manager.viewStorage)
            try await manager.performAndSave { try $0.firstObject(ofType: GoldenModel.Everything.self)?.flag.toggle() }
            #expect(try manager.verify().problems == [])
            try manager.close()
            #expect(try await values(url, "PRAGMA user_version") == ["3"])
            #expect(try await schema(url) == freshSchema(url.deletingLastPathComponent()))
            let changes = try await values(url, "SELECT changes FROM larder_save ORDER BY token DESC")
            #expect(changes.count == (name == "objects-v3.sqlite" ? 2 : 1))
            #expect(changes.first??.hasPrefix(#"{"Everything":{"updated":{"flag":"#) == true)
            try open(url).close()
        }
    }

    @Test func openingUpgradesFormat1() async throws {
        try await withCopy("objects-v1.sqlite") { url in
            try open(url).close()
            // The description now has what format 1 lacks, so a later migration does not have to guess.
            #expect(try await values(url, "SELECT version FROM larder_history ORDER BY step") == ["1", "1"])
            let fresh = url.deletingLastPathComponent().appendingPathComponent("fresh.sqlite")
            try SQLiteStorageManager(model: GoldenModel.model, url: fresh, configuration: configuration).close()
            let description = "SELECT description FROM larder_model"
            #expect(try await values(url, description) == values(fresh, description))
        }
    }

    @Test func upgradeIsBusyWhileFileIsOpen() async throws {
        try await withCopy("objects-v2.sqlite") { url in
            let queue = try DatabaseQueue(path: url.path)
            _ = try await queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM larder_model") }
            var configuration = configuration
            configuration.openingTimeout = .milliseconds(200)
            let error = #expect(throws: ObjectError.self) {
                try SQLiteStorageManager(model: GoldenModel.model, url: url, configuration: configuration)
            }
            #expect(error?.code == .busy)
            try queue.close()
            #expect(try await values(url, "PRAGMA user_version") == ["2"])
            try open(url).close()
            #expect(try await values(url, "PRAGMA user_version") == ["3"])
        }
    }

    @Test(arguments: ["objects-v1.sqlite", "objects-v2.sqlite"])
    func readOnlyOpeningUpgradesNothing(_ name: String) async throws {
        try await withCopy(name) { url in
            let bytes = try Data(contentsOf: url)
            let manager = try SQLiteStorageManager.openReadOnly(
                model: GoldenModel.model,
                url: url,
                configuration: configuration
            )
            try GoldenContent.check(manager.viewStorage)
            try manager.close()
            #expect(try Data(contentsOf: url) == bytes)
        }
    }

    @Test(arguments: ["objects-v1.sqlite", "objects-v2.sqlite", "objects-v3.sqlite"])
    func migrationRenewsTriggers(_ name: String) async throws {
        try await withCopy(name) { url in
            let later = GoldenModel.later
            try SQLiteStorageManager(model: later, url: url, configuration: configuration).close()
            #expect(try await schema(url) == freshSchema(url.deletingLastPathComponent(), later))
        }
    }

    @Test func salvagedFileHasNewTimelineAndNoSaves() async throws {
        try await withCopy("objects-v3.sqlite") { url in
            let copy = url.deletingLastPathComponent().appendingPathComponent("copy.sqlite")
            #expect(try SQLiteStorageManager.salvage(from: url, to: copy).isComplete)
            #expect(try await values(copy, "SELECT changes FROM larder_save") == [])
            let timeline = "SELECT id FROM larder_timeline"
            let ids = try await values(copy, timeline) + values(url, timeline)
            #expect(ids.count == 2 && Set(ids).count == 2)
            #expect(try await schema(copy) == freshSchema(url.deletingLastPathComponent()))
        }
    }
}
#endif
