import LarderCore

extension [String] {
    /// Returns the indices of this array, sorted by the UTF-8 bytes of the strings.
    ///
    /// Skips common prefixes and compares eight bytes at a time, which suits keys that consist of a prefix and a number.
    ///
    /// - Returns: The sorted indices.
    /// - Complexity: O(*n* log *n*) comparisons of eight-byte words, and more if strings differ only near their ends.
    func orderByBytes() -> [Int] {
        var sorting = ByteSorting(
            keys: map { key in
                var key = key
                key.makeContiguousUTF8()
                return key
            }
        )
        sorting.sort()
        return sorting.items.map(\.index)
    }
}

/// The state of a sort that orders key indices by the UTF-8 bytes of the keys.
private struct ByteSorting {
    struct Item {
        /// The eight bytes of the key at the current offset, as a big-endian number padded with zeros.
        var word: UInt64
        let index: Int
    }

    let keys: [String]
    private(set) var items: [Item]

    init(keys: [String]) {
        self.keys = keys
        items = keys.indices.map { Item(word: 0, index: $0) }
    }

    mutating func sort() {
        // The ranges that are still to be sorted. The keys in a range are equal up to its offset.
        var runs = [(range: items.indices, offset: 0)]
        while let (range, start) = runs.popLast() {
            let offset = start + commonLength(of: range, from: start)
            let areAllLonger = loadWords(of: range, at: offset)
            items[range].sort { $0.word < $1.word }
            var first = range.lowerBound
            while first < range.upperBound {
                var end = first + 1
                while end < range.upperBound, items[end].word == items[first].word { end += 1 }
                // If a key ends within these words, keys with equal words can still differ in length, because words are padded with zeros.
                if end - first > 16, areAllLonger {
                    runs.append((first..<end, offset + 8))
                } else if end - first > 1 {
                    items[first..<end].sort { [keys] in keys[$0.index].precedesByBytes(keys[$1.index]) }
                }
                first = end
            }
        }
    }

    /// Loads the eight bytes at an offset of each key in a range.
    ///
    /// Returns `false` if any key ends within or directly after these bytes.
    private mutating func loadWords(of range: Range<Int>, at offset: Int) -> Bool {
        var areAllLonger = true
        for index in range {
            let key = keys[items[index].index].utf8
            var word: UInt64 = 0
            key.withContiguousStorageIfAvailable { bytes in
                if offset + 8 <= bytes.count {
                    let loaded = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    word = UInt64(bigEndian: loaded)
                } else {
                    for position in offset..<offset + 8 {
                        word = word << 8 | (position < bytes.count ? UInt64(bytes[position]) : 0)
                    }
                }
            }
            items[index].word = word
            if key.count <= offset + 8 { areAllLonger = false }
        }
        return areAllLonger
    }

    /// Returns the length in bytes of the prefix that all keys in a range share, starting at an offset.
    private func commonLength(of range: Range<Int>, from offset: Int) -> Int {
        guard let first = range.first else { return 0 }
        let key = keys[items[first].index]
        var length = key.utf8.count - offset
        for index in range.dropFirst() where length > 0 {
            length = key.commonLength(with: keys[items[index].index], from: offset, limit: length)
        }
        return length
    }
}

extension String {
    /// Returns the length in bytes, at most `limit`, of the prefix that this string and `other` share, starting at `offset`.
    fileprivate func commonLength(with other: String, from offset: Int, limit: Int) -> Int {
        let length = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { other in
                let end = Swift.min(offset + limit, own.count, other.count)
                var position = offset
                while position < end, own[position] == other[position] { position += 1 }
                return position - offset
            }
        }
        return (length ?? nil) ?? 0
    }
}
