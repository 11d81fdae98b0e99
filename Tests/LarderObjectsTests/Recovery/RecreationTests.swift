#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import LarderTestTraits
import Testing

/// Tests of opening damaged files, and of the recovery policy `salvageAndRecreate`.
@Suite(.expectsIssues(.damaged, .earlierValues)) struct RecreationTests {
    private func open(
        _ url: URL,
        _ policy: MismatchPolicy = .salvageAndRecreate,
        check: OpeningCheck = .schema,
        model: ObjectModel = Shop.model
    ) throws -> SQLiteStorageManager {
        var configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"), onMismatch: policy)
        configuration.check = check
        return try SQLiteStorageManager(model: model, url: url, configuration: configuration)
    }

    private func makeShop(at url: URL) async throws {
        let manager = try open(url, .refuse)
        try await manager.performAndSave { storage in
            for number in 0..<300 {
                let item = try storage.insertNewObject(ofType: Item.self)
                item.name = String(repeating: "item \(number) ", count: 5)
                try storage.insertNewObject(ofType: Tag.self).name = String(repeating: "tag \(number) ", count: 5)
            }
        }
        #expect(try manager.verify().problems == [])
        try manager.close()
    }

    /// Opens a file, and collects the reported issues.
    private func opened(
        _ url: URL,
        check: OpeningCheck = .schema,
        model: ObjectModel = Shop.model
    ) throws -> (SQLiteStorageManager, [LarderIssue]) {
        let issues = Box<[LarderIssue]>([])
        let manager = try withIssueHandler({ issues.value.append($0) }) { try open(url, check: check, model: model) }
        return (manager, issues.value)
    }

    @Test(arguments: [OpeningCheck.quick, .full]) func openingCheckFindsCorruptPage(_ check: OpeningCheck) async throws
    {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            try await makeShop(at: url)
            try open(url, check: check).close()
            let pages = DatabasePages(url: url)
            try pages.damage([pages.leaves(of: "Item")[1]])
            let bytes = try Data(contentsOf: url)
            let error = #expect(throws: ObjectError.self) { _ = try open(url, .refuse, check: check) }
            #expect(error?.code == .damaged)
            #expect(try Data(contentsOf: url) == bytes)
            // Without the check, the first read detects the damage.
            let manager = try open(url, .refuse)
            #expect(throws: ObjectError.self) { try manager.viewStorage.allObjects(ofType: Item.self) }
            #expect(try !manager.verify().isIntact)
            try manager.close()
        }
    }

    @Test func onlyFullOpeningCheckFindsOutdatedIndex() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            try await makeShop(at: url)
            let queue = try DatabaseQueue(path: url.path)
            try await queue.writeWithoutTransaction { database in
                // The empty index of the other unique constraint replaces the index of names.
                try database.execute(sql: "CREATE TABLE other (name TEXT); CREATE UNIQUE INDEX empty ON other (name)")
                try database.execute(sql: "PRAGMA writable_schema = ON")
                try database.execute(
                    sql: """
                        UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'empty')
                        WHERE name = 'Tag.unique.name'
                        """
                )
                try database.execute(sql: "DELETE FROM sqlite_schema WHERE name = 'empty'")
            }
            try queue.close()
            #expect(throws: ObjectError.self) { _ = try open(url, .refuse, check: .full) }
            let (manager, issues) = try opened(url, check: .full)
            #expect(issues.count == 1)
            #expect(try manager.viewStorage.countObjects(ofType: Tag.self) == 300)
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    @Test func truncatedFileIsRejectedOrSalvaged() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            try await makeShop(at: url)
            let bytes = try Data(contentsOf: url)
            try bytes.prefix(bytes.count - 4_096 * 3 + 100).write(to: url)
            let error = #expect(throws: ObjectError.self) { _ = try open(url, .refuse) }
            #expect(error?.code == .damaged)
            let (manager, issues) = try opened(url)
            #expect(issues.map(\.code) == [.damaged])
            #expect(try manager.viewStorage.countObjects(ofType: Item.self) > 200)
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    @Test func corruptFileIsQuarantinedAndSalvagedOnce() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            try await makeShop(at: url)
            let pages = DatabasePages(url: url)
            try pages.damage([pages.leaves(of: "Item")[1]])
            let bytes = try Data(contentsOf: url)
            let (manager, issues) = try opened(url, check: .quick)
            let aside = url.path + ".quarantined-1"
            #expect(try Data(contentsOf: URL(fileURLWithPath: aside)) == bytes)
            #expect(issues.map(\.code) == [.damaged])
            #expect(issues.first?.message.contains(aside) == true)
            let items = try manager.viewStorage.countObjects(ofType: Item.self)
            #expect(items > 200 && items < 300)
            #expect(issues.first?.message.contains("\(items + 300) objects kept") == true)
            try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "new" }
            #expect(try manager.verify().problems == [])
            try manager.close()
            let (again, none) = try opened(url, check: .full)
            #expect(none.isEmpty)
            #expect(try again.viewStorage.countObjects(ofType: Tag.self) == 301)
            #expect(try again.verify().problems == [])
            try again.close()
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.filter { $0.hasSuffix("quarantined-1") }.count == 1)
            #expect(!names.contains { $0.contains("quarantined-2") || $0.contains("unfinished") })
        }
    }

    /// The model of a file, and the model of a later program to which the file can't be migrated.
    enum Before {
        @Entity final class Track {
            var title: String = ""
            var length: Double = 0
            var note: String?
            @Relationship var album: Album?
        }
        @Entity final class Album {
            var title: String = ""
            @Relationship(inverse: \Track.album) var tracks: [Track]
        }
        @Entity final class Fax { var number: String = "" }
        static let model = ObjectModel([Track.self, Album.self, Fax.self])
    }

    enum After {
        @Entity final class Track {
            @Attribute(was: "title") var name: String = ""
            var length: Int = 0
            var note: String = ""
            @Relationship var album: Album?
        }
        @Entity final class Album {
            var title: String = ""
            @Relationship(inverse: \Track.album) var tracks: [Track]
        }
        static let model = ObjectModel([Track.self, Album.self], version: 2)
    }

    @Test(arguments: [false, true]) func incompatibleModelFileIsConvertedRowByRow(_ isDamaged: Bool) async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("music.sqlite")
            let first = try open(url, .refuse, model: Before.model)
            try await first.performAndSave { storage in
                let album = try storage.insertNewObject(ofType: Before.Album.self)
                album.title = "album"
                for number in 0..<200 {
                    let track = try storage.insertNewObject(ofType: Before.Track.self)
                    track.title = String(repeating: "track \(number) ", count: 5)
                    // Every tenth row has a length that is not an integer, and every tenth row has no note.
                    track.length = number % 10 == 3 ? 2.5 : Double(number)
                    track.note = number % 10 == 7 ? nil : "note"
                    track.album = album
                }
                try storage.insertNewObject(ofType: Before.Fax.self).number = "1"
            }
            #expect(try first.verify().problems == [])
            try first.close()
            let pages = DatabasePages(url: url)
            if isDamaged { try pages.damage([pages.leaves(of: "Track")[0]]) }
            let bytes = try Data(contentsOf: url)
            #expect(throws: ObjectError.self) { _ = try open(url, .refuse, model: After.model) }
            #expect(try Data(contentsOf: url) == bytes)
            let (manager, issues) = try opened(url, check: .quick, model: After.model)
            #expect(issues.map(\.code) == [isDamaged ? .damaged : .earlierValues])
            let tracks = try manager.viewStorage.allObjects(ofType: After.Track.self)
            if isDamaged { #expect(tracks.count < 160 && tracks.count > 80) } else { #expect(tracks.count == 160) }
            for track in tracks {
                #expect(track.name == String(repeating: "track \(track.length) ", count: 5))
                #expect(track.note == "note" && track.album?.title == "album")
            }
            #expect(try manager.verify().problems == [])
            try manager.close()
            let queue = try DatabaseQueue(path: url.path)
            let doubtful = try await queue.read { database in
                try String.fetchAll(database, sql: "SELECT entity FROM larder_in_doubt ORDER BY entity")
            }
            try queue.close()
            #expect(doubtful.filter { $0 == "Fax" }.count == 1)
            #expect(isDamaged || doubtful.filter { $0 == "Track" }.count == 40)
        }
    }

    @Test func salvagedFileOfEarlierModelIsMigrated() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("golden.sqlite")
            try FileManager.default.copyItem(at: GoldenObjectFileTests.file("objects-v2.sqlite"), to: url)
            let pages = DatabasePages(url: url)
            try pages.damage([pages.root(of: "larder_history")])
            let (manager, issues) = try opened(url, check: .quick, model: GoldenModel.later)
            #expect(issues.map(\.code) == [.damaged])
            try GoldenContent.check(manager.viewStorage)
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    @Test func nonDatabaseFileIsReplacedByEmptyDatabase() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            try Data("Dear diary, this is no database at all.".utf8).write(to: url)
            let (manager, issues) = try opened(url)
            #expect(issues.map(\.code) == [.damaged])
            #expect(try manager.viewStorage.countObjects(ofType: Tag.self) == 0)
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    /// Files that are not replaced under any policy.
    enum Untouched: CaseIterable { case newerFormat, newerModel, otherApplication, open, folder }

    @Test(arguments: Untouched.allCases, [MismatchPolicy.salvageAndRecreate, .quarantineAndRecreate])
    func newerForeignOrOpenDatabaseIsNotReplaced(_ reason: Untouched, _ policy: MismatchPolicy) async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            if reason != .folder { try await makeShop(at: url) }
            let sql: String
            let code: ObjectError.Code
            switch reason {
            case .newerFormat: (sql, code) = ("PRAGMA user_version = 4", .storeIsNewer)
            case .newerModel: (sql, code) = ("UPDATE larder_model SET version = 9", .storeIsNewer)
            case .otherApplication: (sql, code) = ("PRAGMA application_id = 5", .foreignDatabase)
            case .open: (sql, code) = ("DELETE FROM larder_model", .busy)
            case .folder: (sql, code) = ("", .notADatabase)
            }
            let queue: DatabaseQueue?
            if reason == .folder {
                try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
                queue = nil
            } else {
                queue = try DatabaseQueue(path: url.path)
                try await queue?.writeWithoutTransaction { try $0.execute(sql: sql) }
            }
            if reason != .open { try queue?.close() }
            let error = #expect(throws: ObjectError.self) { _ = try open(url, policy) }
            #expect(error?.code == code)
            try queue?.close()
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(!names.contains { $0.contains("quarantined") || $0.contains("unfinished") })
        }
    }

    @Test func verifyListsFirstThousandProblemsAndCountsAll() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            let manager = try open(url)
            try await manager.write { database in
                try database.execute(
                    sql: """
                        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
                        INSERT INTO Item (objectID, name, quantity) SELECT i, NULL, 1 FROM n
                        """
                )
            }
            let result = try manager.verify()
            #expect(result.checkedEntries == 1_500)
            #expect(result.problems.count == 1_001)
            #expect(
                result.problems.last?.message
                    == "There are 500 more problems. Fix the listed problems, then verify again."
            )
            try manager.close()
        }
    }
}
#endif
