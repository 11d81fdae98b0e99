import Dispatch
import Foundation
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

struct LocalFileSystemTests {
    let directory: TemporaryDirectory
    let system = LocalFileSystem()

    init() throws { directory = try TemporaryDirectory() }

    private func make(_ name: String, _ text: String = "") throws -> any OpenFile {
        let file = try system.open(directory.path(name), FileOpenMode(isWritable: true, creation: .ifMissing))
        if !text.isEmpty { try file.write(Array(text.utf8), at: 0) }
        return file
    }

    private func code(_ body: () throws -> Void) -> FileError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? FileError)?.code
        }
    }

    @Test func bytesWrittenToFileAreReadBack() throws {
        let file = try make("a", "hello")
        #expect(try file.read(at: 1, count: 3) == Array("ell".utf8))
    }

    @Test func readingBeyondEndOfFileReturnsFewerBytes() throws {
        let file = try make("a", "hello")
        #expect(try file.read(at: 3, count: 10) == Array("lo".utf8))
        #expect(try file.read(at: 9, count: 10) == [])
    }

    @Test func newFileIsPrivateToOwner() throws {
        #expect(try make("a").information().permissions == 0o600)
    }

    @Test func openingMissingFileThrowsNotFound() {
        #expect(code { _ = try system.open(directory.path("none"), .reading) } == .notFound)
        #expect(code { try system.remove(directory.path("none")) } == .notFound)
    }

    @Test func informationAboutMissingFileIsNil() throws {
        _ = try make("file")
        #expect(try system.information(at: directory.path("none")) == nil)
        #expect(try system.information(at: directory.path("file/below")) == nil)
    }

    @Test func exclusiveCreationOfExistingFileFails() throws {
        _ = try make("a")
        #expect(
            code { _ = try system.open(directory.path("a"), FileOpenMode(isWritable: true, creation: .always)) }
                == .alreadyExists
        )
    }

    @Test func openingFolderAsFileFails() {
        #expect(code { _ = try system.open(directory.path, .reading) } == .wrongKind)
    }

    @Test func openingNamedPipeAsFileFails() throws {
        #expect(mkfifo(directory.path("pipe"), 0o600) == 0)
        #expect(code { _ = try system.open(directory.path("pipe"), .reading) } == .wrongKind)
    }

    @Test func symbolicLinkIsNotFollowedIfDisallowed() throws {
        _ = try make("a")
        try FileManager.default.createSymbolicLink(atPath: directory.path("link"), withDestinationPath: "a")
        let mode = FileOpenMode(isWritable: false, followsLinks: false)
        #expect(code { _ = try system.open(directory.path("link"), mode) } == .wrongKind)
        #expect(try system.information(at: directory.path("link"), followingLinks: false)?.kind == .link)
        #expect(try system.information(at: directory.path("link"))?.kind == .file)
    }

    @Test func everyFileSystemCallRejectsPathWithNUL() {
        let path = directory.path("a\0b")
        #expect(code { _ = try system.open(path, .reading) } == .invalidPath)
        #expect(code { _ = try system.information(at: path) } == .invalidPath)
        #expect(code { try system.createDirectory(at: path) } == .invalidPath)
        #expect(code { _ = try system.contentsOfDirectory(at: path) } == .invalidPath)
        #expect(code { try system.rename(path, to: "x") } == .invalidPath)
        #expect(code { try system.rename("x", to: path) } == .invalidPath)
        #expect(code { try system.remove(path) } == .invalidPath)
        #expect(code { try system.synchronizeDirectory(at: path) } == .invalidPath)
        #expect(code { _ = try system.resolvingLinks(in: path) } == .invalidPath)
    }

    @Test func newFoldersArePrivateToOwner() throws {
        try system.createDirectory(at: directory.path("x/y/z"))
        #expect(try system.information(at: directory.path("x"))?.permissions == 0o700)
        #expect(try system.information(at: directory.path("x/y/z"))?.kind == .directory)
        try system.createDirectory(at: directory.path("x/y/z/"))
    }

    @Test func creatingFolderOverFileFails() throws {
        _ = try make("a")
        #expect(code { try system.createDirectory(at: directory.path("a/b")) } == .wrongKind)
    }

    @Test func folderEntriesAreListedInByteOrder() throws {
        for name in ["b", "é", "B", ".h"] { _ = try make(name) }
        #expect(try system.contentsOfDirectory(at: directory.path) == [".h", "B", "b", "é"])
        #expect(code { _ = try system.contentsOfDirectory(at: directory.path("none")) } == .notFound)
    }

    @Test func renameReplacesExistingFile() throws {
        _ = try make("a", "new")
        _ = try make("b", "old")
        try system.rename(directory.path("a"), to: directory.path("b"))
        try system.synchronizeDirectory(at: directory.path)
        #expect(try system.contents(of: directory.path("b")) == Data("new".utf8))
        #expect(try system.contentsOfDirectory(at: directory.path) == ["b"])
    }

    @Test func truncatingShortensFileOrExtendsWithZeros() throws {
        let file = try make("a", "hello")
        try file.truncate(to: 2)
        try file.truncate(to: 4)
        #expect(try file.read(at: 0, count: 10) == [104, 101, 0, 0])
    }

    @Test func reservingSpaceExtendsFileWithZerosAndKeepsContent() throws {
        let file = try make("a", "hello")
        try file.reserve(8192)
        #expect(try file.information().size == 8192)
        try file.reserve(16)
        try file.reserve(0)
        #expect(try file.information().size == 8192)
        #expect(try file.read(at: 0, count: 7) == Array("hello".utf8) + [0, 0])
    }

    @Test func synchronizingFileSucceeds() throws {
        let file = try make("a", "hello")
        try file.synchronize(.data)
        try file.synchronize(.everything)
    }

    @Test func exclusiveFileLocksExcludeEachOther() throws {
        let first = try make("a")
        let second = try make("a")
        #expect(try first.lock(.exclusive, wait: false))
        #expect(try !second.lock(.exclusive, wait: false))
        #expect(try !second.lock(.shared, wait: false))
        try first.unlock()
        #expect(try second.lock(.shared, wait: true))
        #expect(try first.lock(.shared, wait: false))
    }

    @Test func fileLockIsReleasedWhenFileIsClosed() throws {
        let first = try make("a")
        let second = try make("a")
        #expect(try first.lock(.exclusive, wait: false))
        try first.close()
        #expect(try second.lock(.exclusive, wait: false))
    }

    @Test func memoryMapSharesBytesWithFile() throws {
        let file = try make("a")
        try file.reserve(8192)
        let region = try file.map(offset: 4096, count: 4096, writable: true)
        region.bytes[7] = 42
        try region.synchronize(7..<8)
        try region.synchronize(0..<0)
        #expect(try file.read(at: 4096 + 7, count: 1) == [42])
        try file.write([43], at: 4096 + 8)
        #expect(region.bytes[8] == 43)
    }

    @Test func mappingZeroBytesFails() throws {
        let file = try make("a")
        #expect(throws: FileError.self) { try file.map(offset: 0, count: 0, writable: true) }
    }

    @Test func memoryMapRemainsValidAfterFileIsReleased() throws {
        let region = try {
            let file = try make("a", "hello")
            return try file.map(offset: 0, count: 5, writable: false)
        }()
        #expect(region.bytes.elementsEqual("hello".utf8))
    }

    @Test func callOnClosedFileThrowsClosed() throws {
        let file = try make("a", "hello")
        try file.close()
        try file.close()
        #expect(code { _ = try file.read(at: 0, count: 1) } == .closed)
        #expect(code { try file.write([1], at: 0) } == .closed)
    }

    @Test func writeToReadOnlyFileFails() throws {
        _ = try make("a", "hello")
        let file = try system.open(directory.path("a"), .reading)
        #expect(throws: FileError.self) { try file.write([1], at: 0) }
        #expect(throws: FileError.self) { try file.truncate(to: 0) }
    }

    @Test func readDuringCloseNeverReadsAnotherFile() throws {
        let file = try make("a", "hello")
        let outcomes = Mutex<[String]>([])
        // The readers are threads, because loops in tasks would block the pool that runs the closing task.
        let readers = DispatchGroup()
        for _ in 0..<4 {
            DispatchQueue.global().async(group: readers) {
                while true {
                    do {
                        let read = try file.read(at: 0, count: 5)
                        if read == Array("hello".utf8) { continue }
                        outcomes.withLock { $0.append("read \(read)") }
                    } catch {
                        outcomes.withLock { $0.append("\((error as? FileError)?.code ?? .unsupported)") }
                    }
                    return
                }
            }
        }
        try file.close()
        readers.wait()
        #expect(outcomes.withLock { $0 } == Array(repeating: "closed", count: 4))
    }

    @Test func chainedSymbolicLinksAreResolved() throws {
        _ = try make("a")
        let manager = FileManager.default
        try manager.createSymbolicLink(atPath: directory.path("one"), withDestinationPath: "a")
        try manager.createSymbolicLink(atPath: directory.path("two"), withDestinationPath: directory.path("one"))
        try manager.createSymbolicLink(atPath: directory.path("dangling"), withDestinationPath: "later")
        try manager.createSymbolicLink(atPath: directory.path("circle"), withDestinationPath: "circle")
        #expect(try system.resolvingLinks(in: directory.path("two")) == directory.path("a"))
        #expect(try system.resolvingLinks(in: directory.path("dangling")) == directory.path("later"))
        #expect(try system.resolvingLinks(in: directory.path("new")) == directory.path("new"))
        #expect(try system.resolvingLinks(in: directory.path("no/new")) == directory.path("no/new"))
        #expect(code { _ = try system.resolvingLinks(in: directory.path("circle")) } == .wrongKind)
    }

    @Test(arguments: [
        ("", ".", ""), ("a", ".", "a"), ("/", "/", ""), ("/a", "/", "a"), ("/a/b/", "/a", "b"), ("a//b", "a", "b"),
    ]) func pathsAreSplitIntoFolderAndName(path: String, folder: String, name: String) {
        #expect(FilePath.folder(of: path) == folder)
        #expect(FilePath.name(of: path) == name)
    }

    // MARK: Maps

    /// Creates a file of two pages and maps it into memory.
    private func mapped() throws -> (file: any OpenFile, region: any MappedRegion) {
        let file = try make("mapped")
        try file.truncate(to: 2 * MemoryPage.size)
        return (file, try file.map(offset: 0, count: 2 * MemoryPage.size, writable: true))
    }

    @Test func bytesStoredInMemoryMapAreReadFromFile() throws {
        let (file, region) = try mapped()
        try Array("hello".utf8).withUnsafeBytes { try region.store($0, at: MemoryPage.size - 2) }
        #expect(try file.read(at: MemoryPage.size - 2, count: 5) == Array("hello".utf8))
    }

    /// Without the check for lost pages, a store would end the process with a signal.
    @Test func storeToMemoryMapOfTruncatedFileThrows() throws {
        let (file, region) = try mapped()
        try file.truncate(to: 0)
        let bytes = Array("hello".utf8)
        for _ in 0..<3 {
            #expect(code { try bytes.withUnsafeBytes { try region.store($0, at: MemoryPage.size) } } == .inputOutput)
        }
    }

    /// If the map became valid again, stores to its lost page would be visible in no other map and would never reach the file.
    @Test func invalidMemoryMapStaysInvalidAfterFileGrows() throws {
        let (file, region) = try mapped()
        try file.truncate(to: 0)
        let bytes = Array("hello".utf8)
        #expect(code { try bytes.withUnsafeBytes { try region.store($0, at: MemoryPage.size) } } == .inputOutput)
        try file.truncate(to: 2 * MemoryPage.size)
        #expect(code { try bytes.withUnsafeBytes { try region.store($0, at: 0) } } == .inputOutput)
        #expect(region.isLost)
    }

    @Test func newMemoryMapIsValidAfterTruncatedFileGrows() throws {
        let (file, region) = try mapped()
        try file.truncate(to: 0)
        let bytes = Array("hello".utf8)
        #expect(code { try bytes.withUnsafeBytes { try region.store($0, at: MemoryPage.size) } } == .inputOutput)
        try file.truncate(to: 2 * MemoryPage.size)
        let other = try file.map(offset: 0, count: 2 * MemoryPage.size, writable: true)
        try bytes.withUnsafeBytes { try other.store($0, at: MemoryPage.size) }
        #expect(try file.read(at: MemoryPage.size, count: 5) == bytes)
        #expect(!other.isLost)
    }
}
