import Foundation
import LarderCore
import LarderDeviceStore

extension Area {
    /// Measures reading one value from a device store.
    static var deviceStoreReading: Area {
        Area(name: "device-store-reading", rows: [byText, byKey, hot, withOthers])
    }

    private static let keys = Keys(10_000)

    private static var byText: Row {
        .timed("get an Int by String key, 10,000 keys") { folder in
            let (all, shuffled) = (keys.all, keys.shuffled)
            let dictionary = DictionaryPeer(all)
            let store = try filledStore(folder + "/s.larder", all)
            let defaults = try UserDefaultsPeer(folder + "/suite", all)
            var contenders = [
                Contender("Dictionary behind a Mutex", operations: shuffled.count) { _ in
                    for key in shuffled { keep(dictionary.get(key)) }
                },
                Contender("DeviceStore, value(Int.self, for:)", operations: shuffled.count, goal: .timesFirst(0.6)) {
                    _ in
                    for key in shuffled { keep(try store.value(Int.self, for: key)) }
                },
                Contender("DeviceStore, get(_:)", operations: shuffled.count, goal: .timesFirst(0.6)) { _ in
                    for key in shuffled { keep(try store.get(key)) }
                },
                Contender("UserDefaults", operations: shuffled.count) { _ in
                    for key in shuffled { keep(defaults.get(key)) }
                },
            ]
            #if SQLite
            let sqlite = try SQLitePeer(folder + "/sqlite", all)
            contenders += [
                Contender("SQLite (GRDB, WAL), one read each", operations: 1_000) { _ in
                    for key in shuffled.prefix(1_000) { keep(try sqlite.get(key)) }
                },
                Contender("SQLite (GRDB, WAL), all in one read", operations: shuffled.count) { _ in
                    try sqlite.get(shuffled)
                },
            ]
            #endif
            #if canImport(LMDB)
            let lmdb = try LMDBPeer(folder + "/lmdb", all)
            contenders.append(
                Contender("LMDB", operations: shuffled.count) { _ in
                    for key in shuffled { keep(try lmdb.get(key)) }
                }
            )
            #endif
            return contenders
        }
    }

    private static var byKey: Row {
        .timed("get an Int through a typed key with a cached hash, random keys, 10,000 keys") { folder in
            let dictionary = DictionaryPeer(keys.all)
            let store = try filledStore(folder + "/s.larder", keys.all)
            let shuffled = keys.shuffled
            let typed = shuffled.map { StoreKey($0).rememberingHash() }
            return [
                Contender("Dictionary behind a Mutex, by String", operations: shuffled.count) { _ in
                    for key in shuffled { keep(dictionary.get(key)) }
                },
                Contender("DeviceStore", operations: typed.count, goal: .timesFirst(0.6)) { _ in
                    for key in typed { keep(try store.value(Int.self, for: key)) }
                },
            ]
        }
    }

    private static var hot: Row {
        .timed("get an Int through a typed key with a cached hash, always the same key, 10,000 keys") { folder in
            let dictionary = DictionaryPeer(keys.all)
            let store = try filledStore(folder + "/s.larder", keys.all)
            let text = keys.shuffled[0]
            let key = StoreKey(text).rememberingHash()
            return [
                Contender("Dictionary behind a Mutex, by String", operations: 100_000) { _ in
                    for _ in 0..<100_000 { keep(dictionary.get(text)) }
                },
                Contender("DeviceStore", operations: 100_000, goal: .timesFirst(0.35)) { _ in
                    for _ in 0..<100_000 { keep(try store.value(Int.self, for: key)) }
                },
            ]
        }
    }

    private static var withOthers: Row {
        .timed("get an Int by String key while another process has the store open, 10,000 keys") { folder in
            let alone = try filledStore(folder + "/alone.larder", keys.all)
            let shared = try filledStore(folder + "/shared.larder", keys.all)
            let companion = try Companion(holding: folder + "/shared.larder")
            let shuffled = keys.shuffled
            return [
                Contender("DeviceStore, alone", operations: shuffled.count) { _ in
                    for key in shuffled { keep(try alone.value(Int.self, for: key)) }
                },
                Contender("DeviceStore, shared", operations: shuffled.count, goal: .aboveFirst(5)) { _ in
                    for key in shuffled { keep(try shared.value(Int.self, for: key)) }
                    withExtendedLifetime(companion) {}
                },
            ]
        }
    }
}

/// Creates a device store that holds a number for each key.
func filledStore(
    _ path: String,
    _ keys: [String],
    _ options: DeviceStoreOptions = DeviceStoreOptions()
) throws -> DeviceStore {
    let store = try DeviceStore(path: path, options: options)
    try putAll(store, 0, keys)
    return store
}

/// Writes a number for each key, with one commit for each 10,000 keys.
func putAll(_ store: some KeyValueStore, _ value: Int, _ keys: [String]) throws {
    for start in stride(from: 0, to: keys.count, by: 10_000) {
        _ = try store.commit(batch(value, keys[start..<min(start + 10_000, keys.count)]))
    }
}

/// Returns a batch that writes a different number for each key.
@inline(never)
func batch(_ value: Int, _ keys: ArraySlice<String>) -> StoreBatch {
    var batch = StoreBatch()
    for index in keys.indices { batch.set(.int(Int64(value &+ index)), for: StoreKey(keys[index])) }
    return batch
}
