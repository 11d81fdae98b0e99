import Foundation
import LarderCore
import LarderTestSupport
import Testing

@Suite struct EntryInspectionTests {
    private static func store(_ count: Int = 25) throws -> TestStore {
        let store = TestStore()
        var batch = StoreBatch()
        for number in 0..<count { batch.set(.int(Int64(number)), for: StoreKey("key.\(number + 100)")) }
        _ = try store.commit(batch)
        return store
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

    @Test func storeHasOneTableOfEntries() throws {
        let tables = try Self.store().inspectionTables()
        #expect(tables.map(\.name) == ["entries"])
        #expect(tables.first?.count == 25)
        #expect(tables.first?.columns.map(\.name) == ["key", "type", "value"])
        #expect(tables.first?.columns.map(\.isSortable) == [true, false, false])
    }

    @Test func pageHasValues() throws {
        let page = try Self.store().inspectionPage(InspectionQuery(table: "entries", limit: 2))
        #expect(page.records.map(\.values) == [["key.100", "int", 0], ["key.101", "int", 1]])
        // Only a store that counts without listing tells the total.
        #expect(page.total == nil && page.next != nil)
    }

    @Test func pagesContinueWhileEntriesAreAddedAndRemoved() throws {
        let store = try Self.store()
        var query = InspectionQuery(table: "entries", limit: 10)
        let first = try store.inspectionPage(query)
        for key in ["key.109", "key.110"] { try store.remove(key) }
        try store.set(1, for: "key.1095")
        try store.set(1, for: "a")
        query.after = first.next
        #expect(try store.inspectionPage(query).records.first?.key == "key.1095")
        #expect(try store.verify().problems == [])
    }

    @Test func emptyKeyIsPlaceOfNextPage() throws {
        let store = TestStore()
        for key in ["", "a"] { try store.set(1, for: key) }
        #expect(try Self.keys(InspectionQuery(table: "entries", limit: 1), of: store) == ["", "a"])
    }

    @Test func placeOfOtherOrderIsRefused() throws {
        let store = try Self.store()
        var query = InspectionQuery(table: "entries", limit: 10)
        query.after = try store.inspectionPage(query).next
        query.order = [.init("key", isAscending: false)]
        #expect(throws: InspectionQueryError.self) { try store.inspectionPage(query) }
    }

    @Test func searchFindsKeysAndValues() throws {
        let store = try Self.store()
        var query = InspectionQuery(table: "entries", limit: 2)
        query.text = "KEY.12"
        #expect(try Self.keys(query, of: store) == ["key.120", "key.121", "key.122", "key.123", "key.124"])
        query.text = "24"
        #expect(try Self.keys(query, of: store) == ["key.124"])
    }

    @Test func impatientSearchContinuesWhereItEnded() throws {
        let store = try Self.store(3_000)
        var query = InspectionQuery(table: "entries", limit: 2)
        query.text = "2999"
        query.patience = .zero
        let first = try store.inspectionPage(query)
        #expect(first.records.isEmpty && first.next != nil)
        #expect(try Self.keys(query, of: store) == ["key.2999", "key.3099"])
    }

    @Test func filterIsRefusedWithExplanation() throws {
        var query = InspectionQuery(table: "entries")
        query.filter = "a == 1"
        let error = #expect(throws: InspectionQueryError.self) { try Self.store().inspectionPage(query) }
        #expect(error?.place == 0..<6 && error?.message.contains("prefix") == true)
    }

    @Test(arguments: ["type", "value"])
    func orderByOtherColumnIsRefused(column: String) throws {
        var query = InspectionQuery(table: "entries")
        query.order = [.init(column)]
        #expect(throws: InspectionQueryError.self) { try Self.store().inspectionPage(query) }
    }

    @Test func otherTableAndRelationAreRefused() throws {
        #expect(throws: InspectionQueryError.self) { try Self.store().inspectionPage(InspectionQuery(table: "rows")) }
        var query = InspectionQuery(table: "entries")
        query.relation = .init(of: "1", in: "entries", "customer")
        #expect(throws: InspectionQueryError.self) { try Self.store().inspectionPage(query) }
    }

    @Test func recordIsFoundByExactKey() throws {
        let store = try Self.store()
        #expect(try store.inspectionRecord("key.101", in: "entries")?.values == ["key.101", "int", 1])
        #expect(try store.inspectionRecord("key.10", in: "entries") == nil)
        #expect(try store.inspectionRecord("key.101", in: "other") == nil)
    }

    @Test func verifyActionTellsProblems() throws {
        let store = try Self.store()
        #expect(store.inspectionActions.map(\.name) == ["verify"])
        var progress: [Double] = []
        let facts = try store.perform(store.inspectionActions[0], writingTo: nil) { progress.append($0.fraction) }
        #expect(facts == [InspectionFact("checked entries", "25"), InspectionFact("problems", "0")])
        #expect(progress.last == 1)
    }

    @Test func thrownProgressCancelsAction() throws {
        let store = try Self.store()
        #expect(throws: CancellationError.self) {
            try store.perform(store.inspectionActions[0], writingTo: nil) { _ in throw CancellationError() }
        }
    }

    @Test func tableIsFoundByNameWithoutCount() throws {
        let store = try Self.store()
        let table = try #require(store.inspectionTable(named: "entries"))
        #expect(table.count == nil && table.columns.map(\.name) == ["key", "type", "value"])
        #expect(store.inspectionTable(named: "others") == nil)
    }

    @Test(arguments: ["", "x"])
    func pageEndsWithItsBytes(text: String) throws {
        let store = TestStore()
        for number in 0..<6 { try store.set(.string(String(repeating: "x", count: 1_000)), for: StoreKey("\(number)")) }
        var query = InspectionQuery(table: "entries")
        query.text = text
        query.bytes = 2_500
        let page = try store.inspectionPage(query)
        #expect(page.records.map(\.key) == ["0", "1", "2"] && page.next != nil)
        #expect(try Self.keys(query, of: store) == ["0", "1", "2", "3", "4", "5"])
        // A value that is larger than the page is still in it.
        query.bytes = 1
        #expect(try Self.keys(query, of: store) == ["0", "1", "2", "3", "4", "5"])
        query.longestValue = 10
        query.bytes = 2_500
        #expect(try store.inspectionPage(query).records.count == 6)
    }

    @Test(arguments: ["", "k"])
    func longValuesAreCutAndTellTheirSize(text: String) throws {
        let store = TestStore()
        try store.set("a\u{E9}\u{E9}", for: "k.accents")
        try store.set(["long element"], for: "k.array")
        try store.set(.data(Data(repeating: 7, count: 9)), for: "k.data")
        try store.set("abcd", for: "k.exact")
        try store.set(.url("https://a.example"), for: "k.url")
        var query = InspectionQuery(table: "entries")
        query.text = text
        query.longestValue = 4
        let records = try store.inspectionPage(query).records
        #expect(
            records.map { $0.values[2] } == [
                "a\u{E9}", ["long element"], .data(Data(repeating: 7, count: 4)), "abcd", .url("http"),
            ]
        )
        #expect(records.map(\.sizes) == [[2: 5], [:], [2: 9], [:], [2: 17]])
        query.longestValue = nil
        #expect(try store.inspectionPage(query).records.allSatisfy { $0.sizes == [:] })
    }

    @Test func longTextIsRefused() throws {
        var query = InspectionQuery(table: "entries")
        query.text = String(repeating: "a", count: 1_001)
        #expect(throws: InspectionQueryError.self) { try Self.store().inspectionPage(query) }
    }

    @Test func storeThatReadsItsOwnPagesIsNotListed() throws {
        let store = StoreWithPages(base: try Self.store())
        #expect(try Self.keys(InspectionQuery(table: "entries", limit: 10), of: store).count == 25)
        #expect(try store.inspectionRecord("key.101", in: "entries")?.values.last == 1)
        var query = InspectionQuery(table: "entries", limit: 2)
        query.text = "24"
        #expect(try Self.keys(query, of: store) == ["key.124"])
        #expect(try store.entries(after: "key.101", limit: 1).map(\.key) == ["key.102"])
        #expect(store.listings.all == [])
    }
}

/// A store of a program, which reads its pages itself and should not be listed for each.
private struct StoreWithPages: ForwardingStore {
    let base: any KeyValueStore
    let listings = Recorder<String>()

    func entries(prefix: String) throws -> [StoreEntry] {
        listings.append(prefix)
        return try base.entries(prefix: prefix)
    }

    func entries(after key: String?, prefix: String, limit: Int) throws -> [StoreEntry] {
        try base.entries(after: key, prefix: prefix, limit: limit)
    }
}
