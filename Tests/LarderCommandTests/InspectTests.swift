#if Command && Inspector
import Foundation
import LarderCore
import LarderFiles
import LarderStores
import LarderTestSupport
import Testing

@testable import LarderCommand

@Suite struct InspectTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// Creates a store with one entry, and returns its path.
    private func store(_ name: String, _ value: StoredValue) throws -> String {
        let store = try StoreOpener(path: folder.path(name), kind: nil).openOrCreate()
        try store.set(value, for: "key")
        return folder.path(name)
    }

    /// Runs the command on a thread of its own, because it blocks until tasks have ended.
    private func inspect(_ arguments: String...) async throws -> Invocation {
        try await withBlockingWork { Invocation(["inspect"] + arguments + ["--format", "json"]) }
    }

    @Test func bytesOfAValueAreWrittenAsTheyAre() async throws {
        let bytes = Data([0xFF, 0xD8, 0x00, 0xFE])
        let path = try store("s.plist", .data(bytes))
        let request = "/api/instances/1/value?key=key"
        let invocation = try await inspect(path, "--request", request)
        #expect(invocation.status == 0)
        #expect(invocation.bytes == bytes)
        #expect(try await inspect(path).output.hasSuffix("}\n"))
    }

    @Test func fileWithSeveralNamesIsOpenedOnce() async throws {
        let path = try store("s.plist", 1)
        try FileManager.default.linkItem(atPath: path, toPath: folder.path("other.plist"))
        try FileManager.default.createSymbolicLink(atPath: folder.path("link.plist"), withDestinationPath: path)
        let link = folder.path("link.plist")
        let invocation = try await inspect(folder.path, path, path, folder.path("other.plist"), link)
        let shown = try invocation.object()["instances"] as? [Any]
        #expect(shown?.count == 1)
    }

    @Test func pipeIsNotOpened() async throws {
        let pipe = folder.path("pipe.larder")
        #expect(mkfifo(pipe, 0o600) == 0)
        let invocation = try await inspect(pipe)
        #expect(invocation.status == 2)
        #expect(invocation.complaint.contains("neither a file nor a folder"))
        _ = try store("s.plist", 1)
        let shown = try await inspect(folder.path).object()["instances"] as? [Any]
        #expect(shown?.count == 1)
    }

    @Test func filesThatAreTooManyAreNoted() async throws {
        for number in 0..<201 { try Data("<map></map>".utf8).write(to: folder.url("\(number).xml")) }
        let answer = try await inspect(folder.path).object()
        #expect((answer["instances"] as? [Any])?.count == 200)
        let notes = answer["notes"] as? [String] ?? []
        #expect(notes.contains { $0.contains("more than 200 files") })
        let path = try store("named.plist", 1)
        let shown = try await inspect(folder.path, path).object()["instances"] as? [Any]
        #expect(shown?.count == 201)
    }
}
#endif
