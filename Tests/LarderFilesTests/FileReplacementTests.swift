import Foundation
import LarderFiles
import LarderTestSupport
import Testing

struct FileReplacementTests {
    let directory: TemporaryDirectory
    let system = LocalFileSystem()

    init() throws { directory = try TemporaryDirectory() }

    private func permissions(_ name: String) throws -> UInt16? {
        try system.information(at: directory.path(name), followingLinks: false)?.permissions
    }

    @Test func newFileIsPrivateToOwner() throws {
        try system.replaceContents(of: directory.path("a"), with: Data("new".utf8))
        #expect(try system.contents(of: directory.path("a")) == Data("new".utf8))
        #expect(try permissions("a") == 0o600)
    }

    @Test(arguments: [0o644, 0o666, 0o400] as [UInt16]) func replacedFileKeepsMode(mode: UInt16) throws {
        try system.replaceContents(of: directory.path("a"), with: Data("old".utf8))
        #expect(chmod(directory.path("a"), mode_t(mode)) == 0)
        try system.replaceContents(of: directory.path("a"), with: [1, 2] as [UInt8])
        #expect(try permissions("a") == mode)
        #expect(try system.contents(of: directory.path("a")) == Data([1, 2]))
    }

    @Test func symbolicLinkIsKeptAndTargetReplaced() throws {
        try FileManager.default.createSymbolicLink(atPath: directory.path("link"), withDestinationPath: "target")
        for text in ["created", "replaced"] {
            try system.replaceContents(of: directory.path("link"), with: Data(text.utf8))
            #expect(try system.information(at: directory.path("link"), followingLinks: false)?.kind == .link)
            #expect(try system.contents(of: directory.path("target")) == Data(text.utf8))
        }
    }

    @Test func symbolicLinkIsReplacedIfNotFollowed() throws {
        try FileManager.default.createSymbolicLink(atPath: directory.path("link"), withDestinationPath: "target")
        try system.replaceContents(of: directory.path("link"), with: Data("x".utf8), followingLinks: false)
        #expect(try system.information(at: directory.path("link"), followingLinks: false)?.kind == .file)
        #expect(try system.contentsIfPresent(of: directory.path("target")) == nil)
    }

    @Test func replacingFolderThrows() throws {
        try system.createDirectory(at: directory.path("d"))
        #expect { try system.replaceContents(of: directory.path("d"), with: Data()) } throws: {
            ($0 as? FileError)?.code == .wrongKind
        }
    }

    @Test func replacingFileInMissingFolderThrowsNotFound() throws {
        #expect { try system.replaceContents(of: directory.path("no/a"), with: Data()) } throws: {
            ($0 as? FileError)?.code == .notFound
        }
    }

    @Test func fileWithMaximumNameLengthIsReplaced() throws {
        let name = String(repeating: "é", count: 127)
        try system.replaceContents(of: directory.path(name), with: Data("x".utf8))
        #expect(try system.contentsOfDirectory(at: directory.path) == [name])
    }

    @Test func onlyLeftoverTemporaryFilesAreRemoved() throws {
        let leftovers = [".a.larder-new-0", ".a.larder-new-1", ".b.larder-new-0", ".a.larder-new-x"]
        for name in leftovers {
            #expect(FileManager.default.createFile(atPath: directory.path(name), contents: Data()))
        }
        try system.replaceContents(of: directory.path("a"), with: Data("x".utf8))
        #expect(try system.contentsOfDirectory(at: directory.path) == [".a.larder-new-x", ".b.larder-new-0", "a"])
    }

    @Test func temporaryFileInUseIsKept() throws {
        let path = directory.path(".a.larder-new-0")
        let other = try system.open(path, FileOpenMode(isWritable: true, creation: .always))
        #expect(try other.lock(.exclusive, wait: false))
        try system.replaceContents(of: directory.path("a"), with: Data("x".utf8))
        #expect(try system.contentsOfDirectory(at: directory.path) == [".a.larder-new-0", "a"])
    }

    @Test func folderNamedLikeTemporaryFileIsKept() throws {
        try system.createDirectory(at: directory.path(".a.larder-new-0"))
        try system.replaceContents(of: directory.path("a"), with: Data("x".utf8))
        #expect(try system.contents(of: directory.path("a")) == Data("x".utf8))
    }

    @Test func concurrentFileReplacementsLeaveOneCompleteVersion() throws {
        let path = directory.path("a")
        let contents = (UInt8(0)..<8).map { Data(repeating: $0, count: 50_000) }
        let system = system
        DispatchQueue.concurrentPerform(iterations: 8) { index in
            for _ in 0..<10 {
                #expect(throws: Never.self) { try system.replaceContents(of: path, with: contents[index]) }
            }
        }
        #expect(contents.contains(try system.contents(of: path)))
        #expect(try system.contentsOfDirectory(at: directory.path) == ["a"])
    }

    @Test(arguments: [false, true]) func failedReplacementLeavesOldOrNewContentWithoutTemporaryFile(
        forever: Bool
    ) throws {
        let clean = SimulatedFileSystem(files: ["/f": [1]])
        try clean.replaceContents(of: "/f", with: [2] as [UInt8])
        for index in 0..<clean.operationCount {
            let system = SimulatedFileSystem(files: ["/f": [1]])
            system.fail(at: index, errno: EIO, forever: forever)
            let failed = Result { try system.replaceContents(of: "/f", with: [2] as [UInt8]) }
            system.stopFailing()
            let content = try system.contents(of: "/f")
            switch failed {
            case .success:
                #expect(content == Data([2]))
            case .failure(let error):
                let isReplaced = "\(error)".contains("the new content is in place")
                #expect(content == Data([isReplaced ? 2 : 1]), "call \(index)")
            }
            if !forever { #expect(try system.contentsOfDirectory(at: "/") == ["f"], "call \(index)") }
            try system.replaceContents(of: "/f", with: [3] as [UInt8])
            #expect(try system.contentsOfDirectory(at: "/") == ["f"], "after call \(index)")
        }
    }

    @Test func powerLossDuringReplacementLeavesOldOrNewContent() throws {
        let old = Data(repeating: 1, count: 1200)
        let new = Data(repeating: 2, count: 1500)
        let system = SimulatedFileSystem(files: ["/d/f": Array(old)])
        try system.replaceContents(of: "/d/f", with: new)
        let end = system.eventCount
        try system.forEachCrashImage(atLeast: 35, limit: 2_000) { image in
            let content = try image.fileSystem.contentsIfPresent(of: "/d/f")
            #expect(content == new || (content == old && image.eventCount < end))
            try image.fileSystem.replaceContents(of: "/d/f", with: Data([3]))
            #expect(try image.fileSystem.contentsOfDirectory(at: "/d") == ["f"])
        }
    }

    @Test func fileGrowingDuringReadIsReadCompletely() throws {
        let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
        try system.replaceContents(of: directory.path("a"), with: content)
        #expect(try system.contents(of: directory.path("a")) == content)
    }

    @Test func removingMissingFileSucceeds() throws {
        try system.replaceContents(of: directory.path("a"), with: Data())
        for _ in 0..<2 { try system.removeIfPresent(directory.path("a")) }
        #expect(try system.contentsOfDirectory(at: directory.path) == [])
    }
}
