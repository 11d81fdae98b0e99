#if Objects
import Dispatch
import Foundation
import GRDB
import LarderCore
import LarderTestSupport
import LarderTestTraits
import Testing

@testable import LarderObjects

/// Tests of what the view shows after changes of other programs, and after changes that it could not read.
@Suite struct ForeignMergeTests {
    @Entity final class Note {
        var number = 0
        var text = ""
    }

    private let directory: TemporaryDirectory
    private let manager: SQLiteStorageManager

    init() throws {
        directory = try TemporaryDirectory()
        manager = try SQLiteStorageManager(
            model: ObjectModel([Note.self]),
            url: directory.url("notes.sqlite"),
            configuration: .init(viewQueue: DispatchQueue(label: "view"))
        )
    }

    private func close() throws {
        #expect(try manager.verify().problems == [])
        try manager.close()
    }

    private func addNotes(_ count: Int) async throws -> [ObjectID] {
        try await manager.performAndSave { storage in
            try (0..<count).map { number in
                let note = try storage.insertNewObject(ofType: Note.self)
                note.number = number
                note.text = "first"
                return note.objectID
            }
        }
    }

    private func note(_ id: ObjectID) throws -> Note {
        try #require(try manager.viewStorage.loadObject(ofType: Note.self, with: id))
    }

    /// Runs SQL like a program that does not use Larder, in one transaction.
    private func runSQL(_ sql: String) throws {
        let queue = try DatabaseQueue(path: manager.path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    /// Inserts and deletes an object as another program does, and returns the view's object, which was loaded in between.
    private func vanishedNote() throws -> Note {
        // No save is read in the meantime, so that both changes are merged at once.
        try manager.viewObjects.exclusively {
            try runSQL("INSERT INTO Note (objectID, text) VALUES (90000, 'foreign')")
            let note = try note(ObjectID(entityName: "Note", rowID: 90_000))
            try runSQL("DELETE FROM Note WHERE objectID = 90000")
            return note
        }
    }

    @Test func objectThatAnotherProgramInsertsAndDeletesLeavesView() async throws {
        _ = try await addNotes(1)
        let held = try vanishedNote()
        try await waitUntil("the merge") { held.isDeleted }
        #expect(try manager.viewStorage.countObjects(ofType: Note.self) == 1)
        try close()
    }

    @Test func rowThatAnotherProgramReplacesIsRead() async throws {
        let ids = try await addNotes(1)
        let held = try note(ids[0])
        try runSQL("INSERT OR REPLACE INTO Note (objectID, number, text) VALUES (\(ids[0].rowID), 7, 'second')")
        try await waitUntil("the merge") { held.text == "second" }
        #expect(held.number == 7 && !held.isDeleted)
        try close()
    }

    /// Changes two rows as another program does, and hides a column, so that the merge can't read the rows.
    private func changeUnreadably(_ ids: [ObjectID]) async throws {
        var changes = manager.changes.makeAsyncIterator()
        try runSQL(
            """
            UPDATE Note SET text = 'second' WHERE objectID = \(ids[0].rowID);
            UPDATE Note SET text = 'second' WHERE objectID = \(ids[1].rowID);
            ALTER TABLE Note RENAME COLUMN number TO hidden;
            """
        )
        #expect(try #require(await changes.next()).updated.count == 2)
    }

    @Test(.expectsIssues(.readFailed)) func failedMergeIsRepeatedByNextFetch() async throws {
        let ids = try await addNotes(3)
        let held = try ids.map(note)
        try await changeUnreadably(ids)
        #expect(held.map(\.text) == ["first", "first", "first"])
        try runSQL("ALTER TABLE Note RENAME COLUMN hidden TO number")
        _ = try note(ids[2])
        #expect(held.map(\.text) == ["second", "second", "first"])
        try close()
    }

    @Test(.expectsIssues(.readFailed)) func failedMergeIsRepeatedByNextMerge() async throws {
        let ids = try await addNotes(3)
        let held = try ids.map(note)
        try await changeUnreadably(ids)
        try runSQL(
            "ALTER TABLE Note RENAME COLUMN hidden TO number; DELETE FROM Note WHERE objectID = \(ids[1].rowID)"
        )
        try await waitUntil("the merge of the deletion") { held[1].isDeleted }
        #expect(held.map(\.text) == ["second", "first", "first"])
        try close()
    }

    @Test(.expectsIssues(.readFailed)) func failedMergeOfAnyObjectRemovesDeletedObjectsLater() async throws {
        let ids = try await addNotes(3)
        let held = try ids.map(note)
        var changes = manager.changes.makeAsyncIterator()
        try runSQL(
            """
            UPDATE Note SET text = 'second' WHERE objectID = \(ids[0].rowID);
            DELETE FROM Note WHERE objectID = \(ids[1].rowID);
            INSERT INTO larder_save (changes) VALUES ('{"all":"anything"}');
            ALTER TABLE Note RENAME COLUMN number TO hidden;
            """
        )
        #expect(try #require(await changes.next()).isComplete)
        #expect(held.map(\.text) == ["first", "first", "first"] && !held[1].isDeleted)
        try runSQL("ALTER TABLE Note RENAME COLUMN hidden TO number")
        _ = try manager.viewStorage.allObjects(ofType: Note.self)
        #expect(held.map(\.text) == ["second", "first", "first"] && held[1].isDeleted)
        try close()
    }

    @Test func followingKeepsFailureForNextRead() async throws {
        _ = try await addNotes(1)
        manager.viewObjects.exclusively { manager.viewObjects.failure = Refusal() }
        manager.followOthers()
        #expect(throws: Refusal.self) { try manager.viewStorage.countObjects(ofType: Note.self) }
        #expect(try manager.viewStorage.countObjects(ofType: Note.self) == 1)
        try close()
    }

    // MARK: Code of the caller

    /// Returns whether another thread can read the view now.
    @available(*, noasync)
    private static func canRead(_ manager: SQLiteStorageManager) -> Bool {
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            _ = try? manager.viewStorage.countObjects(ofType: Note.self)
            done.signal()
        }
        return done.wait(timeout: .now() + 20) == .success
    }

    @Test func observerMayWaitForAnotherReader() async throws {
        let changes = manager.changes
        let check: @Sendable () -> Bool = { [manager] in Self.canRead(manager) }
        let reader = Task(executorPreference: InlineExecutor()) {
            for await _ in changes { return check() }
            return false
        }
        _ = try await addNotes(1)
        #expect(await reader.value)
        try close()
    }

    /// A list of the view, and whether its delegate was notified.
    private final class Shown: ResultsControllerDelegate, @unchecked Sendable {
        // The class is safe to send because the controller is used only on the view's queue.
        var controller: ResultsController<Note>?
        let isNotified = Box(false)

        func resultsDidChange(_ snapshot: ResultsSnapshot, _ changes: ResultsChanges) { isNotified.value = true }
    }

    @Test func completionFollowsListsAfterReset() async throws {
        let queue = DispatchQueue(label: "view")
        let manager = try SQLiteStorageManager(
            model: ObjectModel([Note.self]),
            url: directory.url("lists.sqlite"),
            configuration: .init(viewQueue: queue)
        )
        // The list is not empty, so that the reset changes it.
        try await manager.performAndSave { try $0.insertNewObject(ofType: Note.self).text = "old" }
        let shown = Shown()
        try await manager.withView { view in
            shown.controller = try view.results(ObjectRequest<Note>(sortedBy: [SortDescriptor(\.number)]))
            shown.controller?.delegate = shown
        }
        let (wasNotified, release) = (Box<Bool?>(nil), DispatchSemaphore(value: 0))
        queue.suspend()
        manager.performAndSave(
            { try $0.insertNewObject(ofType: Note.self).text = "new" },
            completion: { wasNotified.value = shown.isNotified.value },
            on: .global()
        )
        manager.writerQueue.sync {}
        // The lists are not updated by the reset, which merges the save, but by the merge that precedes the completion.
        queue.async { release.wait() }
        try manager.reset()
        queue.resume()
        try await waitUntil("the completion") { wasNotified.value != nil }
        release.signal()
        #expect(wasNotified.value == true)
        #expect(try await manager.withView { _ in shown.controller?.snapshot.count } == 0)
        #expect(try manager.verify().problems == [])
        try manager.close()
    }
}
#endif
