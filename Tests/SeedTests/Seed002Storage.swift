import Foundation
import Larder
import LarderTestSupport
import Testing

// Seed 002, a page about the storage module of an app. It prints no code; each test is named after what the page says. What it
// says of StorageManagerType and StorageType is object storage, and has its tests with that.

/// Settings of an app, as "File storage" is used for "mostly".
private nonisolated struct AppSettings: Codable, Equatable, Sendable {
    var launches = 0
    var userName: String?
    var lastSync = Date(timeIntervalSinceReferenceDate: 0)
}

@Suite struct Seed002 {
    /// "The Storage module also exposes a protocol, called FileStorage to abstract saving and reading data to and from local
    /// storage."
    @Test func fileStorageProtocolSavesAndReadsValues() throws {
        func relaunch<Storage: FileStorage>(_ storage: Storage, at url: URL) throws -> AppSettings {
            try storage.write(AppSettings(launches: 3, userName: "Ada"), to: url)
            return try storage.data(for: url)
        }
        let folder = try TemporaryDirectory()
        #expect(try relaunch(PListFileStorage(), at: folder.url("a")) == AppSettings(launches: 3, userName: "Ada"))
        #expect(try relaunch(JSONFileStorage(), at: folder.url("b")) == AppSettings(launches: 3, userName: "Ada"))
    }

    /// "The default implementation of this protocol, PListFileStorage provides support for .plist files."
    @Test func pListFileStorageWritesPropertyLists() throws {
        let folder = try TemporaryDirectory()
        let url = folder.url("settings.plist")
        try PListFileStorage().write(AppSettings(launches: 3), to: url)
        let list = try PropertyListSerialization.propertyList(from: Data(contentsOf: url), options: [], format: nil)
        #expect((list as? [String: Any])?["launches"] as? Int == 3)
    }

    @Test func pListFileStorageDeletesFiles() throws {
        let folder = try TemporaryDirectory()
        let url = folder.url("settings.plist")
        try PListFileStorage().write(AppSettings(), to: url)
        try PListFileStorage().deleteFile(at: url)
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }
}
