#if Encryption
import Foundation
import LarderCore
import LarderStores
import LarderTestSupport
import Testing

@Suite struct EncryptedStorePagingTests {
    private let base = MemoryStore()

    private func store(hidesNames: Bool) throws -> EncryptedStore {
        try EncryptedStore(base, key: exampleKey, options: EncryptedStore.Options(hidesNames: hidesNames))
    }

    private static func keys(_ query: InspectionQuery, of store: some KeyValueStore) throws -> [String] {
        var (query, keys) = (query, [String]())
        repeat {
            let page = try store.inspectionPage(query)
            keys += page.records.map(\.key)
            query.after = page.next
        } while query.after != nil
        return keys
    }

    @Test(arguments: [false, true])
    func pagesWithoutReservedEntriesAgreeWithListing(hidesNames: Bool) throws {
        let store = try store(hidesNames: hidesNames)
        var batch = StoreBatch()
        // Reserved entries come first in the base.
        for number in 0..<40 { batch.set(1, for: StoreKey(reserved: "test.\(number)")) }
        for number in 0..<60 { batch.set(.int(Int64(number)), for: StoreKey("key.\(number)")) }
        _ = try store.commit(batch)
        let listed = try store.entries()
        var query = InspectionQuery(table: "entries", limit: 7)
        #expect(try store.inspectionPage(query).total == 60)
        #expect(try Self.keys(query, of: store) == listed.map(\.key))
        query.order = [.init("key", isAscending: false)]
        #expect(try Self.keys(query, of: store) == listed.reversed().map(\.key))
        query.text = "EY.59"
        #expect(try Self.keys(query, of: store) == ["key.59"])
        #expect(try store.entries(after: nil, limit: 60) == listed)
        try expectIntact(store)
    }

    @Test(arguments: [false, true])
    func pagesAreBoundedByBytesAndValuesAreCut(hidesNames: Bool) throws {
        let store = try store(hidesNames: hidesNames)
        for number in 0..<5 { try store.set(.string(String(repeating: "x", count: 1_000)), for: "\(number)") }
        var query = InspectionQuery(table: "entries")
        query.bytes = 2_500
        let page = try store.inspectionPage(query)
        #expect(page.records.count < 5 && page.records.count > 1 && page.next != nil)
        #expect(try Self.keys(query, of: store) == ["0", "1", "2", "3", "4"])
        query.longestValue = 3
        let records = try store.inspectionPage(query).records
        #expect(records.allSatisfy { $0.values[2] == "xxx" && $0.sizes == [2: 1_000] })
        try expectIntact(store)
    }

    @Test(arguments: [false, true])
    func verificationTellsProgressAndCanBeCanceled(hidesNames: Bool) throws {
        let store = try store(hidesNames: hidesNames)
        var batch = StoreBatch()
        for number in 0..<600 { batch.set(1, for: StoreKey("\(number)")) }
        _ = try store.commit(batch)
        let verify = try #require(store.inspectionActions.first { $0.name == "verify" })
        var seen: [Double] = []
        let facts = try store.perform(verify, writingTo: nil) { seen.append($0.fraction) }
        #expect(facts == [InspectionFact("checked entries", "600"), InspectionFact("problems", "0")])
        #expect(seen.count >= 4 && seen.last == 1 && seen == seen.sorted())
        #expect(throws: CancellationError.self) {
            try store.perform(verify, writingTo: nil) { if $0.fraction > 0.6 { throw CancellationError() } }
        }
        try expectIntact(store)
    }
}
#endif
