import Foundation
import LarderCore
import LarderDeviceStore

extension Area {
    /// Measures that the cost of an operation does not grow with the number of keys, except for opening, compaction and listing.
    ///
    /// Only the number of cache misses grows, because a smaller part of a large table fits in the processor's caches. A dictionary with the
    /// same keys is measured for comparison. A put that finds the hash table full doubles its size. Amortized over all puts, this costs
    /// little, but that one put takes long. Separate rows measure it.
    static var deviceStoreGrowth: Area {
        let counts = [(100, "100"), (10_000, "10,000"), (1_000_000, "1,000,000")]
        return Area(name: "device-store-growth", rows: counts.map(row) + counts.map(longestPut))
    }

    private static func row(_ count: Int, _ text: String) -> Row {
        .timed("operations at \(text) keys", rounds: 5) { folder in
            let keys = Keys(count)
            // In a small store, so few operations are made that no compaction becomes due. In a large store, none becomes due for long.
            let asked = (0..<(count < 10_000 ? 1_000 : 10_000)).map { keys.shuffled[$0 % count] }
            let typed = asked.map { StoreKey($0).rememberingHash() }
            let dictionary = DictionaryPeer(keys.all)
            let store = try filledStore(folder + "/s.larder", keys.all, options(.systemCalls))
            let mapped = try filledStore(folder + "/mapped.larder", keys.all, options(.mapped))
            let expiring = try filledStore(folder + "/expiring.larder", keys.all, options(.mapped))
            let tomorrow = Date(timeIntervalSinceNow: 86_400)
            // A transaction writes each key once.
            let distinct = Array(keys.shuffled.prefix(asked.count))
            func writing(
                _ name: String,
                to store: DeviceStore,
                _ operations: Int? = nil,
                _ body: @escaping (_ round: Int) throws -> Void
            ) -> Contender {
                Contender(
                    "DeviceStore, " + name,
                    operations: operations ?? asked.count,
                    prepare: { if count <= 10_000 { try store.compact() } },
                    run: body
                )
            }
            return [
                Contender("Dictionary behind a Mutex, get", operations: asked.count) { _ in
                    for key in asked { keep(dictionary.get(key)) }
                },
                Contender("DeviceStore, get", operations: asked.count) { _ in
                    for key in asked { keep(try store.value(Int.self, for: key)) }
                },
                Contender("DeviceStore, get through a typed key", operations: asked.count) { _ in
                    for key in typed { keep(try store.value(Int.self, for: key)) }
                },
                writing("put, systemCalls", to: store) { round in
                    for (index, key) in asked.enumerated() { try store.set(.int(Int64(round &+ index)), for: key) }
                },
                writing("put, mapped", to: mapped) { round in
                    for (index, key) in asked.enumerated() { try mapped.set(.int(Int64(round &+ index)), for: key) }
                },
                writing("put with expiry, mapped", to: expiring) { round in
                    for (index, key) in asked.enumerated() {
                        try expiring.set(.int(Int64(round &+ index)), for: StoreKey(key), until: tomorrow)
                    }
                },
                writing("put in a transaction, mapped", to: mapped, distinct.count) { round in
                    try putAll(mapped, round &* distinct.count, distinct)
                },
                writing("compare-and-set, mapped", to: mapped) { _ in
                    for key in asked {
                        let key = StoreKey(key)
                        let old = try mapped.get(key)
                        guard case .int(let number)? = old else { continue }
                        keep(try mapped.compareAndSet(key, expecting: old, to: .int(number &+ 1)))
                    }
                },
                writing("remove and put again, mapped", to: mapped) { round in
                    for (index, key) in asked.enumerated() {
                        try mapped.remove(StoreKey(key))
                        try mapped.set(.int(Int64(round &+ index)), for: key)
                    }
                },
            ]
        }
    }

    private static func longestPut(_ count: Int, _ text: String) -> Row {
        Row("longest put of a new key, \(text) keys") { folder in
            let keys = Keys(count).shuffled
            let dictionary = DictionaryPeer()
            let store = try DeviceStore(path: folder + "/s.larder", options: options(.mapped))
            return [
                Figure("Dictionary behind a Mutex", longest(keys) { dictionary.put($0, $1) }),
                Figure("DeviceStore, mapped", try longest(keys) { try store.set(.int(Int64($0)), for: $1) }),
            ]
        }
    }

    private static func longest(_ keys: [String], _ put: (Int, String) throws -> Void) rethrows -> Double {
        var longest = 0.0
        for (index, key) in keys.enumerated() { longest = max(longest, try nanoseconds { try put(index, key) }) }
        return longest
    }
}
