#if Objects
import Foundation
import LarderObjects
import Testing

/// Tests that `explain` names exactly the missing indexes that SQLite would use.
@Suite struct IndexAdviceTests {
    private typealias Book = QueryPlanTests.Book

    private func explain(_ request: ObjectRequest<QueryPlanTests.Book>) async throws -> QueryExplanation {
        try await withStorage(model: QueryPlanTests.model) { manager in
            // This is safe because only this task uses the request.
            nonisolated(unsafe) let request = request
            return try await manager.withView { try $0.explain(request) }
        }
    }

    @Test func queryExplanationSuggestsIndexOnAttribute() async throws {
        let explanation = try await explain(ObjectRequest(\.pages == 3))
        #expect(explanation.helpfulIndexes == ["Book.pages"])
        #expect(explanation.hint?.contains("Book.pages") == true)
        #expect(explanation.description.contains("Book.pages"))
    }

    @Test func queryExplanationSuggestsIndexOnRelatedEntity() async throws {
        let explanation = try await explain(ObjectRequest(\.author?.country == "c1"))
        #expect(explanation.helpfulIndexes == ["Author.country"])
    }

    @Test func queryExplanationSuggestsAllNeededIndexes() async throws {
        let explanation = try await explain(ObjectRequest(\.pages == 3 || \.title == "t"))
        #expect(Set(explanation.helpfulIndexes) == ["Book.pages", "Book.title"])
        #expect(explanation.hint?.contains("to each of") == true)
    }

    @Test func queryExplanationSuggestsOnlyUsefulIndexes() async throws {
        for filter in [
            (\Book.title).contains("x"), \.pages != 3, !(\.title == "t"), .any(\.author!.books, \.pages == 3),
        ] {
            let explanation = try await explain(ObjectRequest(filter))
            #expect(explanation.helpfulIndexes == [], "\(explanation)")
            #expect(explanation.hint?.contains("would not help") == true)
        }
    }

    @Test func queryExplanationHasNoHintIfIndexIsUsed() async throws {
        for filter in [\Book.rating == 3, \.author?.name == "a", \.rating == 3 && \.pages == 3] {
            let explanation = try await explain(ObjectRequest(filter))
            #expect(explanation.hint == nil && explanation.helpfulIndexes == [], "\(explanation)")
        }
        #expect(try await explain(ObjectRequest()).hint == nil)
    }

    @Test func queryExplanationSuggestsIndexForSortedPage() async throws {
        let sort = [SortDescriptor(\Book.title, order: .reverse)]
        let explanation = try await explain(ObjectRequest(sortedBy: sort, limit: 20))
        #expect(explanation.helpfulIndexes == ["Book.title"])
        #expect(explanation.sql.contains("LIMIT"))
        let indexed = try await explain(ObjectRequest(sortedBy: [SortDescriptor(\Book.price)], limit: 20))
        #expect(indexed.hint == nil)
    }
}
#endif
