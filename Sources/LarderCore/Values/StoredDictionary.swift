/// A dictionary of stored values whose string keys compare, hash and sort by their UTF-8 bytes.
///
/// Swift's `[String: StoredValue]` treats a composed and a decomposed "é" as the same key, whereas this type distinguishes them. Entries
/// are sorted by key, so equal dictionaries iterate and encode identically.
///
/// - Complexity: Reading a value is O(log *n*), setting a value is O(*n*), and creating a dictionary from *n* pairs is O(*n* log *n*).
public struct StoredDictionary: Sendable {
    /// A key-value pair in a stored dictionary.
    public struct Entry: Sendable, Hashable {
        /// The key, which may be any string, including an empty one.
        public let key: String
        /// The value, which may be `.null`.
        public var value: StoredValue

        /// Returns whether two entries have bytewise equal keys and equal values.
        public static func == (left: Entry, right: Entry) -> Bool {
            left.key.hasSameBytes(as: right.key) && left.value == right.value
        }

        /// Hashes the properties that `==` compares.
        public func hash(into hasher: inout Hasher) {
            key.hashBytes(into: &hasher)
            hasher.combine(value)
        }
    }

    /// The entries, sorted by key bytes, without duplicates.
    private var entries: [Entry]

    /// Creates an empty dictionary.
    public init() { entries = [] }

    /// Creates a dictionary from key-value pairs.
    ///
    /// - Parameter pairs: Pairs in any order. If two keys have the same bytes, the later pair wins.
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

    /// Creates a dictionary from entries that are already sorted by key bytes and have no duplicate keys.
    init(ascending entries: [Entry]) { self.entries = entries }

    /// Creates a stored dictionary from a Swift dictionary.
    ///
    /// - Parameter dictionary: The dictionary whose entries to copy.
    public init(_ dictionary: [String: StoredValue]) { self.init(dictionary.lazy.map { ($0.key, $0.value) }) }

    /// The value under `key`, or `nil` if there is no value.
    ///
    /// Setting `nil` removes the entry, whereas setting `.null` stores a null.
    public subscript(key: String) -> StoredValue? {
        get {
            let index = position(of: key)
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

    /// Returns the first position whose key is greater than or equal to `key`.
    private func position(of key: String) -> Int {
        entries.partitioningIndex { !$0.key.precedesByBytes(key) }
    }

    private func holds(_ key: String, at index: Int) -> Bool {
        index < entries.count && entries[index].key.hasSameBytes(as: key)
    }
}

extension StoredDictionary: RandomAccessCollection {
    /// The position of the first entry, which is always zero.
    public var startIndex: Int { entries.startIndex }
    /// The position after the last entry, which equals the number of entries.
    public var endIndex: Int { entries.endIndex }
    /// The entry at a position in key order.
    public subscript(position: Int) -> Entry { entries[position] }
}

extension StoredDictionary: Hashable {}

extension StoredDictionary: ExpressibleByDictionaryLiteral {
    /// Creates a dictionary from a literal.
    ///
    /// If two keys have the same bytes, the later entry wins.
    public init(dictionaryLiteral elements: (String, StoredValue)...) { self.init(elements.lazy.map { ($0.0, $0.1) }) }
}
