#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import LarderTestTraits
import Testing

/// Tests of files that another program removes, renames or replaces while a manager has them open.
@Suite(.expectsIssues(.damaged, .degraded)) struct RemovedFileTests {
    private func open(_ url: URL) throws -> SQLiteStorageManager {
        let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        return try SQLiteStorageManager(model: Shop.model, url: url, configuration: configuration)
    }

    /// The ways in which another program changes the files.
    enum Harm: CaseIterable { case renamed, replaced, logRenamed, lockFileRenamed, lockFileReplaced, folderRenamed }

    private func apply(_ harm: Harm, to url: URL) throws -> (() throws -> Void) {
        let files = FileManager.default
        let aside = url.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("aside")
        let moved =
            switch harm {
            case .renamed, .replaced: url
            case .logRenamed: URL(fileURLWithPath: url.path + "-wal")
            case .lockFileRenamed, .lockFileReplaced: URL(fileURLWithPath: url.path + "-writer")
            case .folderRenamed: url.deletingLastPathComponent()
            }
        try files.moveItem(at: moved, to: aside)
        let isReplaced = harm == .replaced || harm == .lockFileReplaced
        if isReplaced { try Data("another file".utf8).write(to: moved) }
        return {
            if isReplaced { try files.removeItem(at: moved) }
            try files.moveItem(at: aside, to: moved)
        }
    }

    @Test(.expectsIssues(.readFailed), arguments: Harm.allCases)
    func saveFailsAfterDatabaseFileIsMovedOrReplaced(_ harm: Harm) async throws {
        try await withTemporaryFolder { folder in
            let place = folder.appendingPathComponent("place")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            let url = place.appendingPathComponent("shop.sqlite")
            let manager = try open(url)
            try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "first" }
            let undo = try apply(harm, to: url)
            let errors = [
                await #expect(throws: ObjectError.self) {
                    try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "lost" }
                },
                await #expect(throws: ObjectError.self) {
                    try await manager.write { try $0.execute(sql: "UPDATE Tag SET name = 'lost'") }
                },
                #expect(throws: ObjectError.self) { try manager.reset() },
            ]
            for error in errors {
                #expect(error?.code == .inaccessible && error?.path == url.path)
                #expect(error?.message.contains("removed, renamed or replaced") == true)
            }
            // If the file is moved back, it can be used again.
            try undo()
            try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "second" }
            #expect(try manager.verify().problems == [])
            try manager.close()
            let again = try open(url)
            #expect(try again.viewStorage.allObjects(ofType: Tag.self).map(\.name) == ["first", "second"])
            #expect(try again.verify().problems == [])
            try again.close()
        }
    }
}
#endif
