#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import Testing

/// Tests that a searchable attribute has a second column that contains its string without case and accents.
@Suite struct SearchTests {
    @Entity final class Article {
        @Attribute(.searchable) var title = "Unnamed"
        @Attribute(.searchable) var subtitle: String?
        var number = 0
    }
    private static let model = ObjectModel([Article.self])
    private static let titles = ["Éclair", "ECLAIR", "e\u{301}clair", "strauß", "", "İstanbul", "a\u{0}É"]

    private func withArticles(_ body: (SQLiteStorageManager) async throws -> Void) async throws {
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave { storage in
                for (number, title) in Self.titles.enumerated() {
                    let article = try storage.insertNewObject(ofType: Article.self)
                    (article.title, article.number) = (title, number)
                    article.subtitle = number % 2 == 0 ? nil : title
                }
            }
            try await body(manager)
        }
    }

    @Test(arguments: ["eclair", "É", "ss", "stanbul", "", "x", "\u{301}"])
    func searchIgnoringCaseAndAccentsAgreesInSQLAndMemory(_ part: String) async throws {
        try await withArticles { manager in
            let filters: [Filter<Article>] = [
                (\Article.title).containsIgnoringCaseAndAccents(part),
                (\Article.subtitle).containsIgnoringCaseAndAccents(part),
                !((\Article.subtitle).containsIgnoringCaseAndAccents(part)),
                Filter(#Predicate { $0.title.localizedStandardContains(part) }),
                Filter(#Predicate { $0.subtitle?.localizedStandardContains(part) == true }),
                Filter(#Predicate { $0.subtitle?.localizedStandardContains(part) != false }),
            ]
            let all = try manager.viewStorage.allObjects(ofType: Article.self)
            for (index, filter) in filters.enumerated() {
                let found = try manager.viewStorage.allObjects(ofType: Article.self, matching: filter).map(\.number)
                #expect(found == (try all.filter { try filter.evaluate($0) }.map(\.number)), "filter \(index)")
            }
        }
    }

    @Test func searchUsesCaseFoldedColumn() async throws {
        try await withArticles { manager in
            let filter = (\Article.title).containsIgnoringCaseAndAccents("eclair")
            let sql = try await manager.withView { try $0.explain(ObjectRequest<Article>(filter)).sql }
            #expect(sql.contains("\"title.folded\"") && !sql.contains("larder_contains_folded"))
            #expect(try manager.viewStorage.countObjects(ofType: Article.self, matching: filter) == 3)
        }
    }

    @Test func searchFindsDefaultValue() async throws {
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave { _ = try $0.insertNewObject(ofType: Article.self) }
            let filter = (\Article.title).containsIgnoringCaseAndAccents("UNNAMED")
            #expect(try manager.viewStorage.countObjects(ofType: Article.self, matching: filter) == 1)
        }
    }

    @Test func changeSetOmitsCaseFoldedColumn() async throws {
        try await withArticles { manager in
            var changes = manager.changes.makeAsyncIterator()
            try await manager.performAndSave { storage in
                try storage.firstObject(ofType: Article.self)?.title = "Über"
            }
            let filter = (\Article.title).containsIgnoringCaseAndAccents("uber")
            #expect(try manager.viewStorage.countObjects(ofType: Article.self, matching: filter) == 1)
            #expect(await changes.next()?.updated.values.first == ["title"])
        }
    }

    @Test func rawSQLUpdatesCaseFoldedColumn() async throws {
        try await withArticles { manager in
            try await manager.write { database in
                try database.execute(sql: "UPDATE Article SET title = 'Ökonom' WHERE number = 0")
                try database.execute(
                    sql: "INSERT INTO Article (objectID, title, number) VALUES (larder_next_id(), 'Öl', 99)"
                )
            }
            let filter = (\Article.title).containsIgnoringCaseAndAccents("o")
            let found = try manager.viewStorage.allObjects(ofType: Article.self, matching: filter)
            #expect(found.map(\.number) == [0, 99])
        }
    }

    @Test func verifyReportsOutdatedCaseFoldedColumn() async throws {
        try await withTemporaryFolder { folder in
            let manager = try SQLiteStorageManager(
                model: Self.model,
                name: "articles",
                in: folder,
                configuration: .init(viewQueue: DispatchQueue(label: "view"))
            )
            try await manager.performAndSave { try $0.insertNewObject(ofType: Article.self).title = "A" }
            try manager.close()
            let queue = try DatabaseQueue(path: folder.appendingPathComponent("articles.sqlite").path)
            try await queue.write { try $0.execute(sql: "UPDATE Article SET \"title.folded\" = 'b'") }
            try queue.close()
            let again = try SQLiteStorageManager(model: Self.model, name: "articles", in: folder)
            #expect(try again.verify().problems.count == 1)
            try again.close()
        }
    }
}
#endif
