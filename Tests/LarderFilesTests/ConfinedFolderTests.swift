import Foundation
import LarderFiles
import LarderTestSupport
import Testing

struct ConfinedFolderTests {
    let directory: TemporaryDirectory
    let folder: ConfinedFolder

    init() throws {
        directory = try TemporaryDirectory()
        folder = ConfinedFolder(directory.path("inside"))
        try folder.create()
    }

    private func isRefused(_ code: FileError.Code, _ body: () throws -> Void) -> Bool {
        do {
            try body()
            return false
        } catch {
            return (error as? FileError)?.code == code
        }
    }

    @Test(arguments: [
        "", ".", "..", "../x", "/etc/passwd", "a/b", "a\0b", ".a.larder-new-0", String(repeating: "x", count: 231),
    ])
    func confinedFolderRejectsNameOutsideFolder(name: String) {
        #expect(isRefused(.invalidPath) { _ = try folder.contents(of: name) })
        #expect(isRefused(.invalidPath) { try folder.replaceContents(of: name, with: Data()) })
        #expect(isRefused(.invalidPath) { try folder.remove(name) })
        #expect(isRefused(.invalidPath) { _ = try folder.open(name, .reading) })
    }

    @Test(arguments: ["a", "...", ".hidden", "-", "~", "é", "a\nb", String(repeating: "x", count: 230)])
    func confinedFolderAcceptsOrdinaryName(name: String) throws {
        try folder.replaceContents(of: name, with: Data("x".utf8))
        #expect(try folder.contents(of: name) == Data("x".utf8))
        #expect(try folder.names() == [name])
        try folder.remove(name)
        #expect(try folder.contents(of: name) == nil)
    }

    @Test func confinedFolderDoesNotFollowSymbolicLink() throws {
        let secret = directory.path("secret")
        try LocalFileSystem().replaceContents(of: secret, with: Data("secret".utf8))
        try FileManager.default.createSymbolicLink(atPath: directory.path("inside/link"), withDestinationPath: secret)
        #expect(isRefused(.wrongKind) { _ = try folder.contents(of: "link") })
        #expect(isRefused(.wrongKind) { _ = try folder.open("link", .writing) })
        try folder.replaceContents(of: "link", with: Data("mine".utf8))
        #expect(try LocalFileSystem().contents(of: secret) == Data("secret".utf8))
        #expect(try folder.contents(of: "link") == Data("mine".utf8))
    }

    @Test func confinedFolderOmitsTemporaryFiles() throws {
        #expect(FileManager.default.createFile(atPath: directory.path("inside/.a.larder-new-3"), contents: Data()))
        #expect(try folder.names() == [])
    }
}
