import Foundation
import LarderCore
import LarderStores

extension Area {
    /// Shows that no cost of a device store but opening, compaction and listing grows with the number of keys.
    ///
    /// What does grow is what a larger table costs everybody: more of it, and of the keys asked for, lies outside the processor's
    /// caches. So a dictionary, asked for the same keys, stands beside.
    static var deviceStoreGrowth: Area {
        Area(name: "device-store-growth", rows: [(100, "100"), (10_000, "10,000"), (1_000_000, "1,000,000")].map(row))
    }

    private static func row(_ count: Int, _ text: String) -> Row {
        .timed("get and put at \(text) keys", rounds: 5) { folder in
            let keys = Keys(count)
            // So few of a small store that it is not compacted meanwhile; a large one is not for long.
            let asked = (0..<(count < 10_000 ? 1_000 : 10_000)).map { keys.shuffled[$0 % count] }
            func compact(_ store: DeviceStore) throws { if count <= 10_000 { try store.compact() } }
            let dictionary = DictionaryPeer(keys.all)
            let store = try filledStore(folder + "/s.larder", keys.all, options(.systemCalls))
            let mapped = try filledStore(folder + "/mapped.larder", keys.all, options(.mapped))
            return [
                Contender("Dictionary behind a Mutex, get", operations: asked.count) { _ in
                    for key in asked { keep(dictionary.get(key)) }
                },
                Contender("DeviceStore, get", operations: asked.count) { _ in
                    for key in asked { keep(try store.value(Int.self, for: key)) }
                },
                Contender(
                    "DeviceStore, put, systemCalls",
                    operations: asked.count,
                    prepare: { try compact(store) }
                ) { round in
                    for (index, key) in asked.enumerated() { try store.set(.int(Int64(round &+ index)), for: key) }
                },
                Contender("DeviceStore, put, mapped", operations: asked.count, prepare: { try compact(mapped) }) {
                    round in
                    for (index, key) in asked.enumerated() { try mapped.set(.int(Int64(round &+ index)), for: key) }
                },
            ]
        }
    }
}
