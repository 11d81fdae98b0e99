#if Objects
import Dispatch
import Foundation
import GRDB
import LarderCore
import LarderObjects
import Testing

/// Tests that inspecting an open database file does not release SQLite's locks on the file.
///
/// If a process closes any descriptor of a file, POSIX releases all locks that the process holds on that file. Another program that reads
/// the database then assumes that no other connection exists, and deletes the manager's write-ahead log.
@Suite(.serialized) struct OpenFileTests {
    @Entity final class Entry { var text = "" }
    @Entity final class Other { var number = 0 }

    /// Calls that inspect a file while a manager in the same process has it open.
    enum Look: CaseIterable {
        case secondManager, secondManagerOfAnotherModel, secondManagerThatQuarantines, secondManagerThroughLink
        case difference, inspection, verification, backup, size, nothing
    }

    private static let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))

    private static func open(
        _ url: URL,
        _ model: ObjectModel = ObjectModel([Entry.self]),
        _ policy: MismatchPolicy = .refuse
    ) throws -> SQLiteStorageManager {
        var configuration = configuration
        configuration.onMismatch = policy
        return try SQLiteStorageManager(model: model, url: url, configuration: configuration)
    }

    /// Returns the folder for a process id, from which this process and its child compute the same path.
    private static func shared(by process: Int32) -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("larder-objects-looks-\(process)")
    }

    private func look(_ look: Look, _ url: URL) throws {
        switch look {
        case .secondManager: try Self.open(url).close()
        case .secondManagerOfAnotherModel: refuse { try Self.open(url, ObjectModel([Other.self])) }
        case .secondManagerThatQuarantines:
            refuse { try Self.open(url, ObjectModel([Other.self]), .quarantineAndRecreate) }
        case .secondManagerThroughLink:
            let link = url.deletingLastPathComponent().appendingPathComponent("link.sqlite")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
            try Self.open(link).close()
        case .difference: #expect(try ObjectModel([Entry.self]).difference(from: url).isEmpty)
        case .inspection:
            let database = try ObjectDatabase(reading: url.path)
            #expect(try database.verify() == [])
            #expect(try database.rows(of: database.entity("Entry")).rows.count == 1)
            database.close()
        case .verification, .backup, .nothing: break
        case .size: #expect(try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int ?? 0 > 0)
        }
    }

    /// Expects that a second manager can't migrate or replace the open file.
    private func refuse(_ open: () throws -> SQLiteStorageManager) {
        let error = #expect(throws: ObjectError.self) { try open().close() }
        #expect(error?.code == .busy)
    }

    @Test(arguments: Look.allCases)
    func savesPersistAfterAnotherProcessReadsDatabase(after look: Look) async throws {
        let folder = Self.shared(by: getpid())
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("entries.sqlite")
        let manager = try Self.open(url)
        try await manager.performAndSave { try $0.insertNewObject(ofType: Entry.self).text = "first" }
        try self.look(look, url)
        if look == .verification { #expect(try manager.verify().isIntact) }
        if look == .backup { try manager.backup(to: folder.appendingPathComponent("copy.sqlite")) }

        // This has the same effect as `sqlite3 entries.sqlite 'SELECT count(*) FROM Entry'`.
        await #expect(processExitsWith: .success) {
            let url = OpenFileTests.shared(by: getppid()).appendingPathComponent("entries.sqlite")
            let queue = try DatabaseQueue(path: url.path)
            let count = try await queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM Entry") }
            #expect(count == 1)
            try queue.close()
        }
        // This has the same effect as `larder objects entries.sqlite verify`.
        await #expect(processExitsWith: .success) {
            let url = OpenFileTests.shared(by: getppid()).appendingPathComponent("entries.sqlite")
            let database = try ObjectDatabase(reading: url.path)
            #expect(try database.verify() == [])
            database.close()
        }

        #expect(FileManager.default.fileExists(atPath: url.path + "-wal"))
        try await manager.performAndSave { try $0.insertNewObject(ofType: Entry.self).text = "second" }
        #expect(try manager.viewStorage.countObjects(ofType: Entry.self) == 2)
        try manager.close()
        let again = try Self.open(url)
        #expect(try again.viewStorage.allObjects(ofType: Entry.self).map(\.text) == ["first", "second"])
        #expect(try again.verify().isIntact)
        try again.close()
    }

    @Test func secondManagerThatWouldChangeOpenFileIsRefusedAtOnce() throws {
        let folder = Self.shared(by: getpid())
        defer { try? FileManager.default.removeItem(at: folder) }
        let manager = try Self.open(folder.appendingPathComponent("entries.sqlite"))
        let link = folder.appendingPathComponent("link.sqlite")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: manager.url)
        for url in [manager.url, link] {
            let began = ContinuousClock.now
            let error = #expect(throws: ObjectError.self) { _ = try Self.open(url, ObjectModel([Other.self])) }
            #expect(ContinuousClock.now - began < .seconds(4))
            #expect(error?.code == .busy && error?.path == url.path)
            #expect(error?.message.contains("This process") == true)
            #expect(error?.description.contains("other process") == false)
            #expect(error?.description.contains("permissions") == false)
        }
        #expect(try manager.verify().isIntact)
        try manager.close()
        try Self.open(link).close()
    }
}
#endif
