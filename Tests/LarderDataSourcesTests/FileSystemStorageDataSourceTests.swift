import Foundation
import LarderCore
import LarderDataSources
import LarderFiles
import LarderTestSupport
import LarderTesting
import Testing

@Suite struct FileSystemStorageDataSourceTests {
    private static let payloads = [Data([1]), Data(), Data("three".utf8)]

    private let directory: TemporaryDirectory
    private let folder: String

    init() throws {
        directory = try TemporaryDirectory()
        folder = directory.path("values/of/the app")
    }

    private func source(_ naming: FileNaming = .sha256) -> FileSystemStorageDataSource {
        FileSystemStorageDataSource(folder: folder, naming: naming)
    }

    private func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != ".larder-lock" }.sorted()
    }

    // MARK: - The contract

    /// Runs one check of the contract on a file data source.
    ///
    /// Each check uses its own folder, which does not exist before the first put.
    private func check(_ check: DataSourceCheck, _ naming: FileNaming) async throws {
        let directory = directory
        try await DataSourceContract(values: Self.payloads) {
            FileSystemStorageDataSource(folder: directory.path(UUID().uuidString), naming: naming)
        }.run(check)
    }

    // Behavior 34.
    @Test(arguments: DataSourceCheck.allCases)
    func sourceWithHashedFileNamesMeetsContract(check: DataSourceCheck) async throws {
        try await self.check(check, .sha256)
    }

    // Behavior 34.
    @Test(arguments: DataSourceCheck.allCases)
    func sourceWithReversibleFileNamesMeetsContract(check: DataSourceCheck) async throws {
        try await self.check(check, .reversible)
    }

    // Behavior 34.
    @Test(arguments: DataSourceCheck.allCases)
    func sourceWithCustomFileNamesMeetsContract(check: DataSourceCheck) async throws {
        try await self.check(
            check,
            .custom { key in "v" + key.utf8.map { "\($0)" }.joined(separator: ".").suffix(200) }
        )
    }

    // Behavior 34.
    /// Skips the check for unusual keys.
    ///
    /// With bare names, keys that are not valid file names are rejected. Other tests cover these keys.
    @Test(arguments: DataSourceCheck.allCases.filter { $0 != .emptyListsAndUnusualKeysAreStored })
    func sourceWithUnencodedFileNamesMeetsContract(check: DataSourceCheck) async throws {
        try await self.check(check, .none)
    }

    // MARK: - Folder and files

    @Test func readingCreatesNoFilesOrFolders() throws {
        let source = source()
        #expect(throws: CoreError.NotFound.self) { try source.get("a").get() }
        #expect(try source.getAll(AllObjectsQuery()).get().isEmpty)
        #expect(try source.entries().get().isEmpty)
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test func valueCanBeReadByAnotherInstance() throws {
        source().put(Data([7]), forId: "a")
        source().putAll([Data([1]), Data([2])], forId: "l")
        #expect(try source().get("a").get() == Data([7]))
        #expect(try source().getAll("l").get() == [Data([1]), Data([2])])
        #expect(try source().getAll(AllObjectsQuery()).get().map(\.count) == [1, 1, 1])
    }

    @Test func fileWithReversibleNameContainsOnlyValue() throws {
        try source(.none).put(Data("text".utf8), forId: "note.txt").get()
        try source(.reversible).put(Data("text".utf8), forId: "Note 1").get()
        #expect(try names(folder) == ["%4eote%201", "note.txt"])
        #expect(try Data(contentsOf: URL(filePath: folder + "/note.txt")) == Data("text".utf8))
    }

    @Test func hashedFileNameDoesNotRevealKey() throws {
        try source().put(Data([1]), forId: "abc").get()
        #expect(try names(folder) == ["ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"])
        #expect(try source().entries().get().map(\.key) == ["abc"])
    }

    @Test func valueResemblingListFileIsReadAsValue() throws {
        let source = source(.none)
        try source.putAll([Data([1])], forId: "l").get()
        let bytes = try Data(contentsOf: URL(filePath: folder + "/l"))
        try source.put(bytes, forId: "v").get()
        #expect(try source.get("v").get() == bytes)
        #expect(throws: CoreError.NotFound.self) { try source.getAll("v").get() }
    }

    @Test func fileCreatedByAnotherProgramIsReadAsValue() throws {
        try FileManager.default.createDirectory(atPath: folder + "/sub", withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(filePath: folder + "/a"))
        #expect(try source(.none).getAll(AllObjectsQuery()).get() == [Data("x".utf8)])
        #expect(throws: CoreError.NotFound.self) { try source(.none).getAll("a").get() }
        // A hash does not reveal the key: Harmony's files can be read by their keys, but are not listed.
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        try Data("y".utf8).write(to: URL(filePath: folder + "/" + hash))
        #expect(try source().get("abc").get() == Data("y".utf8))
        try source().delete(AllObjectsQuery()).get()
        #expect(try names(folder) == ["a", hash, "sub"].sorted())
    }

    // MARK: - Confinement to the folder

    @Test(arguments: ["..", "../x", "/etc/passwd", "a/../../x", ".", "", "a\0b", ".larder-lock", ".a.larder-new-0"])
    func keyCannotReferToFileOutsideFolder(key: String) throws {
        let inside = directory.path("in/side")
        for naming in [FileNaming.none, .reversible, .sha256, .custom { $0 }] {
            let source = FileSystemStorageDataSource(folder: inside, naming: naming)
            _ = source.put(Data([1]), in: KeyQuery(key)).fail { _ in }
            _ = source.get(KeyQuery(key)).fail { _ in }
            _ = source.delete(KeyQuery(key)).fail { _ in }
            _ = source.putAll([Data()], in: KeyQuery(key)).fail { _ in }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("in")) == ["side"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["in"])
    }

    @Test(arguments: ["../x", "a/b", "", String(repeating: "k", count: 300)])
    func keyIsRejectedIfNotValidFileName(key: String) throws {
        let error = #expect(throws: FileError.self) { try source(.none).put(Data(), in: KeyQuery(key)).get() }
        #expect(error?.code == .invalidPath)
    }

    @Test func symbolicLinkInFolderIsNotFollowed() throws {
        let outside = directory.path("outside")
        try Data("secret".utf8).write(to: URL(filePath: outside))
        let source = source(.none)
        try source.put(Data(), forId: "other").get()
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: outside)
        #expect(throws: FileError.self) { try source.get("link").get() }
        #expect(try source.entries().get().map(\.key) == ["other"])
        #expect(try String(contentsOfFile: outside, encoding: .utf8) == "secret")
    }

    @Test func writingKeyWithCollidingFileNameFails() throws {
        let source = source(.custom { _ in "one" })
        try source.put(Data([1]), forId: "a").get()
        #expect(throws: CoreError.NotFound.self) { try source.get("b").get() }
        let error = #expect(throws: CoreError.IllegalArgument.self) { try source.put(Data([2]), forId: "b").get() }
        #expect(error?.description.contains("\"a\"") == true)
        try source.delete("b").get()
        #expect(try source.get("a").get() == Data([1]))
    }

    // MARK: - Corruption and failures

    @Test func readErrorNamesCorruptFileAndKeepsFile() throws {
        let source = source()
        try source.put(Data("value".utf8), forId: "abc").get()
        let path = URL(filePath: folder + "/" + (try names(folder)[0]))
        let whole = try Data(contentsOf: path)
        for length in 8..<whole.count {
            try whole.prefix(length).write(to: path)
            #expect(throws: CoreError.DataSerialization.self) { try source.get("abc").get() }
        }
        for index in 8..<whole.count {
            var damaged = whole
            damaged[index] ^= 1
            try damaged.write(to: path)
            #expect(throws: CoreError.DataSerialization.self) { try source.get("abc").get() }
            #expect(throws: CoreError.DataSerialization.self) {
                try source.update(KeyQuery("abc")) { $0 = Data() }.get()
            }
            #expect(try Data(contentsOf: path) == damaged)
        }
        try source.put(Data("new".utf8), forId: "abc").get()
        #expect(try source.get("abc").get() == Data("new".utf8))
    }

    /// The key of a corrupt file is unknown, so only a listing can report the file.
    @Test(arguments: [0, 1]) func listingFailsForCorruptFile(index: Int) throws {
        let path = try damageOneOfTwo(at: index)
        #expect(throws: CoreError.DataSerialization.self) { try source().entries().get() }
        #expect(throws: CoreError.DataSerialization.self) { try source().getAll(AllObjectsQuery()).get() }
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test(arguments: [0, 1]) func deletingAllValuesDeletesCorruptFile(index: Int) throws {
        _ = try damageOneOfTwo(at: index)
        try source().delete(AllObjectsQuery()).get()
        #expect(try names(folder).isEmpty)
    }

    private func damageOneOfTwo(at index: Int) throws -> String {
        try source().putAll([Data("1".utf8), Data("2".utf8)], in: IdsQuery(["a", "b"])).get()
        let path = folder + "/" + (try names(folder)[index])
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: URL(filePath: path))
        return path
    }

    @Test func listFileWithInvalidLengthsIsCorrupt() throws {
        let source = source(.none)
        try source.putAll([Data([1, 2, 3])], forId: "l").get()
        let path = URL(filePath: folder + "/l")
        var bytes = try Data(contentsOf: path)
        // Makes the element's length enormous and corrects the checksum.
        let length = 8 + 1 + 1 + 4 + 1 + 4
        bytes.replaceSubrange(length..<length + 8, with: repeatElement(0xFF, count: 8))
        let checksum = Array(bytes.dropLast(4)).withUnsafeBytes { CRC32C.of($0) }
        bytes.replaceSubrange(
            bytes.count - 4..<bytes.count,
            with: withUnsafeBytes(of: checksum.littleEndian) { Data($0) }
        )
        try bytes.write(to: path)
        #expect(throws: CoreError.DataSerialization.self) { try source.getAll("l").get() }
    }

    @Test func crashDuringPutLeavesOldOrNewValue() throws {
        let disk = SimulatedFileSystem(directories: ["/data"])
        let source = FileSystemStorageDataSource(folder: "/data/v", on: disk)
        try source.put(Data("old".utf8), forId: "a").get()
        let first = disk.eventCount
        try source.put(Data("new".utf8), forId: "a").get()
        let acknowledged = disk.eventCount
        try disk.forEachCrashImage(atLeast: 70, from: first) { image in
            let survivor = FileSystemStorageDataSource(folder: "/data/v", on: image.fileSystem)
            let value = try survivor.get("a").get()
            let isNew = value == Data("new".utf8)
            #expect(isNew || (value == Data("old".utf8) && image.eventCount < acknowledged), "\(image)")
        }
    }

    @Test func earlierWritesAreUndoneIfMultiValueWriteFails() throws {
        let ids = IdsQuery(["a", "b"])
        let counting = SimulatedFileSystem(directories: ["/data"])
        func fill(_ disk: SimulatedFileSystem) throws -> FileSystemStorageDataSource {
            let source = FileSystemStorageDataSource(folder: "/data/v", on: disk)
            try source.putAll([Data([1]), Data([2])], in: ids).get()
            return source
        }
        let counted = try fill(counting)
        let begin = counting.operationCount
        try counted.putAll([Data([3]), Data([4])], in: ids).get()
        let end = counting.operationCount
        for index in begin..<end {
            let disk = SimulatedFileSystem(directories: ["/data"], isRecording: false)
            let source = try fill(disk)
            disk.fail(at: index, errno: 28)
            let result = Result { try source.putAll([Data([3]), Data([4])], in: ids).get() }
            disk.stopFailing()
            let values = try source.getAll(ids).get()
            switch result {
            case .success: #expect(values == [Data([3]), Data([4])], "\(index)")
            // If only the last step of a replacement failed, the error says that the new file is in place.
            case .failure(let error):
                #expect(
                    values == [Data([1]), Data([2])] || "\(error)".contains("in place"),
                    "\(index): \(error) left \(values.map { Array($0) })"
                )
            }
        }
    }

    @Test func concurrentFileSourceUpdatesAreNotLost() async throws {
        let path = folder
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let own = FileSystemStorageDataSource(folder: path)
                    for _ in 0..<10 {
                        _ = try await retryWhileBusy {
                            try await own.update(KeyQuery("n")) { $0 = Data([($0?.first ?? 0) + 1]) }.value
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await source().get("n").value == Data([40]))
    }

    @Test func codableModelsAreStoredAsFiles() throws {
        let models = source(.reversible).codable([String: Int].self)
        try models.put(["a": 1], forId: "m").get()
        #expect(try models.get("m").get() == ["a": 1])
        #expect(try models.update(KeyQuery("m")) { $0?["b"] = 2 }.get() == ["a": 1, "b": 2])
        try Data("{".utf8).write(to: URL(filePath: folder + "/m"))
        #expect(throws: CoreError.DataSerialization.self) { try models.get("m").get() }
    }
}
