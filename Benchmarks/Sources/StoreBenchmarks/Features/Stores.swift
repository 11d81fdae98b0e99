import Foundation
import LarderCore
import LarderStores

extension Area {
    /// Measures the stores in memory, in property lists and in user defaults.
    static var stores: Area {
        Area(name: "stores", rows: [reading, writing, wholeFile])
    }

    private static let keys = Keys(10_000)

    private static var reading: Row {
        .timed("get an Int by String key from the other stores, 10,000 keys") { folder in
            let dictionary = DictionaryPeer(keys.all)
            let memory = MemoryStore()
            let list = try PropertyListStore(path: folder + "/reads.plist")
            try putAll(memory, 0, keys.all)
            try putAll(list, 0, keys.all)
            return [
                Contender("Dictionary behind a Mutex", operations: keys.all.count) { _ in
                    for key in keys.shuffled { keep(dictionary.get(key)) }
                },
                Contender("MemoryStore", operations: keys.all.count) { _ in
                    for key in keys.shuffled { keep(try memory.get(key)) }
                },
                Contender("PropertyListStore", operations: keys.all.count) { _ in
                    for key in keys.shuffled { keep(try list.get(key)) }
                },
            ]
        }
    }

    private static var writing: Row {
        .timed("put an Int into memory, 10,000 keys") { _ in
            let dictionary = DictionaryPeer(keys.all)
            let memory = MemoryStore()
            return [
                Contender("Dictionary behind a Mutex", operations: keys.all.count) { round in
                    for key in keys.shuffled { dictionary.put(round, key) }
                },
                Contender("MemoryStore", operations: keys.all.count) { round in
                    for key in keys.shuffled { try memory.set(.int(Int64(round)), for: key) }
                },
            ]
        }
    }

    private static var wholeFile: Row {
        .timed("put an Int into a property list, durable after kill -9, 1,000 keys") { folder in
            let held = Keys(1_000).all
            let list = try PropertyListStore(path: folder + "/writes.plist")
            let defaults = try UserDefaultsPeer(folder + "/suite", held)
            try putAll(list, 0, held)
            let written = held.prefix(10)
            return [
                Contender("UserDefaults set + synchronize", operations: written.count) { round in
                    for key in written {
                        defaults.put(round, key)
                        defaults.synchronize()
                    }
                },
                Contender("PropertyListStore (atomic, synced)", operations: written.count) { round in
                    for key in written { try list.set(.int(Int64(round)), for: key) }
                },
            ]
        }
    }
}
