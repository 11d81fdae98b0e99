#if Command && Inspector
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderReplication
import LarderStores
import LarderTestSupport
import Synchronization
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

    @Test func replicaIsShownWithItsReplication() async throws {
        let cluster = ClusterFixture()
        let path = folder.path("r.larder")
        let device = try DeviceStore(path: path)
        let store = try cluster.machine(device)
        try store.set("confirmed", for: "a")
        try await store.exchange()
        try store.set("waiting", for: "b")
        try await device.close()
        let shown = try await inspect(path).object()["instances"] as? [[String: Any]] ?? []
        #expect(shown.map { $0["role"] as? String } == ["store", "replication"])
        let rows = try await inspect(path, "--request", "/api/instances/1/rows").object()["records"]
        #expect((rows as? [[String: Any]])?.map { $0["key"] as? String } == ["a", "b"])
        let facts = try await inspect(path, "--request", "/api/instances/2").object()["facts"]
        #expect((facts as? [[String: String]])?.contains(["name": "pending", "value": "1"]) == true)
        let followed = try InspectedFiles(paths: [path], key: nil, isLive: true).open().instances
        #expect(followed.map(\.inspectionRole) == [.store, .replication])
        #expect(try followed[0].inspectionTables().first?.count == 2)
        #expect(try DeviceStore(path: path).verify().problems == [])
    }

    #if Objects
    @Test func newOrderUpdatesItsCustomer() async throws {
        let orders = try DemoOrders(in: folder.path)
        try await withBlockingWork { try orders.fill() }
        let database = try #require(
            try InspectedFiles(paths: [folder.path], key: nil, isLive: true).open().instances.first
        )
        let changes = Mutex<[InspectionChange]>([])
        let observation = try database.observeForInspection { event in
            if case .changes(let new, _) = event { changes.withLock { $0 += new } }
        }
        try await withBlockingWork { try orders.change(1) }
        try await waitUntil { changes.withLock { $0.contains { $0.table == "DemoOrder" } } }
        let found = changes.withLock { $0.filter { $0.table == "DemoCustomer" } }
        #expect(found.map(\.kind) == [.updated] && found.first?.columns == ["orders"])
        observation?.cancel()
        try await withBlockingWork { try orders.close() }
    }
    #endif

    #if Encryption
    private static let key = String(repeating: "0123456789abcdef", count: 4)
    private static let wrongKey = String(repeating: "fedcba9876543210", count: 4)

    /// Creates an encrypted store with one entry, and returns its path and those of the files with the right and a wrong key.
    private func encryptedStore(_ name: String) throws -> (path: String, key: String, wrongKey: String) {
        let (key, wrongKey) = (folder.path("right.key"), folder.path("wrong.key"))
        try Data(Self.key.utf8).write(to: URL(filePath: key))
        try Data(Self.wrongKey.utf8).write(to: URL(filePath: wrongKey))
        let store = try StoreOpener(path: folder.path(name), kind: nil, key: .file(key)).openOrCreate()
        try store.set("4711", for: "number")
        return (folder.path(name), key, wrongKey)
    }

    /// Checks that neither key is in what a command has written, in any form in which it can be specified.
    private func checkKeys(_ invocation: Invocation) {
        for key in [Self.key, Self.wrongKey] {
            let bytes = Data(
                stride(from: 0, to: 64, by: 2).compactMap { UInt8(key.dropFirst($0).prefix(2), radix: 16) }
            )
            for form in [key, key.uppercased(), bytes.base64EncodedString()] {
                #expect(!invocation.output.contains(form) && !invocation.complaint.contains(form))
            }
            #expect(invocation.bytes.range(of: bytes) == nil)
        }
    }

    @Test(arguments: ["v.larder", "v.plist"])
    func encryptedStoreIsShownWithItsKey(_ name: String) async throws {
        let (path, key, _) = try encryptedStore(name)
        for request in ["/api/instances", "/api/instances/1", "/api/instances/1/reports", "/api/issues"] {
            let invocation = try await inspect(path, "--key-file", key, "--request", request)
            #expect(invocation.status == 0, "\(request): \(invocation.complaint)")
            checkKeys(invocation)
        }
        let record = try await inspect(path, "--key-file", key, "--request", "/api/instances/1/record?key=number")
        #expect(record.output.contains("4711"))
        let followed = try InspectedFiles(paths: [path], key: .file(key), isLive: true).open().instances
        #expect(try followed[0].inspectionRecord("number", in: "entries")?.values.last == "4711")
    }

    @Test(arguments: ["v.larder", "v.plist"])
    func encryptedStoreIsNotShownWithoutItsKey(_ name: String) async throws {
        let (path, _, wrongKey) = try encryptedStore(name)
        for arguments in [[path], [path, "--key-file", wrongKey]] {
            let invocation = try await withBlockingWork {
                Invocation(["inspect"] + arguments + ["--format", "json", "--request", "/api/instances/1/rows"])
            }
            #expect(invocation.status == 2)
            #expect(invocation.complaint.contains("key") && !invocation.output.contains("4711"))
            checkKeys(invocation)
            let source = arguments.count == 1 ? nil : EncryptionKeySource.file(wrongKey)
            #expect(throws: (any Error).self) {
                try InspectedFiles(paths: [path], key: source, isLive: true).open()
            }
        }
    }

    @Test func encryptedStoreOfAFolderSaysWhyItIsNotShown() async throws {
        let (_, _, wrongKey) = try encryptedStore("v.larder")
        _ = try store("other.plist", 1)
        for arguments in [[folder.path], [folder.path, "--key-file", wrongKey]] {
            let invocation = try await withBlockingWork { Invocation(["inspect"] + arguments + ["--format", "json"]) }
            let shown = try invocation.object()["instances"] as? [[String: Any]] ?? []
            #expect(shown.count == 2)
            let number = try #require(shown.first { $0["kind"] as? String == "unreadable file" }?["id"] as? String)
            let facts = try await withBlockingWork {
                Invocation(
                    ["inspect"] + arguments + ["--format", "json", "--request", "/api/instances/\(number)"]
                )
            }
            #expect(facts.output.contains("key"))
            for one in [invocation, facts] { checkKeys(one) }
        }
    }
    #endif
}
#endif
