import Foundation
import LarderCore
import LarderStores

/// Another process for the tests of the device store: `DeviceStoreHelper MODE PATH ...`.
@main struct DeviceStoreHelper {
    static func main() throws {
        let arguments = CommandLine.arguments
        let store = try DeviceStore(path: arguments[2])
        switch arguments[1] {
        case "write":
            try write(store, keys: Int(arguments[3]) ?? 1, size: Int(arguments[4]) ?? 0, acknowledging: arguments[5])
        case "increment": try increment(store, Int(arguments[3]) ?? 0)
        case "set":
            try store.set(.int(Int64(arguments[4]) ?? 0), for: StoreKey(arguments[3]))
            try store.close()
        default: exit(2)
        }
    }

    /// Writes numbers to `keys` keys in turn until it is killed, and each number that is kept to another file.
    private static func write(_ store: DeviceStore, keys: Int, size: Int, acknowledging path: String) throws {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        guard let file = FileHandle(forWritingAtPath: path) else { exit(2) }
        var number: Int64 = 0
        for key in 0..<keys {
            if case .array(let parts)? = try store.get("key\(key)"), case .int(let last)? = parts.first {
                number = max(number, last)
            }
        }
        let padding = StoredValue.data(Data(repeating: 7, count: size))
        while true {
            number += 1
            try store.set(.array([.int(number), padding]), for: "key\(number % Int64(keys))")
            try file.seek(toOffset: 0)
            try withUnsafeBytes(of: number.littleEndian) { try file.write(contentsOf: Data($0)) }
        }
    }

    private static func increment(_ store: DeviceStore, _ times: Int) throws {
        for _ in 0..<times {
            while true {
                let old = try store.get("counter")
                guard case .int(let number) = old ?? .int(0) else { exit(3) }
                if try store.compareAndSet("counter", expecting: old, to: .int(number + 1)) { break }
            }
        }
        try store.close()
    }
}
