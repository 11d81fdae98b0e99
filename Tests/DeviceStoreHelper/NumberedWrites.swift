import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderStores
import LarderTestSupport

/// Numbers written to some keys in turn, so that what is there tells which writes are.
struct NumberedWrites {
    private let store: any KeyValueStore
    private let io: DeviceStoreOptions.IO
    private let path: String
    private let keys: Int64
    private let sizes: ClosedRange<Int>
    /// Happens after each write that was acknowledged.
    private let afterWriting: () throws -> Void
    /// Whether whoever came before was killed while it changed keys.
    private let wasChangingKeys: Bool

    /// The arguments: how many keys, the least and the greatest size of a value, "plain" or "encrypted".
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
        guard value == self.value(number) else { throw Wrong("key\(key) does not hold what was written as \(number)") }
        return number
    }

    private func last() throws -> Int64 { try (0..<keys).compactMap { try number($0) }.max() ?? 0 }

    /// Checks what the one before it left, then writes until it is killed; states in shared memory what it found and whether it
    /// writes through a map, then each number that was kept.
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

    /// The last number written and how often the file was compacted, after a check of everything.
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
