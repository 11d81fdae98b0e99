#if Objects
import Dispatch
import Foundation
import LarderObjects
import Testing

// The code of the article "Coming from Core Data, SwiftData and WooCommerce Storage", in its order. The test below compares it with the
// article.

// Article
struct Note: Sendable, Equatable {  // in an app: a struct of a networking module
    var noteID: Int64
    var text: String
    var isRead: Bool
}

@Entity(bridges: Note.self) final class StorageNote {
    @Attribute(.unique) var noteID: Int64
    var text: String
    @Attribute(was: "read") var isRead = false
}
// end

private func readUnread() async throws -> (texts: [String], manager: SQLiteStorageManager) {
    // Article
    let notes = [Note(noteID: 1, text: "Tea", isRead: false), Note(noteID: 2, text: "Jam", isRead: true)]
    let manager = try SQLiteStorageManager(inMemory: ObjectModel([StorageNote.self]))
    try await manager.performAndSave { storage in
        _ = try storage.sync(notes, by: \StorageNote.noteID)
    }
    let unread = try manager.viewStorage.allObjects(ofType: StorageNote.self, matching: \.isRead == false)
    print(unread.map { $0.toReadOnly().text })  // ["Tea"]
    // end
    return (unread.map { $0.toReadOnly().text }, manager)
}

// Article
struct NoteStore: Sendable {
    let storageManager: any StorageManagerType

    func unread() throws -> [Note] {
        try storageManager.viewStorage.allObjects(
            ofType: StorageNote.self,
            matching: \.isRead == false,
            sortedBy: [SortDescriptor(\.noteID, order: .reverse)]
        ).map { $0.toReadOnly() }
    }

    func markAsRead(noteID: Int64, onCompletion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        storageManager.performAndSave(
            { storage in
                try storage.firstObject(ofType: StorageNote.self, matching: \.noteID == noteID)?.isRead = true
            },
            completion: onCompletion,
            on: .main
        )
    }

    func replaceAll(with notes: [Note]) async throws {
        try await storageManager.performAndSave { storage in
            _ = try storage.sync(notes, by: \StorageNote.noteID)
        }
    }
}
// end

@Suite struct ComingFromCoreDataArticleTests {
    @Test func firstArticleExampleReadsUnreadNotes() async throws {
        let (texts, manager) = try await readUnread()
        #expect(texts == ["Tea"])
        #expect(try manager.verify().isIntact)
        try manager.close()
    }

    @Test func articleCodeRunsAsDocumented() async throws {
        let manager = try SQLiteStorageManager(inMemory: ObjectModel([StorageNote.self]))
        let store = NoteStore(storageManager: manager)
        try await store.replaceAll(with: (1...3).map { Note(noteID: $0, text: "\($0)", isRead: false) })
        let result = await withCheckedContinuation { continuation in
            store.markAsRead(noteID: 2) { continuation.resume(returning: $0) }
        }
        #expect(throws: Never.self) { try result.get() }
        #expect(try store.unread().map(\.noteID) == [3, 1])
        #expect(try manager.verify().isIntact)
        try manager.close()
    }

    @Test func articleCodeMatchesTestedCode() throws {
        try expectSameCode(article: "LarderObjects/LarderObjects.docc/ComingFromCoreData.md", source: #filePath)
    }
}
#endif
