/// One key of a store and the value under it.
public struct StoreEntry: Sendable, Hashable {
    /// The whole key, prefix included.
    public let key: String
    /// The value, exactly as it was set.
    public let value: StoredValue

    /// An entry.
    ///
    /// - Parameters:
    ///   - key: The whole key.
    ///   - value: Its value.
    public init(key: String, value: StoredValue) {
        self.key = key
        self.value = value
    }

    /// Compares keys by bytes and values by ``StoredValue`` identity.
    public static func == (left: StoreEntry, right: StoreEntry) -> Bool {
        left.key.hasSameBytes(as: right.key) && left.value == right.value
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        key.hashBytes(into: &hasher)
        hasher.combine(value)
    }
}
