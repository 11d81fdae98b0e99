#if Objects
import Foundation
import LarderObjects
import LarderTestSupport
import Testing

// The code of the article "History", in its order. The last test compares it with the article.

enum HistoryArticle {
    // Article
    @Entity final class Note {
        @Attribute(.unique) var number: Int64
        var text: String = ""
    }
    // end

    static func begin() async throws -> (kinds: [[String]], manager: SQLiteStorageManager) {
        // Article
        let manager = try SQLiteStorageManager(inMemory: ObjectModel([Note.self]))
        let start = try manager.historyToken
        try await manager.performAndSave { storage in
            try storage.insertNewObject(ofType: Note.self).number = 1
        }
        try await manager.performAndSave { storage in
            try storage.firstObject(ofType: Note.self, matching: \.number == 1)?.text = "Tea"
        }
        let saves = try manager.history(after: start)
        print(saves.map { $0.changes.map(\.kind.rawValue) })  // [["inserted"], ["updated"]]
        // end
        return (saves.map { $0.changes.map(\.kind.rawValue) }, manager)
    }

    // Article
    static func upload(
        from manager: SQLiteStorageManager,
        after token: HistoryToken?,
        _ send: (HistoryEntry) async throws -> Void
    ) async throws {
        for try await save in manager.historyUpdates(after: token) where save.author != "download" {
            try await send(save)
        }
    }
    // end

    // Article
    @Entity final class Article {
        @Attribute(.unique, .preserveValueOnDeletion) var number: Int64
        var price: Int = 0
    }

    static func openShop(at url: URL) throws -> SQLiteStorageManager {
        var configuration = ObjectStorageConfiguration()
        configuration.history = .kept(oldValues: true, limit: .age(.seconds(30 * 24 * 3_600)))
        return try SQLiteStorageManager(model: ObjectModel([Article.self]), url: url, configuration: configuration)
    }

    static func lines(of save: HistoryEntry) throws -> [String] {
        try save.changes.map { change in
            switch change.kind {
            case .inserted: "new \(change.objectID.entityName)"
            case .updated: "the price was \(try change.oldValue("price", as: Int.self) ?? 0)"
            case .deleted: "deleted number \(try change.oldValue("number", as: Int64.self) ?? 0)"
            }
        }
    }
    // end

    // Article
    static func saves(in manager: SQLiteStorageManager, after token: HistoryToken) throws -> [HistoryEntry]? {
        do {
            return try manager.history(after: token)
        } catch let error as ObjectError where error.code == .historyExpired {
            return nil  // read everything again, and continue with manager.historyToken
        }
    }
    // end
}

@Suite struct HistoryArticleTests {
    private typealias Article = HistoryArticle

    @Test func firstArticleExampleReadsTwoSaves() async throws {
        let (kinds, manager) = try await Article.begin()
        #expect(kinds == [["inserted"], ["updated"]])
        #expect(try manager.verify().isIntact)
        try manager.close()
    }

    @Test func articleCodeRunsAsDocumented() async throws {
        let (_, manager) = try await Article.begin()
        let start = try manager.historyToken
        for (author, number) in [("download", 2), ("user", 3)] as [(String, Int64)] {
            try await manager.performAndSave { storage in
                storage.author = author
                try storage.insertNewObject(ofType: Article.Note.self).number = number
            }
        }
        var sent: [String?] = []
        await #expect(throws: Sent.self) {
            try await Article.upload(from: manager, after: start) { save in
                sent.append(save.author)
                throw Sent()
            }
        }
        #expect(sent == ["user"])
        #expect(try Article.saves(in: manager, after: start)?.count == 2)
        try manager.trimHistory(to: .token(manager.historyToken))
        #expect(try Article.saves(in: manager, after: start) == nil)
        #expect(try manager.verify().isIntact)
        try manager.close()
    }

    private struct Sent: Error {}

    @Test func articleShopKeepsOldValues() async throws {
        let folder = try TemporaryDirectory()
        let manager = try Article.openShop(at: folder.url("shop.sqlite"))
        let token = try manager.historyToken
        try await manager.performAndSave { storage in
            let article = try storage.insertNewObject(ofType: Article.Article.self)
            (article.number, article.price) = (7, 100)
        }
        try await manager.performAndSave { try $0.firstObject(ofType: Article.Article.self)?.price = 120 }
        try await manager.performAndSave { try $0.deleteAllObjects(ofType: Article.Article.self) }
        let lines = try manager.history(after: token).flatMap(Article.lines)
        #expect(lines == ["new Article", "the price was 100", "deleted number 7"])
        #expect(try manager.verify().isIntact)
        try manager.close()
    }

    @Test func articleCodeMatchesTestedCode() throws {
        let code = try articleCode(article: "LarderObjects/LarderObjects.docc/History.md", source: #filePath)
        // The article declares functions outside of a type.
        #expect(!code.printed.isEmpty)
        #expect(code.printed == code.tested.map { $0.replacing("static func", with: "func") })
    }
}
#endif
