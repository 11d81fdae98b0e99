import Foundation
import LarderFiles
import LarderTestSupport
import Testing

/// Tests of the temporary folders that other tests use.
struct TemporaryDirectoryTests {
    @Test func temporaryFolderIsRemovedWithLastReference() throws {
        var directory: TemporaryDirectory? = try TemporaryDirectory()
        let path = try #require(directory?.path)
        try Data("x".utf8).write(to: URL(filePath: path + "/file"))
        directory = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")))
    func temporaryFolderIsKeptWhileFileIsOpen() throws {
        var directory: TemporaryDirectory? = try TemporaryDirectory()
        let path = try #require(directory?.path)
        let file = path + "/file"
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        let handle = try #require(FileHandle(forUpdatingAtPath: file))
        directory = nil
        #expect(FileManager.default.fileExists(atPath: file))
        try handle.close()
        // Releasing another folder removes the first one too.
        directory = try TemporaryDirectory()
        directory = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
