#if Objects
import Dispatch
import Foundation
import LarderCore
import LarderObjects
import Testing

/// Tests that need another process or another user.
@Suite struct ProcessTests {
    @Entity final class Entry { var text = "" }

    /// Opens or creates the database in a folder.
    private static func open(_ folder: URL) throws -> SQLiteStorageManager {
        try SQLiteStorageManager(
            model: ObjectModel([Entry.self]),
            url: folder.appendingPathComponent("entries.sqlite"),
            configuration: ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        )
    }

    /// Returns the folder for a process id, from which this process and its child compute the same path.
    private static func shared(by process: Int32) -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("larder-objects-shared-\(process)")
    }

    @Test func secondProcessSharesDatabase() async throws {
        let folder = Self.shared(by: getpid())
        defer { try? FileManager.default.removeItem(at: folder) }
        let manager = try Self.open(folder)
        try await manager.performAndSave { try $0.insertNewObject(ofType: Entry.self).text = "first" }
        await #expect(processExitsWith: .success) {
            let folder = ProcessTests.shared(by: getppid())
            let path = folder.appendingPathComponent("entries.sqlite").path
            let second = try ProcessTests.open(folder)
            try await second.performAndSave { try $0.insertNewObject(ofType: Entry.self).text = "second" }
            #expect(try second.viewStorage.countObjects(ofType: Entry.self) == 2)
            try second.close()
            // An open database can also be inspected.
            let database = try ObjectDatabase(reading: path)
            #expect(database.entities.map(\.count) == [2])
            database.close()
        }
        #expect(try manager.viewStorage.countObjects(ofType: Entry.self) == 2)
        #expect(try manager.verify().isIntact)
        try manager.close()
    }

    /// The test runs in a second process, which drops superuser privileges.
    @Test func openingInReadOnlyFolderFailsAndChangesNothing() async {
        await #expect(processExitsWith: .success) {
            // Other users may be unable to enter the folder for temporary files.
            let folder = URL(fileURLWithPath: "/tmp/larder-read-only-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            let manager = try ProcessTests.open(folder)
            try await manager.performAndSave { try $0.insertNewObject(ofType: Entry.self).text = "kept" }
            try manager.close()
            for name in ["entries.sqlite-lock", "entries.sqlite-writer"] {
                try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
            }
            let url = folder.appendingPathComponent("entries.sqlite")
            let content = try Data(contentsOf: url)
            try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)

            let isSuperuser = geteuid() == 0
            if isSuperuser { #expect(seteuid(65_534) == 0) }
            let errors = [
                #expect(throws: ObjectError.self) { _ = try ProcessTests.open(folder) },
                #expect(throws: ObjectError.self) { _ = try ProcessTests.open(folder.appendingPathComponent("new")) },
            ]
            if isSuperuser { #expect(seteuid(0) == 0) }
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)

            #expect(errors.map(\.?.code) == [.inaccessible, .inaccessible])
            #expect(errors[0]?.path == url.path)
            #expect(errors[0]?.message.contains("permissions") == true)
            #expect(try Data(contentsOf: url) == content)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["entries.sqlite"])
        }
    }
}
#endif
