import LarderTestSupport
import Testing

@testable import LarderDeviceStore

@Suite struct ProbeTableTests {
    /// Uses keys with many equal hashes, also around the end of the table.
    @Test(arguments: [1, 3, 1_000]) func probeTableAgreesWithDictionary(differentHashes: UInt64) {
        let size = ProbeTable.size(for: 64)
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: size) { slots in
            slots.initialize(repeating: 0)
            guard let start = slots.baseAddress else { return }
            let table = ProbeTable(IndexWords(start), mask: size - 1)
            var generator = SplitMix64(seed: 7)
            var model: Set<Int> = []
            func hash(_ number: Int) -> UInt64 { UInt64(size - 2) + UInt64(number) % differentHashes }
            for _ in 0..<20_000 {
                let number = Int.random(in: 0..<200, using: &generator)
                let found = table.search(hash(number)) { $0 == number }
                #expect((found.number != nil) == model.contains(number))
                #expect((table.first(hash(number)) { $0 == number ? true : nil } != nil) == model.contains(number))
                if found.number != nil {
                    table.remove(at: found.place)
                    model.remove(number)
                } else if model.count < 64 {
                    table.set(number, hashed: hash(number), at: found.place)
                    model.insert(number)
                }
            }
            var all: Set<Int> = []
            table.forEach { number, half in
                all.insert(number)
                #expect(half == hash(number))
            }
            #expect(all == model)
        }
    }

    @Test func searchTerminatesInFullProbeTable() {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 16) { slots in
            slots.initialize(repeating: 5 << 32 | 1)
            guard let start = slots.baseAddress else { return }
            let table = ProbeTable(IndexWords(start), mask: 15)
            #expect(table.first(5) { _ -> Bool? in nil } == nil)
            #expect(table.first(6) { _ -> Bool? in true } == nil)
        }
    }
}
