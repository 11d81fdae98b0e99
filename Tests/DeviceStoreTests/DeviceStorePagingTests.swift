import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport
import LarderTesting
import Testing

@Suite struct DeviceStorePagingTests {
    private let time = ManualTimeSource()
    private let fixture = StoreFixture(SimulatedFileSystem(directories: ["/data"], isRecording: false))
    private var start: Date { Date(timeIntervalSinceReferenceDate: 0) }

    private func open() throws -> DeviceStore { try fixture.open { $0.environment.time = time } }

    private static func keys(_ query: InspectionQuery, of store: DeviceStore) throws -> [String] {
        var (query, keys) = (query, [String]())
        repeat {
            let page = try store.inspectionPage(query)
            keys += page.records.map(\.key)
            query.after = page.next
        } while query.after != nil
        return keys
    }

    @Test(arguments: ["", "long key of more than twenty-four bytes "])
    func pagesAgreeWithListingAfterRemovals(prefix: String) throws {
        let store = try open()
        var generator = SeededGenerator(seed: 7)
        for number in (0..<3_000).shuffled(using: &generator) {
            try store.set(.int(Int64(number)), for: "\(prefix)key.\(number)")
        }
        for number in 0..<3_000 where number % 3 == 0 { try store.remove("\(prefix)key.\(number)") }
        for number in 0..<300 { try store.set("new", for: "\(prefix)\(number)") }
        let listed = try store.entries()
        var paged: [StoreEntry] = []
        while true {
            let page = try store.entries(after: paged.last?.key, limit: 150)
            paged += page
            if page.count < 150 { break }
        }
        #expect(paged == listed)
        #expect(try store.count() == listed.count)
        #expect(try store.inspectionPage(InspectionQuery(table: "entries", limit: 1)).total == listed.count)
        #expect(try store.verify().problems == [])
    }

    @Test func expiredEntriesAreNotInPages() throws {
        let store = try open()
        time.setWallClock(to: start)
        try store.set("kept", for: "a")
        try store.set("session", for: "b", until: start + 10)
        let page = try store.inspectionPage(InspectionQuery(table: "entries"))
        #expect(page.records.map(\.expiry) == [nil, (start + 10).timeIntervalSince1970])
        #expect(try store.inspectionRecord("b", in: "entries")?.expiry == (start + 10).timeIntervalSince1970)
        time.setWallClock(to: start + 10)
        #expect(try store.inspectionPage(InspectionQuery(table: "entries")).records.map(\.key) == ["a"])
        #expect(try store.inspectionRecord("b", in: "entries") == nil)
        var query = InspectionQuery(table: "entries")
        query.text = "session"
        #expect(try Self.keys(query, of: store) == [])
        #expect(try store.entries(after: nil, limit: 5).map(\.key) == ["a"])
        #expect(try store.count() == 1)
        #expect(try store.verify().problems == [])
    }

    @Test func valuesInFileArePagedAndSearched() throws {
        let store = try open()
        for number in 0..<5 {
            let value = StoredValue.string(String(repeating: "x", count: 20_000) + "needle \(number)")
            try store.set(value, for: StoreKey("large.\(number)"))
        }
        try store.set("a NEEDLE 3 in memory", for: "small")
        #expect(try store.entries(after: "large.2", limit: 2) == Array(store.entries().dropFirst(3).prefix(2)))
        var query = InspectionQuery(table: "entries", limit: 2)
        query.text = "Needle 3"
        #expect(try Self.keys(query, of: store) == ["large.3", "small"])
        query.order = [.init("key", isAscending: false)]
        #expect(try Self.keys(query, of: store) == ["small", "large.3"])
        #expect(try store.verify().problems == [])
    }

    @Test func searchOfManyEntriesFindsEach() throws {
        let store = try open()
        var batch = StoreBatch()
        for number in 0..<40_000 { batch.set(.int(Int64(number)), for: StoreKey("key.\(number)")) }
        _ = try store.commit(batch)
        var query = InspectionQuery(table: "entries", limit: 3)
        query.text = "KEY.3999"
        #expect(try Self.keys(query, of: store) == ["key.3999"] + (39_990..<40_000).map { "key.\($0)" })
        #expect(try store.verify().problems == [])
    }

    @Test func damagedValueIsAProblemOfItsRecord() throws {
        let folder = try TemporaryDirectory()
        let store = try DeviceStore(path: folder.path("s.larder"))
        try store.set("good", for: "a")
        try store.set(.string(String(repeating: "y", count: 20_000)), for: "b")
        try store.set("good", for: "c")
        let content = try Data(contentsOf: folder.url("s.larder"))
        let place = try #require(content.firstRange(of: Data(repeating: UInt8(ascii: "y"), count: 100)))
        let file = try FileHandle(forUpdating: folder.url("s.larder"))
        try file.seek(toOffset: UInt64(place.lowerBound))
        try file.write(contentsOf: Data("z".utf8))
        try file.close()
        let page = try store.inspectionPage(InspectionQuery(table: "entries"))
        #expect(page.records.map(\.key) == ["a", "b", "c"])
        #expect(page.records.map { $0.problem == nil } == [true, false, true])
        #expect(throws: StoreError.self) { try store.entries(after: nil, limit: 3) }
    }

    @Test func pagesOfMostlyFreedEntriesAgreeWithListing() throws {
        let store = try open()
        for number in 0..<2_000 { try store.set("value", for: "key.\(number)") }
        for number in 0..<2_000 where number % 50 != 0 { try store.remove("key.\(number)") }
        let listed = try store.entries()
        #expect(listed.count == 40)
        #expect(try store.entries(after: nil, limit: 15) == Array(listed.prefix(15)))
        var query = InspectionQuery(table: "entries", limit: 7)
        #expect(try Self.keys(query, of: store) == listed.map(\.key))
        query.text = "VALUE"
        #expect(try Self.keys(query, of: store) == listed.map(\.key))
        #expect(try store.verify().problems == [])
    }

    @Test func veryLargePageIsSortedAndComplete() throws {
        let store = try open()
        for number in 0..<300 { try store.set(1, for: "key.\(number)") }
        let listed = try store.entries()
        #expect(try store.entries(after: nil, limit: 1 << 20) == listed)
        #expect(try store.entries(after: listed[99].key, limit: .max) == Array(listed.dropFirst(100)))
        #expect(try store.verify().problems == [])
    }

    @Test func pageOfLargeValuesEndsWithItsBytes() throws {
        let store = try open()
        for number in 0..<6 {
            try store.set(.data(Data(repeating: 1, count: 50_000)), for: StoreKey("\(number)"))
        }
        var query = InspectionQuery(table: "entries")
        query.bytes = 120_000
        let page = try store.inspectionPage(query)
        #expect(page.records.map(\.key) == ["0", "1", "2"] && page.total == 6)
        #expect(try Self.keys(query, of: store) == ["0", "1", "2", "3", "4", "5"])
        // The pages of programs are full.
        #expect(try store.entries(after: nil, limit: 6).count == 6)
        #expect(try store.verify().problems == [])
    }

    @Test func onlyBeginningsOfLargeValuesAreRead() throws {
        let folder = try TemporaryDirectory()
        let store = try DeviceStore(path: folder.path("s.larder"))
        try store.set(.data(Data(repeating: 1, count: 20_000)), for: "a")
        try store.set(.string(String(repeating: "\u{E9}", count: 10_000)), for: "b")
        try store.set(.url("https://" + String(repeating: "u", count: 20_000)), for: "c")
        try store.set(.array([.string(String(repeating: "y", count: 20_000))]), for: "d")
        var query = InspectionQuery(table: "entries")
        query.longestValue = 9
        let page = try store.inspectionPage(query)
        #expect(page.records.map(\.sizes) == [[2: 20_000], [2: 20_000], [2: 20_008], [:]])
        #expect(
            page.records.prefix(3).map { $0.values[2] } == [
                .data(Data(repeating: 1, count: 9)), "\u{E9}\u{E9}\u{E9}\u{E9}", .url("https://u"),
            ]
        )
        // Damage far behind the beginning shows that the whole value is not read.
        let content = try Data(contentsOf: folder.url("s.larder"))
        let place = try #require(content.firstRange(of: Data(repeating: 1, count: 20_000)))
        let file = try FileHandle(forUpdating: folder.url("s.larder"))
        try file.seek(toOffset: UInt64(place.upperBound - 10))
        try file.write(contentsOf: Data("z".utf8))
        try file.close()
        #expect(try store.inspectionPage(query).records[0] == page.records[0])
        #expect(try store.inspectionRecord("a", in: "entries")?.problem != nil)
    }
}
