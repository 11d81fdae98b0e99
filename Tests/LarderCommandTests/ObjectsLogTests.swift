#if Command && Objects
import Foundation
import LarderCore
import LarderObjects
import LarderTestSupport
import Synchronization
import Testing

/// Tests of `larder objects FILE log`.
@Suite struct ObjectsLogTests {
    /// Replaces the times of a log's first lines with "TIME".
    private func withoutTimes(_ output: String) -> String {
        output.replacing(/\d{4}-\d\d-\d\dT[0-9:.]+Z/, with: "TIME")
    }

    /// Opens the books with an author, and passes the manager to `body`.
    private func withBooks(
        at path: String,
        _ history: HistoryPolicy = .internal,
        _ body: (SQLiteStorageManager) async throws -> Void
    ) async throws {
        var configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        configuration.history = history
        configuration.author = "test"
        let manager = try SQLiteStorageManager(
            model: ObjectModel([Book.self, Chapter.self]),
            url: URL(filePath: path),
            configuration: configuration
        )
        try await body(manager)
        #expect(try manager.verify().problems == [])
        try manager.close()
    }

    private func insertBook(_ number: Int64, in manager: SQLiteStorageManager) async throws -> Int64 {
        try await manager.performAndSave { storage in
            let book = try storage.insertNewObject(ofType: Book.self)
            (book.number, book.title) = (number, "book \(number)")
            return book.objectID.rowID
        }
    }

    @Test func logPrintsSaves() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("books.sqlite")
        try await withBooks(at: path) { manager in
            let id = try await insertBook(1, in: manager)
            try await manager.performAndSave { storage in
                let book = try #require(try storage.firstObject(ofType: Book.self))
                (book.title, book.price) = ("new", 5)
            }
            try manager.reset()
            let run = Invocation("objects", path, "log")
            #expect(run.status == 0 && run.complaint.isEmpty)
            #expect(
                withoutTimes(run.output) == """
                    1  TIME  test
                      inserted Book \(id)
                    2  TIME  test
                      updated Book \(id): price, title
                    3  TIME  test  reset

                    """
            )
            let rest = Invocation("objects", path, "log", "--after", "1", "--limit", "1")
            #expect(rest.output.hasPrefix("2  ") && !rest.output.contains("reset"))
        }
    }

    @Test func logIsPrintedAsJSON() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("books.sqlite")
        try await withBooks(at: path) { manager in
            let id = try await insertBook(1, in: manager)
            let run = Invocation("objects", path, "log", "--format", "json")
            let saves = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]])
            #expect(saves.count == 1)
            #expect(saves.first?["token"] as? Int == 1 && saves.first?["author"] as? String == "test")
            #expect(saves.first?["isForeign"] as? Bool == false && saves.first?["event"] is NSNull)
            let change = try #require((saves.first?["changes"] as? [[String: Any]])?.first)
            #expect(change["kind"] as? String == "inserted" && change["name"] as? String == "Book")
            #expect(change["ids"] as? [[Int64]] == [[id, id]] && change["properties"] is NSNull)
        }
    }

    @Test func logPrintsOldValues() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("books.sqlite")
        try await withBooks(at: path, .kept(oldValues: true)) { manager in
            let id = try await insertBook(1, in: manager)
            try await manager.performAndSave { storage in
                let book = try #require(try storage.firstObject(ofType: Book.self))
                (book.title, book.price, book.note) = ("new", 5, "a\nb")
            }
            let run = Invocation("objects", path, "log", "--after", "1")
            #expect(
                withoutTimes(run.output) == """
                    2  TIME  test
                      updated Book \(id): note, price, title
                        old Book \(id): note = nil, price = 0, title = book 1

                    """
            )
            let json = Invocation("objects", path, "log", "--after", "1", "--format", "json").output
            let saves = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
            let old = try #require((saves.first?["values"] as? [[String: Any]])?.first)
            #expect(old["kind"] as? String == "updated" && old["name"] as? String == "Book")
            #expect(old["id"] as? Int64 == id)
            let values = try #require(old["values"] as? [String: Any])
            #expect(values["price"] as? String == "0" && values["note"] is NSNull)
        }
    }

    @Test func logPrintsTombstones() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("tracks.sqlite")
        var configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        configuration.history = .kept()
        let manager = try SQLiteStorageManager(
            model: ObjectModel([Track.self]),
            url: URL(filePath: path),
            configuration: configuration
        )
        let id = try await manager.performAndSave { storage in
            let track = try storage.insertNewObject(ofType: Track.self)
            (track.number, track.title) = (7, "Air")
            return track.objectID.rowID
        }
        try await manager.performAndSave { try $0.deleteAllObjects(ofType: Track.self) }
        let run = Invocation("objects", path, "log", "--after", "1")
        #expect(run.output.hasSuffix("\n  deleted Track \(id)\n    kept Track \(id): number = 7\n"))
        #expect(try manager.verify().problems == [])
        try manager.close()
    }

    @Test func logAfterRemovedSaveFails() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("books.sqlite")
        try await withBooks(at: path) { manager in
            for number in 1...3 { _ = try await insertBook(Int64(number), in: manager) }
            try manager.trimHistory(to: .bytes(0))
            let run = Invocation("objects", path, "log", "--after", "1")
            #expect(run.status != 0 && run.complaint.contains("Begin after 2"))
            #expect(Invocation("objects", path, "log").output.hasPrefix("3  "))
        }
    }

    @Test func laterSaveThanNewestIsRefused() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("books.sqlite")
        try await withBooks(at: path) { manager in
            for number in 1...2 { _ = try await insertBook(Int64(number), in: manager) }
            for options in [[], ["--follow"]] {
                let run = Invocation(["objects", path, "log", "--after", "3"] + options)
                #expect(run.status != 0 && run.complaint.contains("The newest save is 2"))
            }
            let run = Invocation("objects", path, "log", "--after", "2")
            #expect(run.status == 0 && run.output.isEmpty)
        }
    }

    @Test func logFollowsAnotherConnection() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("books.sqlite")
        try await withBooks(at: path) { manager in
            _ = try await insertBook(1, in: manager)
            let streams = Invocation.Streams()
            let status = Mutex<Int32?>(nil)
            Thread.detachNewThread {
                let result = Invocation(["objects", path, "log", "--follow", "--limit", "3"], streams: streams).status
                status.withLock { $0 = result }
            }
            try await waitUntil("the first save") { streams.output.hasPrefix("1  ") }
            for number in 2...3 { _ = try await insertBook(Int64(number), in: manager) }
            try await waitUntil("the command to end") { status.withLock { $0 != nil } }
            #expect(status.withLock(\.self) == 0 && streams.complaint.isEmpty)
            #expect(streams.output.split(separator: "\n").count == 6)
        }
    }
}

@Entity final class Track {
    @Attribute(.preserveValueOnDeletion) var number: Int = 0
    var title: String = ""
}
#endif
