import Foundation
import LarderCore
import LarderStores
import LarderTestSupport
import Testing

/// Batches that a store refuses whole, wherever in them the reason stands.
@Suite struct DeviceStoreBatchTests {
    private static let tooDeep = (0..<StoredValue.maximumDepth + 1).reduce(StoredValue.int(1)) { inner, _ in
        .array([inner])
    }
    private static let tooLong = StoreKey(String(repeating: "k", count: StoreKey.maximumLength + 1))
    private static let reserved = StoreKey("\u{0}larder.mine")

    private static func refused() -> [StoreBatch] {
        let reasons: [(inout StoreBatch) -> Void] = [
            { $0.set(1, for: tooLong) }, { $0.set(1, for: reserved) }, { $0.remove(reserved) },
            { $0.set(.null, for: "a") }, { $0.set(tooDeep, for: "a") },
        ]
        return reasons.flatMap { addReason in
            var (alone, behind, superseded, expecting) = (StoreBatch(), StoreBatch(), StoreBatch(), StoreBatch())
            addReason(&alone)
            behind.set(2, for: "b")
            addReason(&behind)
            // A key that comes twice: of "a", too, only the last write counts.
            superseded.set(2, for: "b")
            superseded.set(3, for: "b")
            addReason(&superseded)
            superseded.set(4, for: "a")
            expecting.expect(.int(-1), at: "b")
            addReason(&expecting)
            return [alone, behind, superseded, expecting]
        }
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func aBatchWithOneBadWriteChangesNothing(io: DeviceStoreOptions.IO) throws {
        let directory = try TemporaryDirectory()
        var options = DeviceStoreOptions()
        options.io = io
        let store = try DeviceStore(path: directory.path("s.larder"), options: options)
        try store.set(0, for: "b")
        for batch in Self.refused() {
            #expect(throws: StoreError.self) { try store.commit(batch) }
        }
        #expect(try store.keys() == ["b"])
        #expect(try store.get("b") == 0)
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func commitsThatWaitForTheDiskAndThoseThatDoNotFollowOneAnother(io: DeviceStoreOptions.IO) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("s.larder")
        var options = DeviceStoreOptions()
        options.io = io
        let store = try DeviceStore(path: path, options: options)
        for number in 0..<Int64(500) {
            try store.set(
                .int(number),
                for: StoreKey("key\(number % 7)"),
                durability: number % 50 == 3 ? .synced : .buffered
            )
        }
        try store.close()
        let again = try DeviceStore(path: path, options: options)
        #expect(try (0..<7).map { try again.get(StoreKey("key\($0)")) } == [497, 498, 499, 493, 494, 495, 496])
        #expect(try again.verify().isIntact)
    }
}
