import Foundation
import LarderFiles
import LarderTestSupport
import Testing

struct FileStorageTests {
    struct Order: Codable, Equatable {
        var name: String
        var total: Double
        var count: Int
        var placed: Date
        var tags: [String: [Int]]
        var note: String?
    }

    let directory: TemporaryDirectory
    let order = Order(
        name: "Crème & <brûlée> 🍮",
        total: 0.1,
        count: .max,
        placed: Date(timeIntervalSinceReferenceDate: 700_000_000),
        tags: ["a": [1, 2], "": []],
        note: nil
    )

    init() throws { directory = try TemporaryDirectory() }

    static let storages: [any FileStorage] = [
        PListFileStorage(), PListFileStorage(format: .binary), JSONFileStorage(),
    ]

    private func error(_ body: () throws -> Void) -> FileError? {
        do {
            try body()
            return nil
        } catch {
            return error as? FileError
        }
    }

    @Test(arguments: storages) func valueWrittenToFileIsReadBack(storage: any FileStorage) throws {
        try storage.write(order, to: directory.url("order"))
        let read: Order = try storage.data(for: directory.url("order"))
        #expect(read == order)
    }

    @Test(arguments: storages) func readingMissingFileThrowsNotFound(storage: any FileStorage) {
        let found = error { let _: Order = try storage.data(for: directory.url("none")) }
        #expect(found?.code == .notFound)
        #expect(found?.path == directory.path("none"))
        #expect(found?.operation == .open)
    }

    @Test(arguments: storages) func readingFileAsWrongTypeThrowsWithoutChangingFile(storage: any FileStorage) throws {
        let content = Data("<nonsense".utf8)
        try LocalFileSystem().replaceContents(of: directory.path("bad"), with: content)
        let found = error { let _: Order = try storage.data(for: directory.url("bad")) }
        #expect(found?.code == .undecodable)
        #expect(found?.underlying is DecodingError)
        #expect(try LocalFileSystem().contents(of: directory.path("bad")) == content)
    }

    @Test(arguments: storages) func writingFileIntoMissingFolderThrows(storage: any FileStorage) {
        #expect(error { try storage.write(order, to: directory.url("no/order")) }?.code == .notFound)
    }

    @Test(arguments: storages) func deletingMissingFileSucceeds(storage: any FileStorage) throws {
        try storage.write(order, to: directory.url("order"))
        try storage.deleteFile(at: directory.url("order"))
        try storage.deleteFile(at: directory.url("order"))
        #expect(error { let _: Order = try storage.data(for: directory.url("order")) }?.code == .notFound)
    }

    @Test(arguments: storages) func fileStorageRejectsNonFileURL(storage: any FileStorage) throws {
        let url = try #require(URL(string: "https://example.com/a"))
        #expect(error { let _: Order = try storage.data(for: url) }?.code == .invalidPath)
        #expect(error { try storage.write(order, to: url) }?.code == .invalidPath)
        #expect(error { try storage.deleteFile(at: url) }?.code == .invalidPath)
    }

    @Test func writingUnrepresentableValueKeepsOldValue() throws {
        let storage = JSONFileStorage()
        try storage.write([1.5], to: directory.url("numbers"))
        let found = error { try storage.write([Double.nan], to: directory.url("numbers")) }
        #expect(found?.code == .undecodable)
        #expect(found?.operation == .encode)
        #expect(found?.underlying is EncodingError)
        let read: [Double] = try storage.data(for: directory.url("numbers"))
        #expect(read == [1.5])
    }

    @Test func controlCharacterIsRejectedInXMLButKeptInBinary() throws {
        let text = ["a\u{1}b"]
        #expect(error { try PListFileStorage().write(text, to: directory.url("text")) }?.operation == .encode)
        try PListFileStorage(format: .binary).write(text, to: directory.url("text"))
        let read: [String] = try PListFileStorage().data(for: directory.url("text"))
        #expect(read == text)
    }

    @Test func lineBreaksAreKeptInXMLPropertyList() throws {
        let text = ["a\nb\tc"]
        try PListFileStorage().write(text, to: directory.url("text"))
        let read: [String] = try PListFileStorage().data(for: directory.url("text"))
        #expect(read == text)
    }

    @Test func propertyListStorageWritesXMLByDefault() throws {
        try PListFileStorage().write(order, to: directory.url("x"))
        try PListFileStorage(format: .binary).write(order, to: directory.url("b"))
        #expect(try LocalFileSystem().contents(of: directory.path("x")).starts(with: Data("<?xml".utf8)))
        #expect(try LocalFileSystem().contents(of: directory.path("b")).starts(with: Data("bplist".utf8)))
    }

    @Test func fileErrorDescribesOperationPathAndCause() {
        let found = error { let _: Order = try JSONFileStorage().data(for: directory.url("none")) }
        let path = directory.path("none").debugDescription
        let text = "Could not open \(path): there is no such file or folder (errno 2). Check the path."
        #expect(found?.description == text)
        #expect(found?.localizedDescription == text)
    }
}
