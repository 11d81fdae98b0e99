#if Objects
import Foundation
import LarderObjects
import Testing

/// Tests that conditions use the available indexes, and treat missing values in the same way as in memory.
@Suite struct QueryPlanTests {
    @Entity final class Author {
        @Attribute(.indexed) var name: String = ""
        @Attribute(.indexed) var nickname: String?
        var country: String?
        @Relationship(inverse: \Book.author) var books: [Book]
    }

    @Entity final class Book {
        var title: String = ""
        var pages: Int = 0
        @Attribute(.indexed) var rating: Int?
        @Attribute(.indexed) var price: Int = 0
        @Relationship var author: Author?
        @Relationship(inverse: \Series.books) var series: Series?
    }

    @Entity final class Series {
        @Attribute(.indexed) var name: String = ""
        @Relationship var books: [Book]
        @Relationship var owner: Owner?
    }

    @Entity final class Owner {
        @Attribute(.indexed) var name: String = ""
        @Relationship(inverse: \Series.owner) var series: [Series]
    }

    static let model = ObjectModel([Author.self, Book.self, Series.self, Owner.self])

    private func withBooks(_ body: (SQLiteStorageManager) async throws -> Void) async throws {
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave { storage in
                let authors = try (0..<4).map { number in
                    let author = try storage.insertNewObject(ofType: Author.self)
                    author.name = "a\(number)"
                    author.nickname = number % 2 == 0 ? nil : "n\(number)"
                    author.country = number == 3 ? nil : "c\(number)"
                    return author
                }
                let owner = try storage.insertNewObject(ofType: Owner.self)
                owner.name = "o"
                let series = try storage.insertNewObject(ofType: Series.self)
                series.name = "s"
                series.owner = owner
                for number in 0..<20 {
                    let book = try storage.insertNewObject(ofType: Book.self)
                    book.title = "t\(number)"
                    book.pages = number
                    book.price = number
                    book.rating = number % 3 == 0 ? nil : number % 7
                    book.author = number % 5 == 0 ? nil : authors[number % 4]
                    book.series = number % 6 == 0 ? series : nil
                }
            }
            try await body(manager)
        }
    }

    /// Explains the query for a filter, and checks that the query returns the same books as in memory.
    private func explain(_ filter: Filter<Book>, _ manager: SQLiteStorageManager) async throws -> QueryExplanation {
        let all = try manager.viewStorage.allObjects(ofType: Book.self)
        let found = try manager.viewStorage.allObjects(ofType: Book.self, matching: filter)
        #expect(found == (try all.filter { try filter.evaluate($0) }))
        return try await manager.withView { try $0.explain(ObjectRequest(filter)) }
    }

    @Test func conditionOnRelatedObjectUsesIndex() async throws {
        try await withBooks { manager in
            let name = "a1"
            let filters: [Filter<Book>] = [
                \.author?.name == "a1", Filter(#Predicate { $0.author?.name == name }),
                Filter(#Predicate { ($0.author?.name ?? "") == name }),
                Filter(#Predicate { $0.author.flatMap { $0.name == name } ?? false }),
                Filter(#Predicate { $0.author!.name == name }),
                \.author?.name == "a1" && \.pages > 3, (\Book.author?.name).in(["a1", "a2"]),
                \.author?.name == "a1" || \.author?.name == "a2",
            ]
            for (number, filter) in filters.enumerated() {
                let explanation = try await explain(filter, manager)
                #expect(!explanation.sql.contains("LEFT JOIN"), "\(number): \(explanation)")
                #expect(explanation.plan.contains { $0.contains("Author.index.name") }, "\(number): \(explanation)")
                #expect(explanation.hint == nil)
            }
        }
    }

    @Test func conditionThroughTwoRelationshipsUsesIndex() async throws {
        try await withBooks { manager in
            let explanation = try await explain(\.series?.owner?.name == "o", manager)
            #expect(!explanation.sql.contains("LEFT JOIN"))
            #expect(explanation.plan.contains { $0.contains("Owner.index.name") })
        }
    }

    @Test func conditionCanMatchObjectsWithoutRelatedObject() async throws {
        try await withBooks { manager in
            let name = "a1"
            let none: String? = nil
            let filters: [Filter<Book>] = [
                !(\.author?.name == "a1"), \.author?.name != "a1", \.author?.name == nil, \.author?.nickname == nil,
                \.author?.name == "a1" || \.title == "t0", !(\.author?.name == "a1" && \.pages > 3),
                Filter(#Predicate { $0.author?.name != name }), Filter(#Predicate { !($0.author?.name == name) }),
                Filter(#Predicate { $0.author?.nickname == none }),
                Filter(#Predicate { ($0.author?.name ?? name) == name }),
                Filter(#Predicate { !(($0.author?.name ?? "") == name) }),
                Filter(#Predicate { $0.author.flatMap { $0.name == name } ?? true }),
                Filter(#Predicate { !($0.author.flatMap { $0.name == name } ?? false) }),
                Filter(#Predicate { $0.author?.nickname == $0.author?.country }),
                !((\Book.author?.name).in(["a1"])), (\Book.author?.nickname).in([nil, "n1"]),
            ]
            for (number, filter) in filters.enumerated() {
                let explanation = try await explain(filter, manager)
                #expect(explanation.sql.contains("LEFT JOIN"), "\(number): \(explanation)")
            }
        }
    }

    @Test func forceUnwrappedNilNeverMatches() async throws {
        try await withBooks { manager in
            let (name, four) = ("a1", 4)
            let filters: [Filter<Book>] = [
                Filter(#Predicate { $0.rating! == four }), Filter(#Predicate { !($0.rating! == four) }),
                Filter(#Predicate { $0.rating! != four }), Filter(#Predicate { $0.rating! < four }),
                Filter(#Predicate { !($0.rating! < four) }), Filter(#Predicate { $0.author!.name != name }),
                Filter(#Predicate { $0.author!.nickname == nil }),
                Filter(#Predicate { !($0.author!.nickname == nil) }),
                Filter(#Predicate { $0.author!.books.isEmpty }), Filter(#Predicate { !$0.author!.books.isEmpty }),
                Filter(#Predicate { $0.rating! == four || $0.pages > four }),
                Filter(#Predicate { $0.pages > four || $0.rating! == four }),
                Filter(#Predicate { !($0.rating! == four && $0.pages > four) }),
                !Filter(#Predicate { $0.rating! == four }), !Filter(#Predicate { !($0.rating! == four) }),
            ]
            for filter in filters { _ = try await explain(filter, manager) }
        }
    }

    @Test func conditionOnOptionalAttributeUsesIndex() async throws {
        try await withBooks { manager in
            let (four, five): (Int?, Int) = (4, 5)
            let filters: [Filter<Book>] = [
                \.rating == 4, (\Book.rating).in([4, 5]), Filter(#Predicate { $0.rating == four }),
                Filter(#Predicate { ($0.rating ?? 0) == five }), \.rating == nil,
                \.rating == 4 || Filter(#Predicate { $0.rating == five }),
            ]
            for (number, filter) in filters.enumerated() {
                let explanation = try await explain(filter, manager)
                #expect(
                    explanation.plan.contains { $0.hasPrefix("SEARCH t0 USING INDEX") },
                    "\(number): \(explanation)"
                )
            }
        }
    }

    @Test func rangeOfOptionalAttributeUsesIndex() async throws {
        try await withBooks { manager in
            let five = 5
            let filters: [(Filter<Book>, SortDescriptor<Book>)] = [
                (\.rating > 4, SortDescriptor(\.rating)), (!(\.price < 18), SortDescriptor(\.price)),
                (Filter(#Predicate { ($0.rating ?? 0) > five }), SortDescriptor(\.rating)),
            ]
            for (number, (filter, sort)) in filters.enumerated() {
                _ = try await explain(filter, manager)
                // This is safe because only this task uses the request.
                nonisolated(unsafe) let request = ObjectRequest(filter, sortedBy: [sort])
                let plan = try await manager.withView { try $0.explain(request).plan }
                #expect(plan.contains { $0.hasPrefix("SEARCH t0 USING INDEX") }, "\(number): \(plan)")
            }
        }
    }

    @Test func nestedConditionMatchesSameObjectsInSQLAndMemory() async throws {
        try await withBooks { manager in
            let filters: [Filter<Author>] = [
                .any(\.books, \.series?.name == "s"), .any(\.books, !(\.series?.name == "s")),
                .all(\.books, \.series?.name == "s"), .all(\.books, \.series?.name != "s"),
                Filter(#Predicate { author in author.books.contains { $0.author?.nickname == author.nickname } }),
                Filter(#Predicate { author in author.books.allSatisfy { $0.author?.country != author.nickname } }),
            ]
            let all = try manager.viewStorage.allObjects(ofType: Author.self)
            for (number, filter) in filters.enumerated() {
                let found = try manager.viewStorage.allObjects(ofType: Author.self, matching: filter)
                #expect(found == (try all.filter { try filter.evaluate($0) }), "\(number)")
            }
        }
    }
}
#endif
