#if Objects
import Dispatch
import Foundation
import LarderCore
import LarderObjects
import Testing

/// A database file with two names: each would have a write-ahead log of its own.
@Suite(.serialized) struct HardLinkTests {
    @Entity final class Entry { var text = "" }

    private static func open(_ url: URL) throws -> SQLiteStorageManager {
        try SQLiteStorageManager(
            model: ObjectModel([Entry.self]),
            url: url,
            configuration: ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        )
    }

    /// A folder that the process and the one that started it agree on.
    private static func folder(of process: Int32) -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("larder-objects-links-\(process)")
    }

    private static func names(_ folder: URL) -> (first: URL, second: URL) {
        (folder.appendingPathComponent("entries.sqlite"), folder.appendingPathComponent("link.sqlite"))
    }

    /// Expects that a file is refused because it has two names.
    private static func expectRefused(_ url: URL) {
        let error = #expect(throws: ObjectError.self) { _ = try open(url) }
        #expect(error?.code == .inaccessible && error?.path == url.path)
        #expect(error?.message.contains("2 names") == true && error?.message.contains("remove the others") == true)
    }

    @Test func aSecondNameIsRefusedInTheSameProcess() async throws {
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

    @Test func aSecondNameIsRefusedInAnotherProcess() async throws {
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

    @Test func aDamagedFileWithTwoNamesIsNotMovedAside() throws {
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
