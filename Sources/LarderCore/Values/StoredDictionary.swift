/// Stored values under text keys that compare, hash and sort by their UTF-8 bytes.
///
/// Swift's `[String: StoredValue]` would merge a composed and a decomposed "é"; this keeps both. Entries are kept sorted by
/// key, so equal dictionaries iterate and encode alike.
///
/// - Complexity: reading by key is O(log *n*); setting one key is O(*n*); building from *n* pairs is O(*n* log *n*).
public struct StoredDictionary: Sendable {
    /// One key and its value.
    public struct Entry: Sendable, Hashable {
        /// The key; any text, the empty one included.
        public let key: String
        /// The value, `.null` included.
        public var value: StoredValue

        /// Compares keys by bytes and values by ``StoredValue`` identity.
        public static func == (left: Entry, right: Entry) -> Bool {
            left.key.hasSameBytes(as: right.key) && left.value == right.value
        }

        /// Hashes what `==` compares.
        public func hash(into hasher: inout Hasher) {
            key.hashBytes(into: &hasher)
            hasher.combine(value)
        }
    }

    /// Sorted by key bytes, no key twice.
    private var entries: [Entry]

    /// An empty dictionary.
    public init() { entries = [] }

    /// A dictionary of the given pairs.
    ///
    /// - Parameter pairs: In any order; of two pairs whose keys have the same bytes the later one counts.
    public init(_ pairs: some Sequence<(String, StoredValue)>) {
        var sorted = pairs.enumerated().map { (order: $0.offset, entry: Entry(key: $0.element.0, value: $0.element.1)) }
        sorted.sort { left, right in
            left.entry.key.hasSameBytes(as: right.entry.key)
                ? left.order < right.order
                : left.entry.key.precedesByBytes(right.entry.key)
        }
        entries = []
        entries.reserveCapacity(sorted.count)
        for (_, entry) in sorted {
            if let last = entries.last, last.key.hasSameBytes(as: entry.key) { entries.removeLast() }
            entries.append(entry)
        }
    }

    /// A dictionary of entries that are already sorted by key bytes, no key twice.
    init(ascending entries: [Entry]) { self.entries = entries }

    /// A dictionary of a Swift dictionary's entries.
    ///
    /// - Parameter dictionary: Its keys are already distinct.
    public init(_ dictionary: [String: StoredValue]) { self.init(dictionary.lazy.map { ($0.key, $0.value) }) }

    /// The value under `key`, or `nil` when there is none.
    ///
    /// Setting `nil` removes the entry; setting `.null` keeps a null.
    public subscript(key: String) -> StoredValue? {
        get {
            let index = position(of: key)
            // Not `? :`, where `nil` would become `.null`.
            guard holds(key, at: index) else { return nil }
            return entries[index].value
        }
        set {
            let index = position(of: key)
            switch (holds(key, at: index), newValue) {
            case (true, let value?): entries[index].value = value
            case (true, nil): entries.remove(at: index)
            case (false, let value?): entries.insert(Entry(key: key, value: value), at: index)
            case (false, nil): break
            }
        }
    }

    /// The first index whose key does not precede `key`.
    private func position(of key: String) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].key.precedesByBytes(key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func holds(_ key: String, at index: Int) -> Bool {
        index < entries.count && entries[index].key.hasSameBytes(as: key)
    }
}

extension StoredDictionary: RandomAccessCollection {
    /// Zero.
    public var startIndex: Int { entries.startIndex }
    /// The number of entries.
    public var endIndex: Int { entries.endIndex }
    /// The entry at a position in key order.
    public subscript(position: Int) -> Entry { entries[position] }
}

extension StoredDictionary: Hashable {}

extension StoredDictionary: ExpressibleByDictionaryLiteral {
    /// Of two entries under the same bytes the later one counts.
    public init(dictionaryLiteral elements: (String, StoredValue)...) { self.init(elements.lazy.map { ($0.0, $0.1) }) }
}
