// Typed writes, and strings as keys.
extension StoreBatch {
    /// Adds a write of `value` under `key` to the batch.
    ///
    /// - Parameters:
    ///   - value: The value to write.
    ///   - key: The key to write.
    @inlinable
    public mutating func set(_ value: some StorableValue, for key: consuming StoreKey) {
        write(value.storedValue, for: key)
    }

    /// Adds a write of `value` under `key` to the batch.
    ///
    /// - Parameters:
    ///   - value: The value to write.
    ///   - key: The full key.
    @inlinable
    public mutating func set(_ value: some StorableValue, for key: String) {
        write(value.storedValue, for: StoreKey(key))
    }

    /// Adds a write of `value` under `key` to the batch.
    ///
    /// - Parameters:
    ///   - value: The value to write, which must not be `.null`.
    ///   - key: The full key.
    @inlinable
    public mutating func set(_ value: StoredValue, for key: String) { write(value, for: StoreKey(key)) }

    /// Adds the removal of the value under `key` to the batch.
    ///
    /// - Parameter key: The full key. Removing a missing key has no effect.
    public mutating func remove(_ key: String) { remove(StoreKey(key)) }
}
