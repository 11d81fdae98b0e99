import Foundation
import LarderFiles
import LarderTestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Tests of the file system calls that the owner locks of a device store use, on both the real and the simulated file system.
@Suite struct FileOwnershipTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func fileSystem(_ isReal: Bool) -> (any FileSystem, folder: String) {
        isReal
            ? (LocalFileSystem.local, directory.path)
            : (SimulatedFileSystem(directories: ["/data"]), "/data")
    }

    /// Acquires a byte-range lock like ``OpenFile/hold(_:_:)``, but returns `nil` on platforms without such locks.
    private func hold(_ file: any OpenFile, _ number: Int, _ kind: LockKind) throws -> Bool? {
        do { return try file.hold(number, kind) } catch let error as FileError where error.code == .unsupported {
            return nil
        }
    }

    @Test(arguments: [false, true]) func sharedByteRangeLockConflictsOnlyWithExclusiveLock(isReal: Bool) throws {
        let (fileSystem, folder) = fileSystem(isReal)
        let mode = FileOpenMode(isWritable: true, creation: .ifMissing)
        let files = try (0..<3).map { _ in try fileSystem.open(folder + "/file", mode) }
        guard let first = try hold(files[0], 5, .shared) else { return }
        #expect(first)
        #expect(try files[1].hold(5, .shared))
        #expect(try !files[2].hold(5, .exclusive))
        #expect(try files[2].hold(6, .exclusive))
        #expect(try !files[0].hold(6, .shared))
        #expect(try files[2].anyHeld(1..<6) == 5)
        #expect(try files[2].anyHeld(6..<9) == nil)
        try files[0].release(5)
        #expect(try files[2].isHeld(5))
        try files[1].close()
        #expect(try !files[2].isHeld(5))
        #expect(try files[2].hold(5, .exclusive))
    }

    @Test(arguments: [false, true]) func exclusiveRenameDoesNotReplaceExistingFile(isReal: Bool) throws {
        let (fileSystem, folder) = fileSystem(isReal)
        for name in ["new", "old"] {
            let file = try fileSystem.open(folder + "/" + name, FileOpenMode(isWritable: true, creation: .always))
            try file.write(Array(name.utf8), at: 0)
        }
        let error = #expect(throws: FileError.self) {
            try fileSystem.renameExclusively(folder + "/new", to: folder + "/old")
        }
        #expect(error?.code == .alreadyExists)
        #expect(try fileSystem.open(folder + "/old", .reading).read(at: 0, count: 9) == Array("old".utf8))
        try fileSystem.renameExclusively(folder + "/new", to: folder + "/free")
        #expect(try fileSystem.open(folder + "/free", .reading).read(at: 0, count: 9) == Array("new".utf8))
        #expect(try fileSystem.contentsOfDirectory(at: folder) == ["free", "old"])
        let missing = #expect(throws: FileError.self) {
            try fileSystem.renameExclusively(folder + "/new", to: folder + "/other")
        }
        #expect(missing?.code == .notFound)
    }

    @Test(arguments: [false, true]) func errorsReportNewPathAfterFileIsRenamed(isReal: Bool) throws {
        let (fileSystem, folder) = fileSystem(isReal)
        let file = try fileSystem.open(folder + "/new", FileOpenMode(isWritable: true, creation: .always))
        try fileSystem.rename(folder + "/new", to: folder + "/file")
        file.noteRename(to: folder + "/file")
        #expect(file.path == folder + "/file")
        try file.close()
        let error = #expect(throws: FileError.self) { _ = try file.read(at: 0, count: 1) }
        #expect(error?.path == folder + "/file")
    }

    @Test func fileInformationIncludesNumberOfHardLinks() throws {
        let file = try LocalFileSystem.local.open(
            directory.path("file"),
            FileOpenMode(isWritable: true, creation: .always)
        )
        #expect(try file.information().links == 1)
        #expect(link(directory.path("file"), directory.path("other")) == 0)
        #expect(try file.information().links == 2)
        #expect(unlink(directory.path("file")) == 0 && unlink(directory.path("other")) == 0)
        #expect(try file.information().links == 0)
    }
}
