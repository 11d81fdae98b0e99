// Typed writes and strings as keys.
extension StoreBatch {
    /// Adds a write of `value` under `key`.
    ///
    /// - Parameters:
    ///   - value: Any storable value.
    ///   - key: The key.
    @inlinable @inline(__always)
    public mutating func set(_ value: some StorableValue, for key: consuming StoreKey) {
        write(value.storedValue, for: key)
    }

    /// Adds a write of `value` under `key`.
    ///
    /// - Parameters:
    ///   - value: Any storable value.
    ///   - key: The whole key.
    @inlinable
    public mutating func set(_ value: some StorableValue, for key: String) {
        write(value.storedValue, for: StoreKey(key))
    }

    /// Adds a write of `value` under `key`.
    ///
    /// - Parameters:
    ///   - value: Anything but `.null`.
    ///   - key: The whole key.
    @inlinable
    public mutating func set(_ value: StoredValue, for key: String) { write(value, for: StoreKey(key)) }

    /// Adds the removal of the value under `key`.
    ///
    /// - Parameter key: The whole key. Removing a missing key has no effect.
    public mutating func remove(_ key: String) { remove(StoreKey(key)) }
}
