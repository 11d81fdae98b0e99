import Foundation
import LarderCore
import LarderDeviceStore
import LarderStores
import Synchronization

#if Encryption
import Crypto
#endif

/// Repeats all operations of a store so that memory leaks can be detected: `DeviceStoreHelper repeat IO PATH TIMES`.
enum Repetition {
    static func run(_ path: String, _ options: DeviceStoreOptions, times: Int) throws {
        for round in 0..<times {
            let store = try DeviceStore(path: path, options: options)
            let seen = Atomic(0)
            // The watching thread retains a closed store until it is woken, for example by the commits of the next round. The leak detector
            // also doesn't follow the pointers inside `Data` and `String`.
            let isLast = round == times - 1
            let observation = isLast ? nil : store.observe(prefix: "") { _ in seen.add(1, ordering: .relaxed) }
            try write(to: store, round)
            let copy = path + ".copy\(round)"
            try store.backup(to: copy) { _ in _ = try? store.get("key1") }  // The result is ignored.
            try check(copy, options)
            try store.compact()
            #if Encryption
            let base = try DeviceStore(path: path + ".sealed", options: options)
            let options = EncryptedStore.Options(hidesNames: true)
            try write(to: EncryptedStore(base, key: SymmetricKey(data: [UInt8](0..<32)), options: options), round)
            try base.close()
            #endif
            observation?.cancel()
            guard isLast || seen.load(ordering: .relaxed) > 0 else { throw Wrong("Nothing was observed.") }
            try store.close()
        }
    }

    private static func write(to store: any KeyValueStore, _ round: Int) throws {
        for number in 0..<40 {
            let size = number % 10 == 0 ? 50_000 : 40 * number
            let value = StoredValue.data(Data(repeating: UInt8(truncatingIfNeeded: round + number), count: size))
            let key = StoreKey("key\(number)")
            try store.set(value, for: key, durability: number == 39 ? .synced : .buffered)
            guard try store.get(key) == value else { throw Wrong("key\(number) holds another value.") }
        }
        var batch = StoreBatch()
        for number in 0..<20 {
            batch.set(.array([.int(Int64(round)), .string("\(number)")]), for: StoreKey("key\(number * 2)"))
        }
        batch.remove("key1")
        _ = try store.commit(batch)
        guard try store.entries(prefix: "key").count == 39 else { throw Wrong("The number of entries is wrong.") }
    }

    private static func check(_ copy: String, _ options: DeviceStoreOptions) throws {
        var options = options
        options.isReadOnly = true
        let store = try DeviceStore(path: copy, options: options)
        guard try store.verify().isIntact else { throw Wrong("The copy is not intact.") }
        try store.close()
        guard unlink(copy) == 0 else { throw Wrong("The copy can't be removed.") }
    }
}
