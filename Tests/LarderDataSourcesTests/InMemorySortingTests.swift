import LarderDataSources
import LarderTesting
import Testing

/// Tests that an in-memory data source lists its values in the order of their keys' bytes.
struct InMemorySortingTests {
    private func sorted(_ keys: some Sequence<String>) throws -> [String] {
        let source = InMemoryDataSource<Int>()
        for key in keys { source.put(0, forId: key) }
        return try source.entries().get().map(\.key)
    }

    private func expectSorted(_ keys: [String], _ location: SourceLocation = #_sourceLocation) throws {
        let distinct = Set(keys.map { Array($0.utf8) })
        let expected = distinct.sorted { $0.lexicographicallyPrecedes($1) }
        #expect(try sorted(keys).map { Array($0.utf8) } == expected, sourceLocation: location)
    }

    @Test func keysWithCommonPrefixesAreSortedBytewise() throws {
        try expectSorted([])
        try expectSorted(["", "a", "ab", "ab\u{0}", "ab\u{0}c", "e\u{301}", "\u{e9}", "\u{1F600}", "A", "a\u{0}"])
        try expectSorted((0..<300).map { "item-\($0)" } + ["item-", "item"])
        // Keys with long common prefixes, and keys that are prefixes of others.
        try expectSorted((0..<200).map { "a long common beginning \($0 % 7) and a long middle part \($0)" })
        try expectSorted((0..<100).map { String(repeating: "x", count: $0) })
        try expectSorted((0..<100).map { String(repeating: "\u{0}", count: $0) })
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func randomKeysAreSortedBytewise(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let letters = ["\u{0}", "a", "b", "\u{e9}"]
        let keys = (0..<400).map { _ in
            (0..<Int.random(in: 0..<24, using: &random)).map { _ in letters.randomElement(using: &random) ?? "" }
                .joined()
        }
        try expectSorted(keys)
        try expectSorted(keys.map { "one beginning for all of them: " + $0 })
    }
}
