#if Objects
import Foundation
import LarderObjects
import LarderTestSupport
import Testing

// The code of the article "Several processes", in its order. The last test compares it with the article.

enum SeveralProcessesArticle {
    // Article
    struct Note: Sendable, Equatable {
        var number: Int64
        var text: String
        var isDone: Bool
    }

    @Entity(bridges: Note.self) final class StoredNote {
        @Attribute(.unique) var number: Int64
        var text: String = ""
        var isDone = false
    }
    // end

    @Entity final class StoredItem {
        @Attribute(.unique) var number: Int64
        var stock: Int = 0
    }

    static func begin() async throws -> (texts: [String], app: SQLiteStorageManager, helper: SQLiteStorageManager) {
        // Article
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite")
        let model = ObjectModel([StoredNote.self])
        let app = try SQLiteStorageManager(model: model, url: url)
        let helper = try SQLiteStorageManager(model: model, url: url)  // usually in another process

        try await helper.performAndSave { storage in
            _ = try storage.upsert([Note(number: 1, text: "Tea", isDone: false)], by: \StoredNote.number)
        }
        let notes = try await app.fetchValues(ObjectRequest<StoredNote>())
        print(notes.map(\.text))  // ["Tea"]
        // end
        return (notes.map(\.text), app, helper)
    }

    // Article
    static func followOthers(_ changes: AsyncStream<ChangeSet>, _ show: @Sendable (String) -> Void) async {
        for await changes in changes where changes.origin == .otherManager {
            show("inserted by \(changes.author ?? "unknown"): \(changes.inserted.count)")
        }
    }
    // end

    // Article
    static func takeOne(_ number: Int64, in manager: SQLiteStorageManager) async throws -> Bool {
        try await manager.performAndSave { storage in
            let item = try storage.firstObject(ofType: StoredItem.self, matching: \.number == number)
            guard let item, item.stock > 0 else { return false }
            item.stock -= 1
            return true
        }
    }
    // end

    // Article
    static func save(_ edited: Note, read: Note, in manager: SQLiteStorageManager) async throws -> [ObjectConflict] {
        do {
            try await manager.performAndSave { storage in
                _ = try storage.update(StoredNote.self, by: \.number, from: edited, expecting: read)
            }
            return []
        } catch let error as ObjectError where error.code == .conflict {
            return error.conflicts
        }
    }
    // end

    // Article
    static func append(_ text: String, to read: Note, in manager: SQLiteStorageManager) async throws {
        try await manager.performAndSave { storage in
            var edited = read
            edited.text += text
            try storage.update(
                StoredNote.self,
                by: \.number,
                from: edited,
                expecting: read,
                onConflict: .resolve { mine, theirs, read in
                    theirs.map { Note(number: $0.number, text: $0.text + text, isDone: $0.isDone) }
                }
            )
        }
    }
    // end
}

@Suite struct SeveralProcessesArticleTests {
    private typealias Article = SeveralProcessesArticle

    @Test func firstArticleExampleReadsNoteOfOtherManager() async throws {
        let (texts, app, helper) = try await Article.begin()
        #expect(texts == ["Tea"])
        try helper.close()
        #expect(try app.verify().isIntact)
        try app.close()
    }

    @Test func articleCodeRunsAsDocumented() async throws {
        let model = ObjectModel([Article.StoredNote.self, Article.StoredItem.self])
        let manager = try SQLiteStorageManager(inMemory: model)
        let read = Article.Note(number: 1, text: "Tea", isDone: false)
        try await manager.performAndSave { storage in
            _ = try storage.upsert([read], by: \Article.StoredNote.number)
            let item = try storage.insertNewObject(ofType: Article.StoredItem.self)
            (item.number, item.stock) = (1, 1)
        }
        #expect(try await Article.takeOne(1, in: manager))
        #expect(try await !Article.takeOne(1, in: manager))

        var edited = read
        edited.isDone = true
        #expect(try await Article.save(edited, read: read, in: manager).isEmpty)
        try await Article.append(" and jam", to: read, in: manager)
        try await Article.append(" and milk", to: read, in: manager)
        let notes = try await manager.fetchValues(ObjectRequest<Article.StoredNote>())
        #expect(notes == [Article.Note(number: 1, text: "Tea and jam and milk", isDone: true)])
        edited.text = "Coffee"
        #expect(try await Article.save(edited, read: read, in: manager).map(\.properties) == [["text"]])
        #expect(try manager.verify().isIntact)
        try manager.close()
    }

    @Test func articleCodeReportsSavesOfOtherManagers() async throws {
        let (_, app, helper) = try await Article.begin()
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let changes = app.changes
        let following = Task { await Article.followOthers(changes) { continuation.yield($0) } }
        try await helper.performAndSave { storage in
            storage.author = "import"
            let note = Article.Note(number: 2, text: "Jam", isDone: false)
            _ = try storage.upsert([note], by: \Article.StoredNote.number)
        }
        // The save that began the file may be reported only now.
        var reported: [String] = []
        for await line in lines {
            reported.append(line)
            if line.hasPrefix("inserted by import") { break }
        }
        #expect(reported.last == "inserted by import: 1")
        try helper.close()
        #expect(try app.verify().isIntact)
        try app.close()
        await following.value
    }

    @Test func articleCodeMatchesTestedCode() throws {
        let code = try articleCode(article: "LarderObjects/LarderObjects.docc/SeveralProcesses.md", source: #filePath)
        // The article declares functions outside of a type.
        #expect(!code.printed.isEmpty)
        #expect(code.printed == code.tested.map { $0.replacing("static func", with: "func") })
    }
}
#endif
