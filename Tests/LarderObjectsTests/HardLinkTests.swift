#if Objects
import Dispatch
import Foundation
import LarderCore
import LarderObjects
import Testing

/// Tests of a database file with two hard links.
///
/// Each name would have its own write-ahead log.
@Suite(.serialized) struct HardLinkTests {
    @Entity final class Entry { var text = "" }

    private static func open(_ url: URL) throws -> SQLiteStorageManager {
        try SQLiteStorageManager(
            model: ObjectModel([Entry.self]),
            url: url,
            configuration: ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        )
    }

    /// Returns the folder for a process id, from which this process and its child compute the same path.
    private static func folder(of process: Int32) -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("larder-objects-links-\(process)")
    }

    private static func names(_ folder: URL) -> (first: URL, second: URL) {
        (folder.appendingPathComponent("entries.sqlite"), folder.appendingPathComponent("link.sqlite"))
    }

    /// Expects that opening a file with two names fails.
    private static func expectRefused(_ url: URL) {
        let error = #expect(throws: ObjectError.self) { _ = try open(url) }
        #expect(error?.code == .inaccessible && error?.path == url.path)
        #expect(error?.message.contains("2 hard links") == true && error?.message.contains("remove the others") == true)
    }

    @Test func openingHardLinkInSameProcessFails() async throws {
        let folder = Self.folder(of: getpid())
        defer { try? FileManager.default.removeItem(at: folder) }
        let (first, second) = Self.names(folder)
        let manager = try Self.open(first)
        try await manager.performAndSave { try $0.insertNewObject(ofType: Entry.self).text = "first" }
        try FileManager.default.linkItem(at: first, to: second)
        Self.expectRefused(second)
        try await manager.performAndSave { try $0.insertNewObject(ofType: Entry.self).text = "second" }
        #expect(try manager.verify().isIntact)
        try manager.close()

        let content = try Data(contentsOf: first)
        Self.expectRefused(first)
        Self.expectRefused(second)
        #expect(try Data(contentsOf: first) == content)
        try FileManager.default.removeItem(at: first)
        let again = try Self.open(second)
        #expect(try again.viewStorage.allObjects(ofType: Entry.self).map(\.text) == ["first", "second"])
        #expect(try again.verify().isIntact)
        try again.close()
    }

    @Test func openingHardLinkInAnotherProcessFails() async throws {
        let folder = Self.folder(of: getpid())
        defer { try? FileManager.default.removeItem(at: folder) }
        let (first, second) = Self.names(folder)
        let manager = try Self.open(first)
        try await manager.performAndSave { try $0.insertNewObject(ofType: Entry.self).text = "first" }
        try FileManager.default.linkItem(at: first, to: second)
        await #expect(processExitsWith: .success) {
            let (_, second) = HardLinkTests.names(HardLinkTests.folder(of: getppid()))
            HardLinkTests.expectRefused(second)
        }
        try await manager.performAndSave { try $0.insertNewObject(ofType: Entry.self).text = "second" }
        #expect(try manager.viewStorage.countObjects(ofType: Entry.self) == 2)
        #expect(try manager.verify().isIntact)
        try manager.close()
    }

    @Test func corruptFileWithHardLinkIsNotQuarantined() throws {
        let folder = Self.folder(of: getpid())
        defer { try? FileManager.default.removeItem(at: folder) }
        let (first, second) = Self.names(folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("no database".utf8).write(to: first)
        try FileManager.default.linkItem(at: first, to: second)
        var configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        configuration.onMismatch = .quarantineAndRecreate
        let error = #expect(throws: ObjectError.self) {
            _ = try SQLiteStorageManager(
                model: ObjectModel([Entry.self]),
                url: second,
                configuration: configuration
            )
        }
        #expect(error?.code == .inaccessible)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(left == ["entries.sqlite", "link.sqlite"])
    }
}
#endif
