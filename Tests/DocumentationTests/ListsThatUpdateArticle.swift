#if Objects
import Foundation
import LarderObjects
import LarderTestSupport
import Testing

// The code of the article "Lists that update", in its order. The last test compares it with the article.

enum ListsThatUpdateArticle {
    // Article
    @Entity final class Chore {
        var title: String = ""
        @Attribute(.indexed) var room: String = ""
        var isDone = false
    }
    // end

    @MainActor static func begin() async throws -> (sections: [String], manager: SQLiteStorageManager) {
        // Article
        let manager = try SQLiteStorageManager(inMemory: ObjectModel([Chore.self]))
        let list = try manager.viewContext.results(
            ObjectRequest<Chore>(\.isDone == false, sortedBy: [SortDescriptor(\.title)]),
            sectionBy: SortDescriptor(\.room)
        )

        try await manager.performAndSave { storage in
            for (title, room) in [("Sweep", "Kitchen"), ("Dust", "Hall"), ("Cook", "Kitchen")] {
                let chore = try storage.insertNewObject(ofType: Chore.self)
                (chore.title, chore.room) = (title, room)
            }
        }
        print(list.snapshot.sections.map { "\($0.title): \($0.ids.count)" })  // ["Hall: 1", "Kitchen: 2"]
        // end
        return (list.snapshot.sections.map { "\($0.title): \($0.ids.count)" }, manager)
    }

    // Article
    static func lines(of list: ResultsController<Chore>) throws -> [String] {
        try list.snapshot.sections.indices.flatMap { section in
            let chores = try list.objects(in: section)
            return [list.snapshot.sections[section].title] + chores.map { "- \($0.title)" }
        }
    }
    // end

    // Article
    final class ChoreTable: ResultsControllerDelegate {
        var calls: [String] = []

        func resultsDidChangeSection(_ change: SectionEvent) {
            switch change {
            case .delete(let index): calls.append("delete section \(index)")
            case .insert(let index, let title): calls.append("insert section \(index), \(title)")
            }
        }

        func resultsDidChangeObject(_ id: ObjectID, _ change: ObjectEvent) {
            switch change {
            case .delete(let path): calls.append("delete \(path.section).\(path.item)")
            case .insert(let path): calls.append("insert \(path.section).\(path.item)")
            case .move(let from, let to, _):
                calls.append("move \(from.section).\(from.item) to \(to.section).\(to.item)")
            case .update(let path, let properties):
                calls.append("update \(path.section).\(path.item): \(properties ?? [])")
            }
        }
    }
    // end

    // Article
    static func report(_ updates: ResultsUpdates) async -> [String] {
        var report: [String] = []
        for await update in updates {
            report.append("\(update.snapshot.count) chores, \(update.changes.insertions.count) inserted")
        }
        return report
    }
    // end

    // Article
    static func send(_ manager: SQLiteStorageManager, _ send: @Sendable ([String]) async throws -> Void) async throws {
        let request = ObjectRequest<Chore>(\.isDone == false, sortedBy: [SortDescriptor(\.title)])
        let updates = manager.results(request, sectionBy: SortDescriptor(\.room)) { $0.title }
        for try await update in updates { try await send(update.snapshot.values) }
    }
    // end

    // Article
    static func waitUntilDone(_ id: ObjectID, in manager: SQLiteStorageManager) async throws {
        let states = try await manager.withView { view in
            try view.loadObject(ofType: Chore.self, with: id).map { view.observe($0, \.isDone) }
        }
        guard let states else { return }
        for await isDone in states where isDone { return }
    }
    // end
}

@Suite struct ListsThatUpdateArticleTests {
    private typealias Article = ListsThatUpdateArticle

    @Test func firstArticleExampleCountsChoresByRoom() async throws {
        let (sections, manager) = try await Article.begin()
        #expect(sections == ["Hall: 1", "Kitchen: 2"])
        #expect(try manager.verify().isIntact)
        try manager.close()
    }

    @MainActor @Test func articleCodeRunsAsDocumented() async throws {
        let manager = try SQLiteStorageManager(inMemory: ObjectModel([Article.Chore.self]))
        let list = try manager.viewContext.results(
            ObjectRequest<Article.Chore>(\.isDone == false, sortedBy: [SortDescriptor(\.title)]),
            sectionBy: SortDescriptor(\.room)
        )
        let table = Article.ChoreTable()
        list.delegate = table
        let updates = list.updates
        let reporting = Task { await Article.report(updates) }
        for title in ["Sweep", "Cook"] {
            try await manager.performAndSave { storage in
                let chore = try storage.insertNewObject(ofType: Article.Chore.self)
                (chore.title, chore.room) = (title, "Kitchen")
            }
        }
        try await manager.performAndSave { storage in
            let cook = try storage.firstObject(ofType: Article.Chore.self, matching: \.title == "Cook")
            cook?.room = "Hall"
        }
        #expect(try Article.lines(of: list) == ["Hall", "- Cook", "Kitchen", "- Sweep"])
        let calls = [
            "insert section 0, Kitchen", "insert 0.0", "insert 0.0", "insert section 0, Hall", "move 0.0 to 0.0",
        ]
        #expect(table.calls == calls)
        #expect(try manager.verify().isIntact)
        try manager.close()
        let report = await reporting.value
        #expect(report.last?.hasPrefix("2 chores") == true)
    }

    @Test func articleCodeFollowsValuesAndObject() async throws {
        let manager = try SQLiteStorageManager(inMemory: ObjectModel([Article.Chore.self]))
        let id = try await manager.performAndSave { storage in
            let chore = try storage.insertNewObject(ofType: Article.Chore.self)
            chore.title = "Sweep"
            return chore.objectID
        }
        let (sent, continuation) = AsyncStream.makeStream(of: [String].self)
        let sending = Task { try await Article.send(manager) { continuation.yield($0) } }
        let waiting = Task { try await Article.waitUntilDone(id, in: manager) }
        try await manager.performAndSave { storage in
            try storage.loadObject(ofType: Article.Chore.self, with: id)?.isDone = true
        }
        try await waiting.value
        for await titles in sent where titles.isEmpty { break }
        #expect(try manager.verify().isIntact)
        try manager.close()
        try await sending.value
    }

    @Test func articleCodeMatchesTestedCode() throws {
        let code = try articleCode(article: "LarderObjects/LarderObjects.docc/ListsThatUpdate.md", source: #filePath)
        // The article declares functions outside of a type.
        #expect(!code.printed.isEmpty)
        #expect(code.printed == code.tested.map { $0.replacing("static func", with: "func") })
    }
}
#endif
