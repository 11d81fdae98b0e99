import Foundation
import LarderCore
import LarderDeviceStore

extension Area {
    /// Measures values of 40 KB, which a store does not keep in memory, compared with the system calls and the checksum for the same bytes.
    static var deviceStoreLargeValues: Area {
        Area(
            name: "device-store-large-values",
            rows: [
                reading("Data", data) {
                    try $0.get($1)
                } from: {
                    $0
                },
                reading("String", text) {
                    try $0.value(String.self, for: $1)
                } from: {
                    String.unconverted($0)
                },
                reading("array of Ints", integers) {
                    try $0.value([Int].self, for: $1)
                } from: {
                    [Int].unconverted($0)
                },
                reading("Codable value", codable) {
                    try $0.value([LargeRecord].self, for: $1)
                } from: {
                    guard case .data(let json) = $0 else { return nil }
                    return try JSONDecoder().decode([LargeRecord].self, from: json)
                },
                writing("Data", data), writing("String", text), writing("array of Ints", integers, isEncoded: false),
            ]
        )
    }

    private static let keys = Keys(64)
    private static let repeats = 2

    private static func reading<Value>(
        _ kind: String,
        _ make: (Int) throws -> StoredValue,
        _ get: @escaping (DeviceStore, String) throws -> Value?,
        from decode: @escaping (StoredValue) throws -> Value?
    ) -> Row {
        let values = Result { try (0..<keys.all.count).map(make) }
        return .timed("get one \(kind) of 40 KB, \(keys.all.count) keys", rounds: 11) { folder in
            let values = try values.get()
            let order = keys.all.indices.map { Int(keys.shuffled[$0].suffix(12)) ?? 0 }
            let file = try ValueFile(folder + "/raw", values.map { try $0.encoded() })
            let count = order.count * repeats
            var contenders = [
                Contender("pread, CRC-32C and decoding", operations: count) { _ in
                    for _ in 0..<repeats {
                        for index in order { keep(try file.read(index) { try decode(StoredValue(decoding: $0)) }) }
                    }
                }
            ]
            for io in DeviceStoreOptions.IO.allCases {
                let store = try DeviceStore(path: "\(folder)/\(io).larder", options: options(io))
                for (key, value) in zip(keys.all, values) { try store.set(value, for: key) }
                try store.compact()
                contenders.append(
                    Contender("DeviceStore, \(io)", operations: count, goal: .timesFirst(1.2)) { _ in
                        for _ in 0..<repeats { for key in keys.shuffled { keep(try get(store, key)) } }
                    }
                )
            }
            return contenders
        }
    }

    private static func writing(
        _ kind: String,
        _ make: (Int) throws -> StoredValue,
        isEncoded: Bool = true
    ) -> Row {
        let values = Result { try (0..<2 * keys.all.count).map(make) }
        return .timed("put one \(kind) of 40 KB, buffered, \(keys.all.count) keys", rounds: 11) { folder in
            // Rounds alternate between two sets of values.
            let both = try [values.get().prefix(keys.all.count), values.get().suffix(keys.all.count)].map(Array.init)
            let encoded = try both.map { try $0.map { try $0.encoded() } }
            let room = encoded[0].reduce(0) { $0 + $1.count }
            let first = isEncoded ? "CRC-32C and pwrite" : "encoding, CRC-32C and pwrite"
            func write(_ file: ValueFile, _ round: Int) throws {
                for index in keys.all.indices {
                    try file.write(isEncoded ? encoded[round % 2][index] : both[round % 2][index].encoded(), index)
                }
            }
            let reserved = try ValueFile(folder + "/reserved", encoded[0])
            let written = try ValueFile(folder + "/written", encoded[0])
            var contenders = [
                Contender(
                    first + " to reserved space",
                    operations: keys.all.count,
                    prepare: { try reserved.reserve(room) }
                ) { try write(reserved, $0) },
                Contender(
                    first + " to space that was written before",
                    operations: keys.all.count,
                    prepare: { written.rewind() }
                ) { try write(written, $0) },
            ]
            for io in DeviceStoreOptions.IO.allCases {
                let store = try DeviceStore(path: "\(folder)/\(io).larder", options: options(io))
                let busy = try DeviceStore(path: "\(folder)/busy-\(io).larder", options: options(io))
                for (key, value) in zip(keys.all, both[0]) {
                    try store.set(value, for: key)
                    try busy.set(value, for: key)
                }
                contenders += [
                    Contender(
                        "DeviceStore, \(io)",
                        operations: keys.all.count,
                        goal: .timesFirst(1.5),
                        prepare: { try store.compact() }
                    ) { round in
                        for (key, value) in zip(keys.all, both[round % 2]) { try store.set(value, for: key) }
                    },
                    Contender("DeviceStore, \(io), without pauses", operations: 4 * keys.all.count) { round in
                        for time in 0..<4 {
                            for (key, value) in zip(keys.all, both[time % 2]) { try busy.set(value, for: key) }
                        }
                    },
                ]
            }
            return contenders
        }
    }

    private static let size = 40_000

    private static func data(_ number: Int) -> StoredValue {
        var generator = SeededGenerator(state: UInt64(number))
        return .data(Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) }))
    }

    private static func text(_ number: Int) -> StoredValue {
        var generator = SeededGenerator(state: UInt64(number))
        let bytes = (0..<size).map { _ in UInt8.random(in: 32...126, using: &generator) }
        return .string(String(decoding: bytes, as: UTF8.self))
    }

    private static func integers(_ number: Int) -> StoredValue {
        var generator = SeededGenerator(state: UInt64(number))
        // Each number takes four bytes in its encoded form.
        return (0..<size / 4).map { _ in Int.random(in: 10_000...1_000_000, using: &generator) }.storedValue
    }

    private static func codable(_ number: Int) throws -> StoredValue {
        let records = (0..<850).map {
            LargeRecord(number: number * 1_000 + $0, name: "record \($0)", price: Double($0) / 4)
        }
        return .data(try JSONEncoder().encode(records))
    }
}

/// An element of a large `Codable` value.
private struct LargeRecord: Codable {
    var number: Int
    var name: String
    var price: Double
}
