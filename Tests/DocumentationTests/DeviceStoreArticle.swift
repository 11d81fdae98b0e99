import Foundation
import Larder
import LarderTestSupport
import Testing

// The code of the article "The device store", in its order. The last test compares it with the article.

private enum Notes {
    static func open(_ path: String) throws -> DeviceStore {
        // Article
        let store = try DeviceStore(path: path)
        try store.set("dark", for: "theme")  // survives a kill of the process
        try store.set(42, for: "answer", durability: .synced)  // survives a power failure
        print(try store.keys())  // ["answer", "theme"]
        // end
        return store
    }

    // Article
    static let volume = StoreKey("volume").rememberingHash()

    // end

    static func loudness(_ store: DeviceStore) throws -> Double? {
        // Article
        let volume = try store.value(Double.self, for: Self.volume)
        // end
        return volume
    }

    static func watch(_ store: DeviceStore) async throws {
        // Article
        for await event in store.changes() {
            guard case .change(let change) = event else { continue }
            print(change.origin, change.entries.map(\.key))  // another process ["theme"]
        }
        // end
    }

    static func setCode(_ store: DeviceStore) throws {
        // Article
        try store.set("1234", for: "code", until: Date(timeIntervalSinceNow: 600))
        // end
    }
}

@Suite struct DeviceStoreArticle {
    @Test func articleCodeRunsAsDocumented() async throws {
        let folder = try TemporaryDirectory()
        let store = try Notes.open(folder.path("settings.larder"))
        #expect(try store.get("theme") == "dark")
        #expect(try store.get("answer") == 42)
        try store.set(0.5, for: "volume")
        #expect(try Notes.loudness(store) == 0.5)
        try Notes.setCode(store)
        #expect(try store.get("code") == "1234")
        let watching = Task { try await Notes.watch(store) }
        watching.cancel()
        try await watching.value
        #expect(try store.verify().isIntact)
    }

    @Test func articleCodeMatchesTestedCode() throws {
        try expectSameCode(article: "LarderDeviceStore/LarderDeviceStore.docc/TheDeviceStore.md", source: #filePath)
    }
}
