#if Objects
import Dispatch
import Foundation
import GRDB
import LarderCore
import LarderObjects
import ObjectStorageModels
import Testing

/// Kills a process at each call that changes the disk while it upgrades a file of format 2 to format 3.
@Suite struct UpgradeDeathTests {
    /// What an upgrade adds to a file.
    private struct State: Equatable {
        let format: Int
        let schema: [String]
        let objects: Int

        /// Reads a copy of the file with its log.
        init(of url: URL, copiedTo copy: URL) throws {
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: url.path + suffix) {
                try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
            }
            let queue = try DatabaseQueue(path: copy.path)
            (format, schema, objects) = try queue.read { database in
                #expect(try String.fetchOne(database, sql: "PRAGMA integrity_check") == "ok")
                return (
                    try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0,
                    try String.fetchAll(database, sql: "SELECT type || name FROM sqlite_schema ORDER BY type, name"),
                    try Int.fetchOne(database, sql: "SELECT count(*) FROM Book") ?? 0
                )
            }
            try queue.close()
        }
    }

    private static let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))

    /// Creates a library in the format before the sharing tables.
    private func createFormat2(_ url: URL) async throws {
        let manager = try SQLiteStorageManager(model: Library.model, url: url, configuration: Self.configuration)
        try await manager.performAndSave { try Library.fill($0) }
        try manager.close()
        let queue = try DatabaseQueue(path: url.path)
        try await queue.write { database in
            let triggers = "SELECT name FROM sqlite_schema WHERE type = 'trigger'"
            for name in try String.fetchAll(database, sql: triggers) {
                try database.execute(sql: "DROP TRIGGER \"\(name)\"")
            }
            try database.execute(sql: "DROP TABLE larder_save; DROP TABLE larder_timeline; PRAGMA user_version = 2")
        }
        try await queue.vacuum()
        try queue.close()
    }

    /// Upgrades a copy of a file in another process with a fault, and returns what the process left.
    private func upgrade(_ original: URL, _ fault: HelperRun.Fault, _ number: Int) throws -> (State, HelperRun.End) {
        let folder = original.deletingLastPathComponent().appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("library.sqlite")
        try FileManager.default.copyItem(at: original, to: url)
        let end = try HelperRun(url, nil, fault, number).end()
        let state = try State(of: url, copiedTo: folder.appendingPathComponent("copy.sqlite"))
        // The next opening completes the upgrade.
        let manager = try SQLiteStorageManager(model: Library.model, url: url, configuration: Self.configuration)
        #expect(try manager.verify().problems == [])
        #expect(try manager.history(after: nil).isEmpty)
        try manager.close()
        let upgraded = try State(of: url, copiedTo: folder.appendingPathComponent("upgraded.sqlite"))
        #expect(upgraded.format == 3 && upgraded.objects == state.objects)
        return (state, end)
    }

    @Test func killDuringUpgradeLeavesFormat2() async throws {
        try await withTemporaryFolder { folder in
            let original = folder.appendingPathComponent("original.sqlite")
            try await createFormat2(original)
            let old = try State(of: original, copiedTo: folder.appendingPathComponent("old.sqlite"))
            #expect(old.format == 2 && old.objects > 0)
            let (new, end) = try upgrade(original, .none, 0)
            guard case .opened(let output) = end else { throw HelperFailure(end: end) }
            #expect(new.format == 3 && new.schema.count > old.schema.count)
            let calls = output.prefix { $0 != " " }.count
            #expect(calls > 10)
            var formats: [Int] = []
            for number in 1...calls {
                let (state, end) = try upgrade(original, .kill, number)
                #expect(state == old || state == new, "killed at \(number) of \(calls), \(end)")
                formats.append(state.format)
            }
            // The calls before and after the commit are both there.
            #expect(formats.contains(2) && formats.contains(3))
        }
    }

    private struct HelperFailure: Error { let end: HelperRun.End }
}
#endif
