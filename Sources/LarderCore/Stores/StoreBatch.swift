/// What one commit requires and writes; see `KeyValueStore.commit(_:durability:)`.
///
/// Adding to a batch checks nothing; the store checks all of it before it changes anything.
public struct StoreBatch: Sendable {
    /// What must be true at the moment of the commit.
    public enum Expectation: Sendable {
        /// The value under the key is this one; `nil` for none.
        case value(StoredValue?, at: StoreKey)
        /// The entries under the prefix are exactly these.
        case entries([StoreEntry], prefix: String)
    }

    /// One key and what it becomes: `nil` removes it.
    public struct Write: Sendable {
        /// The key.
        ///
        /// Read out of a batch it has its prefix and its name in one piece.
        public let key: StoreKey
        /// The new value, or `nil` to remove the key.
        public let value: StoredValue?
    }

    /// What must be true, in the order it was added.
    public private(set) var expectations: [Expectation] = []
    /// What is written, in the order it was added; of two writes to one key the later one counts.
    @inlinable public var writes: Writes { recorded }
    /// What ``writes`` shows; apart from it, because what is compiled into other modules adds to it.
    @usableFromInline var recorded = Writes()
    /// Where the writes come from, as observers will see it.
    ///
    /// `.thisProcess` unless a bulk import says otherwise.
    public var origin: StoreChange.Origin = .thisProcess

    /// A batch that requires and writes nothing.
    public init() {}

    /// Makes room for writes, where their number is known; saves little in a large batch, which moves only the first of them as it grows.
    ///
    /// - Parameter count: How many there will be altogether.
    public mutating func reserveCapacity(_ count: Int) { recorded.reserveCapacity(count) }

    /// Requires the value under `key` to be `value` at the moment of the commit.
    ///
    /// - Parameters:
    ///   - value: The value, or `nil` for none.
    ///   - key: The key.
    public mutating func expect(_ value: StoredValue?, at key: StoreKey) {
        expectations.append(.value(value, at: key))
    }

    /// Requires the entries under `prefix` to be exactly `entries` at the moment of the commit.
    ///
    /// - Parameters:
    ///   - entries: As ``KeyValueStore/entries(prefix:)`` returned them.
    ///   - prefix: The prefix they were listed by.
    public mutating func expect(_ entries: [StoreEntry], prefix: String) {
        expectations.append(.entries(entries, prefix: prefix))
    }

    /// Writes `value` under `key`.
    ///
    /// - Parameters:
    ///   - value: Anything but `.null`.
    ///   - key: The key.
    @inlinable @inline(__always)
    public mutating func set(_ value: consuming StoredValue, for key: consuming StoreKey) { write(value, for: key) }

    /// Removes the value under `key`.
    ///
    /// - Parameter key: The key; a missing one is no error.
    public mutating func remove(_ key: StoreKey) { writeOther(nil, for: key) }

    /// Writes `value` under `key`, or removes it.
    ///
    /// - Parameters:
    ///   - value: Anything but `.null`; `nil` removes.
    ///   - key: The key.
    @inlinable @inline(__always)
    public mutating func write(_ value: consuming StoredValue?, for key: consuming StoreKey) {
        // Most values are integers, of which there is no other form, and most keys short: of those no references are counted, for
        // the key is not held any more when anything is called.
        if case .int(let integer)? = value, let short = key.shortName {
            let hashOrKind = key.hashOrKind
            _ = consume key
            recorded.append(integer, for: short, hashOrKind)
        } else {
            writeOther(value, for: key)
        }
    }

    @usableFromInline @inline(never)
    mutating func writeOther(_ value: consuming StoredValue?, for key: StoreKey) {
        // Asked by `canonical`, an integer would be copied once more.
        if case .int? = value { return recorded.append(value, for: key) }
        recorded.append(value?.canonical, for: key)
    }

    /// Checks every key and value, as a store does before it changes anything.
    ///
    /// - Throws: ``StoreError`` with code `keyTooLong`, `reservedKey` or `unsupportedValue` (`.null` at the top level, or
    ///   nesting deeper than ``StoredValue/maximumDepth``).
    public func validate() throws {
        for expectation in expectations {
            if case .value(_, let key) = expectation { try key.validate() }
        }
        try recorded.forEachRecord { _, record in
            try recorded.validate(record)
            return true
        }
    }
}

extension StoreBatch.Write {
    /// Checks key and value, as ``StoreBatch/validate()`` does.
    package func validate() throws {
        try key.validate()
        try value?.validate(under: key)
    }
}

extension StoredValue {
    /// How many arrays and dictionaries may lie inside one another: 64.
    public static let maximumDepth = 64

    /// Checks that this value may stand at the top level of a store.
    ///
    /// - Parameter key: Named in the error.
    /// - Throws: ``StoreError`` with code `unsupportedValue`.
    package func validate(under key: @autoclosure () -> StoreKey) throws {
        if case .null = self {
            throw StoreError.unsupportedValue(
                at: key(),
                reason: "null stands for nothing, and a missing value is stored by removing its key"
            )
        }
        guard fitsDepth(Self.maximumDepth) else {
            throw StoreError.unsupportedValue(
                at: key(),
                reason: "it nests more than \(Self.maximumDepth) arrays or dictionaries"
            )
        }
    }

    /// Whether a store can keep this value as it is without a further look: it holds no others and has its one form for sure.
    @inlinable package var isPlain: Bool {
        switch self {
        case .bool, .int, .string, .url, .data: true
        case .float(let number): !number.isNaN
        case .double(let number): !number.isNaN
        case .date(let date): !date.isNaN
        case .unsigned(let number): number > UInt64(Int64.max)
        case .array, .dictionary, .null: false
        }
    }

    private func fitsDepth(_ remaining: Int) -> Bool {
        switch self {
        case .array(let elements): remaining > 0 && elements.allSatisfy { $0.fitsDepth(remaining - 1) }
        case .dictionary(let entries): remaining > 0 && entries.allSatisfy { $0.value.fitsDepth(remaining - 1) }
        default: true
        }
    }
}
