#if Objects
import Dispatch
import Foundation
import LarderCore
import LarderFiles
import LarderObjects
import LarderTestSupport
import Testing

/// Tests of managers that open, migrate and replace a file which other managers have open.
@Suite struct OpeningLockTests {
    private static let first = MigrationTests.First.model
    private static let later = ObjectModel(
        [MigrationTests.Retyped.Note.self, MigrationTests.Retyped.Folder.self],
        version: 2
    )

    /// Returns the file for a process id, from which this process and its child compute the same path.
    private static func file(_ name: String, of process: Int32) -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("larder-opening-\(name)-\(process)")
            .appendingPathComponent("notes.sqlite")
    }

    private static func open(
        _ url: URL,
        _ model: ObjectModel = first,
        within timeout: Duration = .seconds(60)
    ) throws -> SQLiteStorageManager {
        var configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        configuration.openingTimeout = timeout
        return try SQLiteStorageManager(model: model, url: url, configuration: configuration)
    }

    /// Creates a file of the first model, and removes its folder after `body`.
    private func withFile(_ name: String, _ body: (URL) async throws -> Void) async throws {
        let url = Self.file(name, of: getpid())
        defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
        let manager = try Self.open(url)
        try await manager.performAndSave { try MigrationTests.First.fill($0) }
        try manager.close()
        try await body(url)
        let last = try Self.open(url, Self.later)
        #expect(try last.viewStorage.countObjects(ofType: MigrationTests.Retyped.Note.self) == 50)
        #expect(try last.verify().problems == [])
        try last.close()
    }

    private static func signal(_ name: String, beside url: URL) throws {
        try Data().write(to: url.deletingLastPathComponent().appendingPathComponent(name))
    }

    /// Waits on a thread of its own, because the tasks of other tests may all wait for the other process, whose pipes they share.
    @available(*, noasync)
    private static func wait(for name: String, beside url: URL) throws {
        let path = url.deletingLastPathComponent().appendingPathComponent(name).path
        try blockUntil(within: .seconds(600), "\(name)") { FileManager.default.fileExists(atPath: path) }
    }

    /// Keeps the file open in this process until the parent says so.
    private static func keepOpen(_ name: String, readOnly: Bool = false) async throws {
        try await onSmallThread {
            let url = file(name, of: getppid())
            let manager =
                readOnly ? try SQLiteStorageManager.openReadOnly(model: first, url: url) : try open(url)
            #expect(try manager.viewStorage.countObjects(ofType: MigrationTests.First.Note.self) == 50)
            try signal("open", beside: url)
            try wait(for: "close", beside: url)
            try manager.close()
        }
    }

    /// Returns the error of `body`.
    private static func failure(_ body: () throws -> Void) throws -> ObjectError? {
        do { try body() } catch let error as ObjectError { return error }
        return nil
    }

    @Test func secondManagerOfProcessOpensFile() async throws {
        try await withFile("second") { url in
            let managers = try [Self.open(url), Self.open(url)]
            for manager in managers {
                try await manager.performAndSave { storage in
                    try storage.insertNewObject(ofType: MigrationTests.First.Folder.self).name = "new"
                }
                #expect(try manager.verify().problems == [])
            }
            let names = try await managers[0].fetchValues(ObjectRequest<MigrationTests.First.Folder>()) { $0.name }
            #expect(names.sorted() == ["folder", "new", "new"])
            for manager in managers { try manager.close() }
            #expect(!FileManager.default.fileExists(atPath: url.path + "-wal"))
        }
    }

    @Test func exclusiveOpeningWaitsForOthers() async throws {
        try await withFile("waits") { url in
            async let other = #expect(processExitsWith: .success) {
                try await OpeningLockTests.keepOpen("waits")
            }
            let error = try await onSmallThread {
                try Self.wait(for: "open", beside: url)
                let error = try Self.failure { _ = try Self.open(url, Self.later, within: .milliseconds(150)) }
                // The other process closes the file while this one waits.
                Thread.detachNewThread { try? Self.signal("close", beside: url) }
                try Self.open(url, Self.later).close()
                return error
            }
            #expect(error?.code == .busy && error?.path == url.path)
            #expect(error?.message.contains("open in another process") == true)
            // The lock file names its last exclusive holder, which is not the process that has the file open.
            #expect(error?.underlying == nil)
            _ = await other
        }
    }

    @Test func openFileIsNeitherRestoredNorSalvaged() async throws {
        try await withFile("replaced") { url in
            let folder = url.deletingLastPathComponent()
            let backup = folder.appendingPathComponent("backup.sqlite")
            let manager = try Self.open(url)
            try manager.backup(to: backup)
            try manager.close()
            async let other = #expect(processExitsWith: .success) {
                try await OpeningLockTests.keepOpen("replaced", readOnly: true)
            }
            let errors = try await onSmallThread {
                try Self.wait(for: "open", beside: url)
                let copy = folder.appendingPathComponent("copy.sqlite")
                let errors = [
                    try Self.failure { try SQLiteStorageManager.restore(from: backup, to: url) },
                    try Self.failure { try SQLiteStorageManager.salvage(from: url, to: copy) },
                ]
                try Self.signal("close", beside: url)
                return errors
            }
            for error in errors {
                #expect(error?.code == .busy && error?.message.contains("open in another process") == true)
            }
            _ = await other
            try SQLiteStorageManager.restore(from: backup, to: url)
        }
    }

    /// Opens the file with the later model, and keeps the file open until the other process has it open, too.
    private static func migrate(_ url: URL, _ mine: String, _ other: String) async throws {
        try await onSmallThread {
            try signal("\(mine)-begins", beside: url)
            try wait(for: "\(other)-begins", beside: url)
            let manager = try open(url, later)
            try signal(mine, beside: url)
            try wait(for: other, beside: url)
            let problems = try manager.verify().problems
            try manager.close()
            guard problems.isEmpty else { throw Refusal() }
        }
    }

    /// Both processes keep the file open, so the second one must notice that the first one has migrated the file.
    @Test func twoOpeningsThatMigrateDoNotDeadlock() async throws {
        try await withFile("both") { url in
            async let other = #expect(processExitsWith: .success) {
                try await OpeningLockTests.migrate(OpeningLockTests.file("both", of: getppid()), "child", "parent")
            }
            try await Self.migrate(url, "parent", "child")
            _ = await other
        }
    }

    @Test func exclusiveLockFileIsBusyWithProcessID() async throws {
        try await withFile("earlier") { url in
            // An earlier version of Larder holds this lock while it has the file open.
            let held = try LockFile(at: url.path + "-lock").acquire(.exclusive)
            let error = #expect(throws: ObjectError.self) { try Self.open(url, within: .milliseconds(50)) }
            #expect(error?.code == .busy && error?.description.contains("process \(getpid()) holds") == true)
            let reading = #expect(throws: ObjectError.self) {
                var configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
                configuration.openingTimeout = .milliseconds(50)
                _ = try SQLiteStorageManager.openReadOnly(model: Self.first, url: url, configuration: configuration)
            }
            #expect(reading?.code == .busy)
            let replacing = #expect(throws: ObjectError.self) {
                try SQLiteStorageManager.restore(from: url, to: url)
            }
            for error in [error, reading, replacing] {
                #expect(error?.message.hasPrefix("Another process is creating, migrating or replacing") == true)
            }
            held.release()
            try Self.open(url).close()
        }
    }

    @Test func databaseOfNewerModelIsNamedWhileOpen() async throws {
        try await withFile("newer") { url in
            let manager = try Self.open(url, Self.later)
            let error = #expect(throws: ObjectError.self) { try Self.open(url) }
            #expect(error?.code == .storeIsNewer)
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }
}
#endif
