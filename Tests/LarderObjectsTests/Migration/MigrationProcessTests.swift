#if Objects
import Foundation
import LarderCore
import LarderObjects
import Testing

/// Tests of several processes that migrate the same file.
@Suite struct MigrationProcessTests {
    private static let later = ObjectModel(
        [MigrationTests.Retyped.Note.self, MigrationTests.Retyped.Folder.self],
        version: 2
    )

    /// Returns the file for a process id, from which this process and its child compute the same path.
    private static func file(sharedBy process: Int32) -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("larder-migrated-\(process)")
            .appendingPathComponent("notes.sqlite")
    }

    /// Opens a file with the later model.
    ///
    /// The call waits while other processes open the file.
    private static func migrate(_ url: URL) throws {
        var configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        configuration.openingTimeout = .seconds(60)
        let manager = try SQLiteStorageManager(model: later, url: url, configuration: configuration)
        #expect(try manager.viewStorage.countObjects(ofType: MigrationTests.Retyped.Note.self) == 50)
        #expect(try manager.verify().problems == [])
        try manager.close()
    }

    private func migrateInAnotherProcess() async {
        await #expect(processExitsWith: .success) {
            try MigrationProcessTests.migrate(MigrationProcessTests.file(sharedBy: getppid()))
        }
    }

    @Test func twoProcessesMigrateFileOnlyOnce() async throws {
        let url = Self.file(sharedBy: getpid())
        defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
        let manager = try SQLiteStorageManager(
            model: MigrationTests.First.model,
            url: url,
            configuration: ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        )
        try await manager.performAndSave { try MigrationTests.First.fill($0) }
        try manager.close()
        async let first: Void = migrateInAnotherProcess()
        async let second: Void = migrateInAnotherProcess()
        _ = await (first, second)
        let versions = try await SchemaProbe.values(of: url, "SELECT version FROM larder_history ORDER BY step")
        #expect(versions == ["1", "2"])
    }
}
#endif
