/// A key-value pair in a store.
public struct StoreEntry: Sendable, Hashable {
    /// The full key, including the prefix.
    public let key: String
    /// The value, exactly as it was set.
    public let value: StoredValue

    /// Creates an entry from a key and a value.
    ///
    /// - Parameters:
    ///   - key: The full key.
    ///   - value: The value under the key.
    public init(key: String, value: StoredValue) {
        self.key = key
        self.value = value
    }

    /// Returns whether two entries have bytewise equal keys and equal values.
    public static func == (left: StoreEntry, right: StoreEntry) -> Bool {
        left.key.hasSameBytes(as: right.key) && left.value == right.value
    }

    /// Hashes the properties that `==` compares.
    public func hash(into hasher: inout Hasher) {
        key.hashBytes(into: &hasher)
        hasher.combine(value)
    }
}
