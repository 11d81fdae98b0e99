#if Command && Objects
import Dispatch
import Foundation
import LarderCore
import LarderObjects
import Testing

@Entity final class Book {
    @Attribute(.unique) var number: Int64
    var title: String
    var price: Decimal = 0
    var note: String?
    @Relationship(deleteRule: .cascade, inverse: \Chapter.book, ordered: true) var chapters: [Chapter]
}

@Entity final class Chapter {
    var title: String
    @Relationship var book: Book?
}

/// A later version of the model, with changed entities.
enum Later {
    @Entity final class Book {
        @Attribute(.unique) var number: Int64
        @Attribute(.indexed) var title: String
        var price: Decimal = 0
        var note: String?
        var subtitle: String?
        @Relationship(deleteRule: .cascade, inverse: \Chapter.book, ordered: true) var chapters: [Chapter]
    }

    @Entity final class Chapter {
        var title: String
        @Relationship var book: Book?
    }

    @Entity final class Author { var name = "" }
}

/// Creates a database of the given classes.
func makeDatabase(
    _ path: String,
    _ types: [any Object.Type],
    version: Int = 1
) throws -> SQLiteStorageManager {
    try SQLiteStorageManager(
        model: ObjectModel(types, version: version),
        url: URL(filePath: path),
        configuration: ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
    )
}

/// Runs `body` with a database that contains two books and one chapter, and checks that `body` does not change the file.
func withBooks(_ body: (_ path: String, _ folder: URL) throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "larder-books-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "books.sqlite").path
    let manager = try makeDatabase(path, [Book.self, Chapter.self])
    try await manager.performAndSave { storage in
        let first = try storage.insertNewObject(ofType: Book.self)
        (first.number, first.title, first.price) = (1, "Tea, \"green\"", Decimal(string: "12.50") ?? 0)
        let chapter = try storage.insertNewObject(ofType: Chapter.self)
        chapter.title = "Water"
        first.addToChapters(chapter)
        let second = try storage.insertNewObject(ofType: Book.self)
        (second.number, second.title, second.price, second.note) = (2, "Jam", 7, "two\nlines")
    }
    #expect(try manager.verify().isIntact)
    try manager.close()
    let content = try Data(contentsOf: URL(filePath: path))
    try body(path, folder)
    #expect(try Data(contentsOf: URL(filePath: path)) == content)
}
#endif
