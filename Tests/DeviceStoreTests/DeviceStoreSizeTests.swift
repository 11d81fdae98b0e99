import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import LarderTestTraits
import Testing

/// Tests of the guaranteed file size on the real file system, with automatic compactions.
@Suite(.serialized) struct DeviceStoreSizeTests {
    /// The number of live entries and the number of writes.
    struct Load: CustomTestStringConvertible, Sendable {
        let keys: Int
        let valueSize: Int
        let writes: Int

        var testDescription: String { "\(writes) writes of \(valueSize) bytes to \(keys) keys" }

        static let all = [
            Load(keys: 10, valueSize: 8, writes: 10_000), Load(keys: 1_000, valueSize: 8, writes: 10_000),
            Load(keys: ProofVolume.of(5_000), valueSize: 100, writes: ProofVolume.of(8_000)),
            Load(keys: 20, valueSize: 40_000, writes: 300),
        ]

        func value(_ number: Int) -> StoredValue {
            valueSize == 8 ? .int(Int64(number)) : .data(Data(repeating: UInt8(number % 251), count: valueSize))
        }
    }

    /// A store and a second one with the same content, which is compacted before it is measured.
    private struct Pair {
        private let directory: TemporaryDirectory
        let store: DeviceStore
        private let twin: DeviceStore

        init(_ io: DeviceStoreOptions.IO) throws {
            directory = try TemporaryDirectory()
            store = try DeviceStore(path: directory.path("s.larder"), options: .with(io))
            var options = DeviceStoreOptions.with(.systemCalls)
            options.environment.isAutomatic = false
            twin = try DeviceStore(path: directory.path("twin.larder"), options: options)
        }

        func set(_ value: StoredValue?, _ key: Int) throws {
            let key = StoreKey("key\(key)")
            for store in [store, twin] {
                if let value { try store.set(value, for: key) } else { try store.remove(key) }
            }
        }

        /// Returns the number of bytes by which the file exceeds the guaranteed size.
        func excess() throws -> Int {
            let size = try size(store)
            try twin.compact()
            return max(0, size - (try self.size(twin) * 23 / 10 + 192 << 10))
        }

        private func size(_ store: DeviceStore) throws -> Int {
            try #require(try LocalFileSystem.local.information(at: store.path, followingLinks: false)).size
        }
    }

    @Test(.expectsIssues(.degraded), arguments: DeviceStoreOptions.IO.allCases, Load.all)
    func fileSizeStaysBoundedUnderEveryWorkload(io: DeviceStoreOptions.IO, load: Load) throws {
        let pair = try Pair(io)
        var excesses: [Int] = []
        for number in 1...load.writes {
            try pair.set(load.value(number), number % load.keys)
            if number % (load.writes / 10) == 0 { excesses.append(try pair.excess()) }
        }
        // Removes nearly everything without any further write.
        for key in 0..<load.keys - load.keys / 10 {
            try pair.set(nil, key)
            if key % (load.keys / 5) == 0 { excesses.append(try pair.excess()) }
        }
        for number in 1...2_000 {
            try pair.set(.int(Int64(number)), load.keys - 1)
            if number % 500 == 0 { excesses.append(try pair.excess()) }
        }
        #expect(excesses.allSatisfy { $0 == 0 })
        #expect(try pair.store.verify().isIntact)
    }
}
