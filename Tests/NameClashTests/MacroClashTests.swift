#if Objects
import Foundation
import Larder
import LarderObjects
import LarderTestSupport
import LookAlikeCombine
import LookAlikeRealityKit
import LookAlikeSwiftData
import LookAlikeSwiftUI
import Testing

/// Tests macros of object storage together with other macros of the same names.
///
/// Each macro is qualified with its module, because neither a typealias nor a scoped import can select one.
@Suite struct MacroClashTests {
    @LarderObjects.Entity final class Author {
        @LarderObjects.Attribute(.unique) var name = ""
        @LarderObjects.Relationship(deleteRule: .cascade, inverse: \Book.author, ordered: true) var books: [Book]
    }

    @LarderObjects.Entity final class Book {
        var title = ""
        @LarderObjects.Relationship var author: Author?
    }

    @Model final class Reader: PersistentModel {
        @LookAlikeSwiftData.Attribute(.unique, originalName: "title") var name = ""
        @LookAlikeSwiftData.Relationship(deleteRule: .cascade) var reviews: [Int] = []
        @Transient var isHere = false
    }

    final class Scene: LookAlikeRealityKit.Entity {
        @LookAlikeSwiftData.Query var readers: [Reader] = []
    }

    @Test func entitiesWorkDespiteMacroNameClashes() async throws {
        let directory = try TemporaryDirectory()
        let manager = try SQLiteStorageManager(
            model: ObjectModel([Author.self, Book.self]),
            name: "library",
            in: URL(filePath: directory.path)
        )
        try await manager.performAndSave { storage in
            let author = try storage.insertNewObject(ofType: Author.self)
            author.name = "Ursula K. Le Guin"
            let book = try storage.insertNewObject(ofType: Book.self)
            book.title = "The Dispossessed"
            author.addToBooks(book)
        }
        let authors = try manager.viewStorage.allObjects(ofType: Author.self, matching: \.name == "Ursula K. Le Guin")
        #expect(authors.first?.books.map(\.title) == ["The Dispossessed"])
        #expect(try manager.verify().isIntact)
        try manager.close()
    }
}
#endif
