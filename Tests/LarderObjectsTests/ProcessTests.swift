#if Objects
import Dispatch
import Foundation
import LarderCore
import LarderObjects
import Testing

/// What only another process, or another user, can show.
@Suite struct ProcessTests {
    @Entity final class Entry { var text = "" }

    /// Opens the database in a folder, or makes it.
    private static func open(_ folder: URL) throws -> SQLiteStorageManager {
        try SQLiteStorageManager(
            model: ObjectModel([Entry.self]),
            url: folder.appendingPathComponent("entries.sqlite"),
            configuration: ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        )
    }

    /// A folder that the process and the one that started it agree on.
    private static func shared(by process: Int32) -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("larder-objects-shared-\(process)")
    }

    @Test func aSecondProcessIsToldThatTheFileIsBusyOrMayUseIt() async throws {
        let folder = Self.shared(by: getpid())
        defer { try? FileManager.default.removeItem(at: folder) }
        let manager = try Self.open(folder)
        try await manager.performAndSave { try $0.insertNewObject(ofType: Entry.self).text = "first" }
        await #expect(processExitsWith: .success) {
            let folder = ProcessTests.shared(by: getppid())
            let path = folder.appendingPathComponent("entries.sqlite").path
            do {
                let second = try ProcessTests.open(folder)
                // A SQLite without the race lets several processes write.
                #expect(!ObjectDatabase.engine.contains("one process at a time"))
                #expect(try second.viewStorage.countObjects(ofType: Entry.self) == 1)
                try second.close()
            } catch let error as ObjectError {
                #expect(ObjectDatabase.engine.contains("one process at a time"))
                #expect(error.code == .busy && error.path == path)
            }
            // Looking into it is always possible.
            let database = try ObjectDatabase(reading: path)
            #expect(database.entities.map(\.count) == [1])
            database.close()
        }
        #expect(try manager.viewStorage.countObjects(ofType: Entry.self) == 1)
        #expect(try manager.verify().isIntact)
        try manager.close()
    }

    /// In a process of its own, because the superuser may write everywhere: it becomes somebody else for a moment.
    @Test func aFolderThatIsForReadingIsRefusedWithItsPathAndKeepsItsBytes() async {
        await #expect(processExitsWith: .success) {
            // Not the folder for temporary files, which may be closed to others.
            let folder = URL(fileURLWithPath: "/tmp/larder-read-only-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            let manager = try ProcessTests.open(folder)
            try await manager.performAndSave { try $0.insertNewObject(ofType: Entry.self).text = "kept" }
            try manager.close()
            try? FileManager.default.removeItem(at: folder.appendingPathComponent("entries.sqlite-lock"))
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
