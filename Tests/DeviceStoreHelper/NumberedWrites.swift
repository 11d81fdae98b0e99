import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderStores
import LarderTestSupport

/// A writer that stores consecutive numbers under several keys in turn, so that the stored numbers show which writes survived.
struct NumberedWrites {
    private let store: any KeyValueStore
    private let io: DeviceStoreOptions.IO
    private let path: String
    private let keys: Int64
    private let sizes: ClosedRange<Int>
    /// A closure that runs after each acknowledged write.
    private let afterWriting: () throws -> Void
    /// Whether the previous process was killed while it changed the encryption keys.
    private let wasChangingKeys: Bool

    /// Creates a writer from arguments, which are the number of keys, the minimum and maximum size of a value, and "plain" or "encrypted".
    init(_ path: String, _ options: DeviceStoreOptions, _ arguments: [String]) throws {
        guard arguments.count >= 4, let keys = Int64(arguments[0]), let least = Int(arguments[1]),
            let most = Int(arguments[2])
        else { throw Wrong("KEYS LEAST MOST plain|encrypted") }
        self.keys = keys
        self.path = path
        sizes = least...most
        let base = try DeviceStore(path: path, options: options)
        io = base.io
        if arguments[3] == "encrypted" {
            #if Encryption
            let changing = try ChangingKeys(base)
            store = changing.store
            wasChangingKeys = try changing.store.isRotationPending
            afterWriting = changing.change
            #else
            throw Wrong("It was built without the trait Encryption.")
            #endif
        } else {
            store = base
            wasChangingKeys = false
            afterWriting = {}
        }
    }

    private func key(_ number: Int64) -> StoreKey { StoreKey("key\(number % keys)") }

    private func value(_ number: Int64) -> StoredValue {
        let size = sizes.lowerBound + Int(number &* 7919) % (sizes.count)
        return .array([.int(number), .data(Data((0..<size).map { UInt8(truncatingIfNeeded: Int64($0) &+ number) }))])
    }

    private func number(_ key: Int64) throws -> Int64? {
        guard let value = try store.get(self.key(key)) else { return nil }
        guard case .array(let parts) = value, case .int(let number)? = parts.first else {
            throw Wrong("key\(key) holds \(value)")
        }
        guard value == self.value(number) else { throw Wrong("key\(key) does not hold the value written as \(number)") }
        return number
    }

    private func last() throws -> Int64 { try (0..<keys).compactMap { try number($0) }.max() ?? 0 }

    /// Checks the writes of the previous process, and then writes until this process is killed.
    ///
    /// Stores in shared memory what the check found, whether the store is memory-mapped, and then each acknowledged number.
    func write(acknowledging path: String) throws -> Never {
        let acknowledged = try SharedNumber(at: path)
        let found = try check()
        try SharedNumber(at: path + ".found").value = found.last
        try SharedNumber(at: path + ".mapped").value = io == .mapped ? 1 : 0
        try SharedNumber(at: path + ".compactions").value = found.compactions
        if wasChangingKeys { try SharedNumber(at: path + ".rotationsCut").value += 1 }
        var number = found.last
        while true {
            number += 1
            try store.set(value(number), for: key(number))
            acknowledged.value = number
            try afterWriting()
        }
    }

    /// Checks all values in the store, and returns the last number written and the number of compactions.
    func check() throws -> (last: Int64, compactions: Int64) {
        let last = try last()
        for key in 0..<keys {
            let expected = last - ((last - key) % keys + keys) % keys
            guard try number(key) ?? 0 == max(0, expected) || expected <= 0 else {
                throw Wrong("key\(key) holds \(try number(key) ?? 0) although \(last) was written")
            }
        }
        let problems = try store.verify().problems
        guard problems.isEmpty else { throw Wrong("Not intact: \(problems)") }
        let header = try LocalFileSystem.local.open(path, .reading).read(at: 40, count: 8)
        return (last, Int64(header.reversed().reduce(0) { $0 << 8 | Int($1) }) - 1)
    }
}
