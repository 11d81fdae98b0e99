#if Command
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderStores
import LarderTestSupport
import Testing

@testable import LarderCommand

/// Opening files without a trace, as `larder inspect --no-trace` does.
@Suite struct UntouchedTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// Returns the names and contents of all files, and their times.
    private func state() throws -> [String: String] {
        let manager = FileManager.default
        var state: [String: String] = [:]
        for name in try manager.contentsOfDirectory(atPath: folder.path) {
            let attributes = try manager.attributesOfItem(atPath: folder.path(name))
            let content = try Data(contentsOf: folder.url(name)).base64EncodedString()
            let modified = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
            state[name] = "\(modified) \(attributes[.posixPermissions] ?? 0) \(content)"
        }
        let modified = try manager.attributesOfItem(atPath: folder.path)[.modificationDate] as? Date
        state["."] = "\(modified?.timeIntervalSince1970 ?? 0)"
        return state
    }

    private func look(_ store: any KeyValueStore) throws {
        _ = try store.inspectionFacts()
        _ = try store.inspectionTables()
        _ = try store.inspectionPage(InspectionQuery(table: "entries"))
        _ = try store.inspectionRecord("key", in: "entries")
        _ = try store.inspectionStatistics()
        _ = store.inspectionActions
        _ = try store.verify()
        try store.observeForInspection { _ in }?.cancel()
    }

    @Test(arguments: ["s.larder", "s.plist", "s.xml"])
    func lookingAtStoreChangesNothing(name: String) throws {
        let path = folder.path(name)
        let opener = StoreOpener(path: path, kind: nil)
        do {
            let store = try opener.openOrCreate()
            try store.set("value", for: "key")
            if name == "s.larder" { try store.set(.string(String(repeating: "x", count: 30_000)), for: "large") }
            try (store as? DeviceStore)?.close()
        }
        for leftover in [".ctl", ".lock"] { try? FileManager.default.removeItem(atPath: path + leftover) }
        let before = try state()
        do {
            let store = try opener.openUntouched()
            #expect(try store.get("key") == "value")
            try look(store)
            let error = #expect(throws: StoreError.self) { try store.set(1, for: "key") }
            #expect(error?.code == .readOnly)
        }
        #expect(try state() == before)
        #expect(try opener.openExisting(for: .writing).verify().problems == [])
    }

    @Test(arguments: ["s.larder", "s.plist"])
    func laterCommitsAreNotSeen(name: String) throws {
        let opener = StoreOpener(path: folder.path(name), kind: nil)
        let store = try opener.openOrCreate()
        try store.set(1, for: "key")
        let untouched = try opener.openUntouched()
        try store.set(2, for: "key")
        try store.set(3, for: "other")
        #expect(try untouched.get("key") == 1)
        #expect(try untouched.entries(after: nil, limit: 5).map(\.key) == ["key"])
        #expect(try store.verify().problems == [])
    }

    @Test func followedStoreSeesLaterCommits() throws {
        let opener = StoreOpener(path: folder.path("s.larder"), kind: nil)
        let store = try opener.openOrCreate()
        try store.set(1, for: "key")
        let followed = try opener.openToFollow()
        try store.set(2, for: "key")
        #expect(try followed.get("key") == 2)
        #expect(try store.verify().problems == [])
    }

    @Test func missingStoreIsAnError() throws {
        let opener = StoreOpener(path: folder.path("none.larder"), kind: nil)
        #expect(throws: CommandFailure.self) { try opener.openUntouched() }
        #expect(throws: CommandFailure.self) { try opener.openToFollow() }
        #expect(try state().count == 1)
    }

    #if Encryption
    @Test func lookingAtEncryptedStoreChangesNothing() throws {
        let key = folder.path("key")
        try Data((0..<32).map { UInt8($0) }).write(to: folder.url("key"))
        for name in ["s.larder", "s.plist"] {
            var opener = StoreOpener(path: folder.path(name), kind: nil)
            opener.key = .file(key)
            do {
                let store = try opener.openOrCreate()
                try store.set("secret", for: "key")
            }
        }
        let before = try state()
        for name in ["s.larder", "s.plist"] {
            var opener = StoreOpener(path: folder.path(name), kind: nil)
            opener.key = .file(key)
            let store = try opener.openUntouched()
            #expect(try store.get("key") == "secret")
            #expect(store.inspectionKind.hasPrefix("encrypted"))
            try look(store)
        }
        #expect(try state() == before)
    }
    #endif
}
#endif
