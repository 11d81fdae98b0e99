/// A set of writes to commit atomically, with expectations that must hold at the time of the commit.
///
/// Pass a batch to `KeyValueStore.commit(_:durability:)`. Keys and values are not validated when they are added. The store validates the
/// whole batch before it changes anything.
public struct StoreBatch: Sendable {
    /// A condition that must hold at the time of the commit.
    public enum Expectation: Sendable {
        /// The key must hold the given value, or must be absent if the value is `nil`.
        case value(StoredValue?, at: StoreKey)
        /// The entries whose keys begin with the prefix must be exactly the given entries.
        case entries([StoreEntry], prefix: String)
    }

    /// A write or removal of a single key.
    public struct Write: Sendable {
        /// The key to write or remove.
        public let key: StoreKey
        /// The new value, or `nil` to remove the key.
        public let value: StoredValue?

        @inlinable @inline(__always)
        package init(_ value: consuming StoredValue?, for key: consuming StoreKey) {
            self.key = key
            self.value = value
        }
    }

    /// The expectations, in insertion order.
    public private(set) var expectations: [Expectation] = []
    /// The writes, in insertion order.
    ///
    /// If two writes have the same key, the later one wins.
    @inlinable public var writes: Writes { added }
    /// The storage of ``writes``, to which `@inlinable` code appends.
    @usableFromInline var added = Writes()
    /// The origin that is reported to observers of the commit.
    ///
    /// The default is `.thisProcess`. Bulk imports set another origin.
    public var origin: StoreChange.Origin = .thisProcess

    /// Creates an empty batch.
    public init() {}

    /// Reserves capacity for a known number of writes.
    ///
    /// A large batch gains little, because growing a batch copies only its first chunk.
    ///
    /// - Parameter count: The expected total number of writes.
    public mutating func reserveCapacity(_ count: Int) { added.reserveCapacity(count) }

    /// Requires `key` to hold `value` at the time of the commit.
    ///
    /// - Parameters:
    ///   - value: The expected value, or `nil` if the key must be absent.
    ///   - key: The key to check.
    public mutating func expect(_ value: StoredValue?, at key: StoreKey) {
        expectations.append(.value(value, at: key))
    }

    /// Requires the entries under `prefix` to be exactly `entries` at the time of the commit.
    ///
    /// - Parameters:
    ///   - entries: The entries, as returned by ``KeyValueStore/entries(prefix:)``.
    ///   - prefix: The prefix with which the entries were listed.
    public mutating func expect(_ entries: [StoreEntry], prefix: String) {
        expectations.append(.entries(entries, prefix: prefix))
    }

    /// Adds a write of `value` under `key` to the batch.
    ///
    /// - Parameters:
    ///   - value: The value to write, which must not be `.null`.
    ///   - key: The key to write.
    @inlinable @inline(__always)
    public mutating func set(_ value: consuming StoredValue, for key: consuming StoreKey) { write(value, for: key) }

    /// Adds a removal of `key` to the batch.
    ///
    /// - Parameter key: The key to remove. Removing a missing key has no effect.
    public mutating func remove(_ key: StoreKey) { write(nil, for: key) }

    /// Adds a write of `value` under `key` to the batch, or a removal of `key` if `value` is `nil`.
    ///
    /// - Parameters:
    ///   - value: The value to write, which must not be `.null`, or `nil` to remove the key.
    ///   - key: The key to write.
    @inlinable @inline(__always)
    public mutating func write(_ value: consuming StoredValue?, for key: consuming StoreKey) {
        if case .int(let integer)? = value {
            // The common case: an integer is canonical already.
            added.append(Write(.int(integer), for: key))
        } else {
            writeOther(value, for: key)
        }
    }

    @usableFromInline
    mutating func writeOther(_ value: consuming StoredValue?, for key: consuming StoreKey) {
        added.append(Write(value?.canonical, for: key))
    }

    /// Validates all keys and values in the batch, as a store does before it changes anything.
    ///
    /// - Throws: ``StoreError`` with code `keyTooLong`, `reservedKey` or `unsupportedValue` (`.null` at the top level, or nesting deeper
    ///   than ``StoredValue/maximumDepth``).
    public func validate() throws {
        for expectation in expectations {
            if case .value(_, let key) = expectation { try key.validate() }
        }
        for write in writes { try write.validate() }
    }
}

extension StoreBatch.Write {
    /// Validates the key and the value of this write, like ``StoreBatch/validate()``.
    package func validate() throws {
        try key.validate()
        try value?.validate(under: key)
    }
}

extension StoredValue {
    /// The maximum nesting depth of arrays and dictionaries: 64.
    public static let maximumDepth = 64

    /// Checks that this value is valid at the top level of a store.
    ///
    /// - Parameter key: The key to name in the error.
    /// - Throws: ``StoreError`` with code `unsupportedValue` if the value is `.null` or nested deeper than ``maximumDepth``.
    package func validate(under key: @autoclosure () -> StoreKey) throws {
        if case .null = self {
            throw StoreError.unsupportedValue(
                at: key(),
                reason: "null is valid only inside arrays and dictionaries",
                advice: "To store no value, remove the key"
            )
        }
        guard fitsDepth(Self.maximumDepth) else {
            throw StoreError.unsupportedValue(
                at: key(),
                reason: "it nests arrays and dictionaries more than \(Self.maximumDepth) levels deep"
            )
        }
    }

    /// Whether this value is a scalar in canonical form, which a store can accept without further checks.
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
