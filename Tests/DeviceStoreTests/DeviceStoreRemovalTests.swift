import DeviceStoreProofs
import Foundation
import LarderCore
import LarderStores
import LarderTestSupport
import Synchronization
import Testing

/// Somebody removes the file of a store that is open.
@Suite struct DeviceStoreRemovalTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("s.larder") }

    init() throws { directory = try TemporaryDirectory() }

    private func open() throws -> DeviceStore {
        var options = DeviceStoreOptions()
        options.environment.isAutomatic = false
        // As in another process.
        options.environment.isShared = false
        return try DeviceStore(path: path, options: options)
    }

    @Test func aStoreThatIsMadeAnewIsNotWhatTheRemovedOneIsCompactedInto() throws {
        let removed = try open()
        for number in 0..<2_000 { try removed.set(.int(Int64(number)), for: StoreKey("old.\(number % 500)")) }
        let made = Mutex<DeviceStore?>(nil)
        // It is one of the past, and says so or abandons its compaction.
        do {
            try removed.compact { _ in
                made.withLock { made in
                    guard made == nil else { return }
                    #expect(throws: Never.self) {
                        try FileManager.default.removeItem(atPath: path)
                        made = try open()
                        try made?.set(1, for: "new")
                    }
                }
            }
        } catch {
            #expect(error is StoreError)
        }
        let found = made.withLock { $0 }
        let store = try #require(found)
        #expect(try store.contents() == ["new": 1])
        #expect(try store.verify().isIntact)
        #expect(try open().contents() == ["new": 1])
    }
}
