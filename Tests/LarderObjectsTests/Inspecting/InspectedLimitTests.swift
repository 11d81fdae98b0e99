#if Objects
import Foundation
import LarderCore
import LarderObjects
import Testing

/// Tests that the queries of an inspection end, however many objects they look at.
///
/// Limits of no time interrupt each query that SQLite does not answer with few instructions.
@Suite struct InspectedLimitTests {
    @Entity final class Part {
        @Attribute(.indexed) var kind: String = ""
        var text: String = ""
        @Relationship(inverse: \Label.parts) var labels: [Label]
    }

    @Entity final class Label {
        var name: String = ""
        @Relationship var parts: [Part]
    }

    private static let model = ObjectModel([Part.self, Label.self])

    /// Runs `body` with a database whose parts have all labels.
    private func withParts(
        _ count: Int,
        labels labelCount: Int = 0,
        _ body: (ObjectDatabase, SQLiteStorageManager) async throws -> Void
    ) async throws {
        try await withStorage(.file, model: Self.model) { manager in
            try await manager.performAndSave { storage in
                let labels = try (0..<labelCount).map { number in
                    let label = try storage.insertNewObject(ofType: Label.self)
                    label.name = "label \(number)"
                    return label
                }
                for number in 0..<count {
                    let part = try storage.insertNewObject(ofType: Part.self)
                    part.kind = "a"
                    part.text = number == count - 1 ? "zzz" : "text \(number)"
                    part.labels = labels
                }
            }
            let database = try ObjectDatabase(reading: manager.url.path)
            defer { database.close() }
            try await body(database, manager)
        }
    }

    private var manyToMany: InspectionQuery {
        var query = InspectionQuery(table: "Part")
        query.filter = "labels.parts.labels.parts.text.contains(\"yyy\")"
        return query
    }

    @Test func filterOverManyRelationshipsEnds() async throws {
        try await withParts(40, labels: 20) { database, _ in
            var database = database
            database.inspectionLimits.finding = .zero
            let error = #expect(throws: InspectionQueryError.self) { try database.inspectionPage(manyToMany) }
            #expect(error?.message.contains("takes too long") == true && error?.place == nil)
            // The connection is free for other queries, which are not interrupted.
            var query = manyToMany
            query.filter = "labels.name == \"label 3\""
            query.limit = 1
            let page = try database.inspectionPage(query)
            #expect(page.records.first?.counts == ["labels": 20])
        }
    }

    @Test func answerHasOneLimitForAllQueries() async throws {
        try await withParts(40, labels: 20) { database, _ in
            var database = database
            database.inspectionLimits.answer = .zero
            let error = #expect(throws: InspectionQueryError.self) { try database.inspectionPage(manyToMany) }
            #expect(error?.message.contains("too long to answer") == true)
            let table = try database.inspectionTable(named: "Part")
            #expect(table?.name == "Part")
        }
    }

    @Test func canceledTaskEndsItsQuery() async throws {
        try await withParts(40, labels: 20) { database, _ in
            let query = manyToMany
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try database.inspectionPage(query)
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            let page = try database.inspectionPage(InspectionQuery(table: "Part"))
            #expect(page.records.count == 40)
        }
    }

    @Test func filterThatAnIndexDoesNotNarrowContinuesOnNextPage() async throws {
        try await withParts(600) { database, _ in
            var database = database
            database.inspectionLimits.finding = .zero
            var query = InspectionQuery(table: "Part", limit: 5)
            query.filter = "kind == \"a\" && text.contains(\"zzz\")"
            query.patience = .zero
            let first = try database.inspectionPage(query)
            #expect(first.records.isEmpty && first.next?.hasPrefix("~") == true)
            var keys: [String] = []
            query.after = first.next
            while query.after != nil {
                let page = try database.inspectionPage(query)
                #expect(query.after != page.next)
                keys += page.records.map(\.key)
                query.after = page.next
            }
            query = InspectionQuery(table: "Part", limit: 1)
            query.order = [.init("objectID", isAscending: false)]
            #expect(try keys == database.inspectionPage(query).records.map(\.key))
        }
    }

    @Test func sortingWithoutIndexEnds() async throws {
        try await withParts(600) { database, _ in
            var database = database
            var query = InspectionQuery(table: "Part")
            query.order = [.init("text", isAscending: false)]
            let page = try database.inspectionPage(query)
            #expect(page.records.first?.values.last == "zzz")
            database.inspectionLimits.sorting = .zero
            let error = #expect(throws: InspectionQueryError.self) { try database.inspectionPage(query) }
            #expect(error?.message.contains("Sorting by text takes too long") == true)
        }
    }

    @Test func numbersThatAreNotKnownSoonAreLeftOut() async throws {
        try await withParts(1_000, labels: 1) { database, _ in
            var database = database
            database.inspectionLimits.counting = .seconds(60)
            database.inspectionLimits.overview = .seconds(60)
            var query = InspectionQuery(table: "Part")
            query.filter = "text != \"x\""
            query.patience = .seconds(60)
            let page = try database.inspectionPage(query)
            #expect(page.total == 1_000 && page.records.first?.counts == ["labels": 1])
            #expect(try database.inspectionTables().map(\.count) == [1, 1_000])
            database.inspectionLimits.counting = .zero
            database.inspectionLimits.overview = .zero
            database.inspectionLimits.pagesForCounting = 0
            let other = try database.inspectionPage(query)
            #expect(other.total == nil && other.records.map(\.values) == page.records.map(\.values))
            #expect(other.records.last?.counts == [:])
            #expect(try database.inspectionTables().map(\.count) == [1, nil])
        }
    }

    @Test func tooLongTextIsRefused() async throws {
        try await withParts(1) { database, _ in
            var query = InspectionQuery(table: "Part")
            query.text = String(repeating: "%", count: 1_000)
            let page = try database.inspectionPage(query)
            #expect(page.records.isEmpty)
            query.text += "%"
            let error = #expect(throws: InspectionQueryError.self) { try database.inspectionPage(query) }
            #expect(error?.message.contains("Shorten it") == true && error?.place == nil)
        }
    }
}
#endif
