import LarderCore
import Testing

@Suite struct EntrySelectionTests {
    private static let parts = [
        "", "a", "b", "\u{0}", "\u{E9}", "e\u{301}", "longerThanEightBytes", "longerThanEightBytez", "\u{10FFFF}",
    ]
    private static let keys = Set(
        parts.flatMap { first in parts.flatMap { second in parts.map { first + second + $0 } } }.map { Array($0.utf8) }
    ).map { String(decoding: $0, as: UTF8.self) }

    private static func selection(_ request: EntryPageRequest) -> (keys: [String], isLast: Bool) {
        var selection = EntrySelection<Int>(request)
        for var key in keys.shuffled() {
            key.withUTF8 { bytes in
                let bytes = UnsafeRawBufferPointer(bytes)
                if selection.hasPrefix(bytes), selection.admits(bytes) { selection.take(bytes, 0) }
            }
        }
        let (entries, isLast) = selection.finish()
        return (entries.map(\.key), isLast)
    }

    @Test(arguments: ["", "a", "longerThanEight", "longerThanEightBytesb", "\u{0}", "none"], [true, false])
    func selectionAgreesWithSortedListing(prefix: String, isAscending: Bool) {
        let sorted = Self.keys.filter { $0.utf8.starts(with: prefix.utf8) }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) == isAscending }
        for limit in [0, 1, 5, 100, Int.max] {
            for after in [nil, "", "a", "b\u{0}", "longerThanEightBytesa", "\u{10FFFF}\u{10FFFF}\u{10FFFF}"]
                as [String?]
            {
                let rest = sorted.filter { key in
                    guard let after else { return true }
                    return isAscending
                        ? after.utf8.lexicographicallyPrecedes(key.utf8)
                        : key.utf8.lexicographicallyPrecedes(after.utf8)
                }
                let request = EntryPageRequest(prefix: prefix, after: after, isAscending: isAscending, limit: limit)
                let (found, isLast) = Self.selection(request)
                #expect(found.map { Array($0.utf8) } == rest.prefix(limit).map { Array($0.utf8) })
                if limit > 0 { #expect(isLast == (rest.count <= limit)) }
            }
        }
    }
}
