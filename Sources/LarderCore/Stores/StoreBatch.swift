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
        public let key: StoreKey
        /// The new value, or `nil` to remove the key.
        public let value: StoredValue?
    }

    /// What must be true, in the order it was added.
    public private(set) var expectations: [Expectation] = []
    /// What is written, in the order it was added; of two writes to one key the later one counts.
    public private(set) var writes = Writes()
    /// Where the writes come from, as observers will see it.
    ///
    /// `.thisProcess` unless a bulk import says otherwise.
    public var origin: StoreChange.Origin = .thisProcess

    /// A batch that requires and writes nothing.
    public init() {}

    /// Makes room for writes, where their number is known; saves little in a large batch, which moves only the first of them as it grows.
    ///
    /// - Parameter count: How many there will be altogether.
    public mutating func reserveCapacity(_ count: Int) { writes.reserveCapacity(count) }

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
    public mutating func set(_ value: consuming StoredValue, for key: consuming StoreKey) { write(value, for: key) }

    /// Removes the value under `key`.
    ///
    /// - Parameter key: The key; a missing one is no error.
    public mutating func remove(_ key: consuming StoreKey) { write(nil, for: key) }

    /// Writes `value` under `key`, or removes it.
    ///
    /// - Parameters:
    ///   - value: Anything but `.null`; `nil` removes.
    ///   - key: The key.
    public mutating func write(_ value: consuming StoredValue?, for key: consuming StoreKey) {
        // Most values are integers, of which there is no other form; asked by `canonical` they would be copied once more (6 of 90 ns).
        if case .int? = value { return writes.append(Write(key: key, value: value)) }
        writes.append(Write(key: key, value: value?.canonical))
    }

    /// Checks every key and value, as a store does before it changes anything.
    ///
    /// - Throws: ``StoreError`` with code `keyTooLong`, `reservedKey` or `unsupportedValue` (`.null` at the top level, or
    ///   nesting deeper than ``StoredValue/maximumDepth``).
    public func validate() throws {
        for expectation in expectations {
            if case .value(_, let key) = expectation { try key.validate() }
        }
        // Most writes are seen to be good where they lie: to copy them costs more than to check them.
        try writes.forEachInPlace { _, write, _ in
            try write.pointee.validate()
            return true
        }
    }
}

extension StoreBatch.Write {
    /// Checks key and value, as ``StoreBatch/validate()`` does.
    package func validate() throws { if !isPlain { try validateClosely() } }

    /// Whether it needs no closer look to be seen to be good.
    private var isPlain: Bool { key.isPlain && value?.isPlain != false }

    @inline(never)
    private func validateClosely() throws {
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
    package func validate(under key: StoreKey) throws {
        if case .null = self {
            throw StoreError.unsupportedValue(
                at: key,
                reason: "null stands for nothing, and a missing value is stored by removing its key"
            )
        }
        guard fitsDepth(Self.maximumDepth) else {
            throw StoreError.unsupportedValue(
                at: key,
                reason: "it nests more than \(Self.maximumDepth) arrays or dictionaries"
            )
        }
    }

    /// Whether a store can keep this value as it is without a further look: it holds no others and has its one form.
    package var isPlain: Bool {
        switch self {
        case .bool, .int, .float, .double, .string, .url, .date, .data: true
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
