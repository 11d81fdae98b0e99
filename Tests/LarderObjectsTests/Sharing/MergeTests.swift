#if Objects
import Dispatch
import Foundation
import GRDB
import LarderCore
import LarderFiles
import LarderObjects
import LarderTestSupport
import LarderTestTraits
import Synchronization
import Testing

/// Tests of how a manager follows the saves of other managers, processes and programs.
@Suite struct MergeTests {
    @Entity final class Note {
        var number = 0
        var text = ""
        @Relationship(inverse: \Topic.notes) var topics: [Topic]
        @Relationship var folder: Folder?
    }
    @Entity final class Topic {
        var name = ""
        @Relationship var notes: [Note]
    }
    @Entity final class Folder {
        var name = ""
        @Relationship(inverse: \Note.folder) var notes: [Note]
    }

    private static let model = ObjectModel([Note.self, Topic.self, Folder.self])

    /// An earlier version of the model.
    enum Earlier {
        @Entity final class Note {
            var text = ""
        }
    }

    private let directory: TemporaryDirectory
    private let url: URL

    init() throws {
        directory = try TemporaryDirectory()
        url = directory.url("notes.sqlite")
    }

    private static func open(_ url: URL, author: String? = nil) throws -> SQLiteStorageManager {
        var configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        if let author { configuration.author = author }
        return try SQLiteStorageManager(model: model, url: url, configuration: configuration)
    }

    private func close(_ managers: SQLiteStorageManager...) throws {
        #expect(try managers[0].verify().isIntact)
        for manager in managers { try manager.close() }
    }

    private func addNotes(_ count: Int, _ manager: SQLiteStorageManager) async throws -> [ObjectID] {
        try await manager.performAndSave { storage in
            try (0..<count).map { number in
                let note = try storage.insertNewObject(ofType: Note.self)
                note.number = number
                note.text = "first"
                return note.objectID
            }
        }
    }

    private func setText(_ text: String, of id: ObjectID, _ manager: SQLiteStorageManager) async throws {
        try await manager.performAndSave { storage in
            try #require(try storage.loadObject(ofType: Note.self, with: id)).text = text
        }
    }

    private func note(_ id: ObjectID, _ manager: SQLiteStorageManager) throws -> Note {
        try #require(try manager.viewStorage.loadObject(ofType: Note.self, with: id))
    }

    /// Runs SQL like a program that does not use Larder.
    private func runSQL(_ sql: String) throws {
        let queue = try DatabaseQueue(path: url.path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    // MARK: Processes

    /// Returns the folder for a process id, from which this process and its child compute the same path.
    private static func shared(by process: Int32) -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("larder-objects-merges-\(process)")
    }

    @Test func saveOfAnotherProcessReachesView() async throws {
        let folder = Self.shared(by: getpid())
        defer { try? FileManager.default.removeItem(at: folder) }
        let manager = try Self.open(folder.appendingPathComponent("notes.sqlite"))
        let ids = try await addNotes(3, manager)
        let (changed, deleted) = (try note(ids[0], manager), try note(ids[1], manager))
        var changes = manager.changes.makeAsyncIterator()
        await #expect(processExitsWith: .success) {
            let url = MergeTests.shared(by: getppid()).appendingPathComponent("notes.sqlite")
            let other = try MergeTests.open(url, author: "child")
            try await other.performAndSave { storage in
                let notes = try storage.allObjects(ofType: Note.self)
                notes[0].text = "second"
                try storage.deleteObject(notes[1])
                try storage.insertNewObject(ofType: Note.self).text = "third"
            }
            try other.close()
        }
        let change = try #require(await changes.next())
        #expect(change.origin == .otherManager && change.author == "child")
        #expect(change.updated == [ids[0]: ["text"]] && change.deleted == [ids[1]] && change.inserted.count == 1)
        #expect(changed.text == "second" && deleted.isDeleted)
        try close(manager)
    }

    @Test func resetInAnotherProcessEmptiesView() async throws {
        let folder = Self.shared(by: -getpid())
        defer { try? FileManager.default.removeItem(at: folder) }
        let manager = try Self.open(folder.appendingPathComponent("notes.sqlite"))
        let held = try note(try await addNotes(1, manager)[0], manager)
        var changes = manager.changes.makeAsyncIterator()
        await #expect(processExitsWith: .success) {
            let other = try MergeTests.open(MergeTests.shared(by: -getppid()).appendingPathComponent("notes.sqlite"))
            try other.reset()
            try other.close()
        }
        #expect(try #require(await changes.next()).isComplete)
        #expect(held.isDeleted && held.text == "first")
        #expect(try manager.viewStorage.countObjects(ofType: Note.self) == 0)
        try close(manager)
    }

    // MARK: Managers

    @Test func saveOfSecondManagerReachesView() async throws {
        let (first, second) = (try Self.open(url), try Self.open(url))
        let ids = try await addNotes(1, first)
        try await waitUntil("the note in the other view") {
            try second.viewStorage.countObjects(ofType: Note.self) == 1
        }
        let held = try note(ids[0], second)
        try await setText("second", of: ids[0], first)
        try await waitUntil("the merge") { held.text == "second" }
        try close(first, second)
    }

    @Test func linkedObjectsOfAnotherManagerReachView() async throws {
        let (first, second) = (try Self.open(url), try Self.open(url))
        let ids = try await addNotes(2, first)
        let held = try note(ids[0], second)
        #expect(held.topics.isEmpty && held.folder == nil)
        try await first.performAndSave { storage in
            let note = try #require(try storage.loadObject(ofType: Note.self, with: ids[0]))
            let topic = try storage.insertNewObject(ofType: Topic.self)
            topic.name = "garden"
            note.topics = [topic]
            let folder = try storage.insertNewObject(ofType: Folder.self)
            folder.name = "home"
            note.folder = folder
        }
        try await waitUntil("the merge") { held.topics.map(\.name) == ["garden"] && held.folder?.name == "home" }
        let folder = try #require(held.folder)
        #expect(folder.notes.count == 1)
        try await first.performAndSave { storage in
            let note = try #require(try storage.loadObject(ofType: Note.self, with: ids[1]))
            note.folder = try storage.firstObject(ofType: Folder.self)
        }
        try await waitUntil("the second merge") { folder.notes.count == 2 }
        try close(first, second)
    }

    @Test func readOnlyManagerFollowsSaves() async throws {
        let first = try Self.open(url)
        let ids = try await addNotes(1, first)
        let reader = try SQLiteStorageManager.openReadOnly(
            model: Self.model,
            url: url,
            configuration: ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        )
        let held = try note(ids[0], reader)
        var changes = reader.changes.makeAsyncIterator()
        try await setText("second", of: ids[0], first)
        #expect(await changes.next()?.updated == [ids[0]: ["text"]])
        #expect(held.text == "second")
        try close(first, reader)
    }

    @Test func readOnlyManagerOfAnotherModelFollowsSaves() async throws {
        let first = try Self.open(url)
        let ids = try await addNotes(2, first)
        let reader = try SQLiteStorageManager.openReadOnly(
            model: ObjectModel([Earlier.Note.self]),
            url: url,
            configuration: ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        )
        let held = try reader.viewStorage.allObjects(ofType: Earlier.Note.self)
        try await setText("second", of: ids[0], first)
        try await waitUntil("the merge") { held.map(\.text) == ["second", "first"] }
        try await first.performAndSave { try $0.deleteAllObjects(ofType: Note.self) }
        try await waitUntil("the merge of the deletion") { held.allSatisfy(\.isDeleted) }
        try close(first, reader)
    }

    @Test func resultsFollowAnotherManager() async throws {
        let (first, second) = (try Self.open(url), try Self.open(url))
        var texts = second.results(ObjectRequest<Note>()) { $0.text }.makeAsyncIterator()
        #expect(try await texts.next() == [])
        let ids = try await addNotes(1, first)
        #expect(try await texts.next() == ["first"])
        try await setText("second", of: ids[0], first)
        #expect(try await texts.next() == ["second"])
        try close(first, second)
    }

    @Test func changesArriveInOrderOfCommits() async throws {
        let managers = [try Self.open(url, author: "a"), try Self.open(url, author: "b")]
        let ids = try await addNotes(1, managers[0])
        let streams = managers.map(\.changes)
        let count = 200
        try await withThrowingTaskGroup(of: Void.self) { group in
            for manager in managers {
                group.addTask {
                    for _ in 0..<count {
                        try await manager.performAndSave { storage in
                            let counter = try #require(try storage.loadObject(ofType: Note.self, with: ids[0]))
                            counter.number += 1
                            try storage.insertNewObject(ofType: Note.self).number = counter.number
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for (manager, stream) in zip(managers, streams) {
            var numbers: [Int] = []
            var own = 0
            for await change in stream {
                // The first save may still be new to the second manager.
                guard change.updated.keys.contains(ids[0]) else { continue }
                for id in change.inserted { numbers.append(try note(id, manager).number) }
                if change.origin == .thisManager { own += 1 }
                if numbers.count == 2 * count { break }
            }
            #expect(numbers == Array(1...2 * count))
            #expect(own == count)
        }
        try close(managers[0], managers[1])
    }

    @Test func completionFollowsMerge() async throws {
        let (first, second) = (try Self.open(url), try Self.open(url))
        let ids = try await addNotes(2, first)
        let held = try (note(ids[0], first), note(ids[1], first))
        for number in 0..<50 {
            try await setText("other \(number)", of: ids[0], second)
            try await setText("own \(number)", of: ids[1], first)
            // The other manager's save was committed before.
            #expect(held.0.text == "other \(number)" && held.1.text == "own \(number)")
        }
        try close(first, second)
    }

    @Test func ownSaveIsMergedOnce() async throws {
        let (first, second) = (try Self.open(url), try Self.open(url))
        let ids = try await addNotes(1, first)
        var (own, other) = (first.changes.makeAsyncIterator(), second.changes.makeAsyncIterator())
        var tokens: Set<HistoryToken> = []
        for number in 0..<50 {
            try await setText("\(number)", of: ids[0], first)
            let change = try #require(await own.next())
            #expect(change.updated == [ids[0]: ["text"]] && change.origin == .thisManager)
            tokens.insert(change.token)
        }
        #expect(tokens.count == 50)
        // The change of the second manager would be preceded by any change that is merged a second time.
        _ = try await addNotes(1, second)
        #expect(await own.next()?.origin == .otherManager)
        while let change = await other.next(), change.origin == .otherManager { tokens.remove(change.token) }
        #expect(tokens.isEmpty)
        try close(first, second)
    }

    @Test func saveOfAnotherProgramReachesView() async throws {
        let manager = try Self.open(url)
        let ids = try await addNotes(2, manager)
        let held = try note(ids[0], manager)
        var changes = manager.changes.makeAsyncIterator()
        // The program's triggers may add the same row.
        try runSQL(
            """
            UPDATE Note SET text = 'second' WHERE number = 0;
            INSERT INTO larder_save (changes)
            SELECT '{"Note":{"updated":[' || objectID || ']}}' FROM Note WHERE number = 0;
            """
        )
        let change = try #require(await changes.next())
        #expect(change.origin == .otherProgram && change.author == nil)
        // The program's record does not name attributes.
        #expect(change.updated == [ids[0]: ["number", "text", "folder"]])
        #expect(held.text == "second")
        try close(manager)
    }

    // MARK: Missing saves

    @Test func trimmedTokenRefreshesView() async throws {
        let manager = try Self.open(url)
        let ids = try await addNotes(3, manager)
        let held = try ids.map { try note($0, manager) }
        var changes = manager.changes.makeAsyncIterator()
        // The manager can't read the first change, because it is removed in the same transaction.
        try runSQL(
            """
            UPDATE Note SET text = 'second' WHERE number = 0;
            DELETE FROM Note WHERE number = 1;
            UPDATE larder_timeline SET trimmed = (SELECT max(token) + 1 FROM larder_save);
            DELETE FROM larder_save;
            INSERT INTO larder_save (token, changes) SELECT trimmed + 1, '{}' FROM larder_timeline;
            """
        )
        #expect(try #require(await changes.next()).isComplete)
        #expect(held.map(\.text) == ["second", "first", "first"])
        #expect(held.map(\.isDeleted) == [false, true, false])
        try close(manager)
    }

    @Test func clearedHistoryRefreshesView() async throws {
        let manager = try Self.open(url)
        let ids = try await addNotes(2, manager)
        let held = try ids.map { try note($0, manager) }
        try runSQL("UPDATE Note SET text = 'second' WHERE number = 0; DELETE FROM larder_save;")
        try await waitUntil("the merge") { held[0].text == "second" }
        try await setText("third", of: ids[1], manager)
        #expect(held.map(\.text) == ["second", "third"])
        try close(manager)
    }

    private struct WithoutWatch: ForwardingFileSystem {
        let base: any FileSystem = LocalFileSystem()

        func calling<Result>(
            _ operation: FileError.Operation,
            _ path: String,
            _ body: () throws -> Result
        ) throws -> Result {
            if operation == .watch { throw FileError(.unsupported, .watch, path) }
            return try body()
        }
    }

    @Test(.expectsIssues(.degraded)) func pollingReplacesMissingWatch() async throws {
        let first = try Self.open(url)
        let ids = try await addNotes(1, first)
        let second = try SQLiteStorageManager(
            model: Self.model,
            url: url,
            configuration: ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view")),
            files: WithoutWatch()
        )
        let held = try note(ids[0], second)
        for text in ["second", "third"] {
            try await setText(text, of: ids[0], first)
            try await waitUntil("the merge") { held.text == text }
        }
        try close(first, second)
    }

    // MARK: Cost

    @Test func mergeReadsOnlyChangedObjects() async throws {
        let (first, second) = (try Self.open(url), try Self.open(url))
        _ = try await addNotes(500, first)
        let held = try second.viewStorage.allObjects(ofType: Note.self)
        #expect(held.count == 500)
        // The merges of earlier saves may come later, and would read their objects again. The new text says nothing about them, because
        // the merge of an earlier save reads it, too.
        let changes = second.changes
        try await setText("changed", of: held[9].objectID, first)
        for await change in changes where change.updated[held[9].objectID] != nil { break }
        let merged = Atomic(0)
        let queries = try second.queries.recording {
            let done = DispatchSemaphore(value: 0)
            first.performAndSave(
                { storage in
                    for note in try storage.allObjects(ofType: Note.self).prefix(3) { note.text = "second" }
                    try storage.insertNewObject(ofType: Topic.self).name = "new"
                },
                completion: { done.signal() },
                on: .global()
            )
            done.wait()
            try blockUntil("the merge") { held[2].text == "second" }
            merged.add(1, ordering: .relaxed)
        }
        #expect(merged.load(ordering: .relaxed) == 1)
        // One query reads the three objects. No query reads the new object, which the view has not loaded.
        #expect(queries.count == 1 && queries.allSatisfy { $0.contains("json_each") })
        try close(first, second)
    }

    @Test func idleFileCausesNoReads() async throws {
        let (first, second) = (try Self.open(url), try Self.open(url))
        let ids = try await addNotes(1, first)
        let held = try note(ids[0], second)
        try await setText("second", of: ids[0], first)
        try await waitUntil("the merge") { held.text == "second" }
        let reads = Atomic(0)
        let watch = try SharedFileWatch(log: url.path + "-wal", files: .local) { reads.add(1, ordering: .relaxed) }
        try await setText("third", of: ids[0], first)
        try await waitUntil("the last read") { !watch.isFollowing && reads.load(ordering: .relaxed) > 0 }
        let before = reads.load(ordering: .relaxed)
        let end = ContinuousClock.now + .milliseconds(700)
        try await waitUntil("the time in which a manager would poll") { ContinuousClock.now > end }
        #expect(reads.load(ordering: .relaxed) == before && !watch.isFollowing)
        watch.end()
        try close(first, second)
    }
}
#endif
