import Foundation
import LarderCore
import LarderDeviceStore

extension Area {
    /// Measures that keys removed from a device store use no memory and do not slow down the listing of the remaining keys.
    static var deviceStoreChurn: Area {
        Area(name: "device-store-churn", rows: [longKeys, fewOfMany])
    }

    private static var longKeys: Row {
        Row("memory of 500 long keys, 100 replaced in each of 200 rounds") { folder in
            let store = try DeviceStore(path: folder + "/s.larder")
            try replace(0..<0, with: 0..<500, in: store)
            var early = 0.0
            let late = try HeapUse.growth {
                early = try HeapUse.growth { try churn(store, rounds: 0..<40) }
                try churn(store, rounds: 40..<200)
            }
            // The goal is a quarter more memory than after the first fifth of the rounds, and a margin for the allocator.
            return [
                Figure("DeviceStore, after 40 rounds", early, .bytes),
                Figure("DeviceStore, after 200 rounds", late, .bytes, goal: .atMost(max(0, early) * 1.25 + 65_536)),
            ]
        }
    }

    private static func churn(_ store: DeviceStore, rounds: Range<Int>) throws {
        for round in rounds {
            let start = round * 100
            try replace(start..<start + 100, with: start + 500..<start + 600, in: store)
        }
    }

    private static func replace(_ old: Range<Int>, with new: Range<Int>, in store: DeviceStore) throws {
        var batch = StoreBatch()
        for number in old { batch.remove(longKey(number)) }
        for number in new { batch.set(.int(Int64(number)), for: longKey(number)) }
        _ = try store.commit(batch)
    }

    /// Returns a key that is too long to be stored in an index entry.
    ///
    /// The lengths of the keys vary.
    private static func longKey(_ number: Int) -> StoreKey {
        StoreKey("session/\(number)/" + String(repeating: "k", count: 25 + number * 7919 % 96))
    }

    private static var fewOfMany: Row {
        .timed("list 5,000 keys of a store that once had 1,000,000", rounds: 9) { folder in
            let keys = Keys(1_000_000).all
            let kept = stride(from: 0, to: keys.count, by: 200).map { keys[$0] }
            let small = try filledStore(folder + "/small.larder", kept)
            let large = try filledStore(folder + "/large.larder", keys)
            var batch = StoreBatch()
            for (index, key) in keys.enumerated() where index % 200 != 0 { batch.remove(StoreKey(key)) }
            _ = try large.commit(batch)
            return [
                Contender("DeviceStore that never had more", operations: kept.count) { _ in keep(try small.keys()) },
                Contender("DeviceStore that had 1,000,000", operations: kept.count) { _ in keep(try large.keys()) },
            ]
        }
    }
}
