import CInterruptedCalls
import Foundation
import LarderCore
import LarderDeviceStore

/// Checks of a store whose system calls are interrupted repeatedly.
enum Interruption {
    static func write(_ path: String, _ options: DeviceStoreOptions) throws {
        guard larder_interrupt_calls() == 1 else {
            print("unsupported")
            return
        }
        var known: [String: StoredValue] = [:]
        for round in 0..<3 {
            let store = try DeviceStore(path: path, options: options)
            for number in 0..<600 {
                let key = "key\(number % 100)"
                let size = number % 50 == 0 ? 20_000 : number
                let value = StoredValue.data(Data(repeating: UInt8(truncatingIfNeeded: number + round), count: size))
                try store.set(value, for: StoreKey(key), durability: number % 40 == 0 ? .synced : .buffered)
                known[key] = value
            }
            try store.compact()
            try store.remove("key\(round)")
            known["key\(round)"] = nil
            let problems = try store.verify().problems
            guard problems.isEmpty else { throw Wrong("Not intact: \(problems)") }
            try store.close()
        }
        let store = try DeviceStore(path: path, options: options)
        let found = try store.entries(prefix: "")
        guard Dictionary(uniqueKeysWithValues: found.map { ($0.key, $0.value) }) == known else {
            throw Wrong("\(found.count) entries instead of \(known.count), or other values")
        }
        print(larder_interrupted_calls())
    }

    /// Writes to a store on a file system that can't reserve space, where a write beyond the existing content fills the space with zeros
    /// instead.
    static func writeWithoutReservations(_ path: String, _ options: DeviceStoreOptions) throws {
        guard larder_refuse_room() == 1 else {
            print("unsupported")
            return
        }
        let store = try DeviceStore(path: path, options: options)
        for number in 0..<2_000 {
            let value = Data(repeating: UInt8(truncatingIfNeeded: number), count: 1_000)
            try store.set(.data(value), for: StoreKey("key\(number)"))
        }
        var status = stat()
        guard stat(path, &status) == 0, Int(status.st_blocks) * 512 >= Int(status.st_size) else {
            throw Wrong("The file has \(status.st_blocks) blocks for \(status.st_size) bytes.")
        }
        let problems = try store.verify().problems
        guard problems.isEmpty, try store.count() == 2_000 else { throw Wrong("Not intact: \(problems)") }
        try store.close()
        print(larder_refused_room())
    }
}
