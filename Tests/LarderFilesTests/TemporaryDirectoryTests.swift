import Foundation
import LarderFiles
import LarderTestSupport
import Testing

/// The folders of the tests themselves.
struct TemporaryDirectoryTests {
    @Test func folderWithoutOpenFilesIsRemovedWithItsLastReference() throws {
        var directory: TemporaryDirectory? = try TemporaryDirectory()
        let path = try #require(directory?.path)
        try Data("x".utf8).write(to: URL(filePath: path + "/file"))
        directory = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")))
    func folderWithAnOpenFileStaysUntilTheFileIsClosed() throws {
        var directory: TemporaryDirectory? = try TemporaryDirectory()
        let path = try #require(directory?.path)
        let file = path + "/file"
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        let handle = try #require(FileHandle(forUpdatingAtPath: file))
        directory = nil
        #expect(FileManager.default.fileExists(atPath: file))
        try handle.close()
        // The next folder that goes takes it along.
        directory = try TemporaryDirectory()
        directory = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
