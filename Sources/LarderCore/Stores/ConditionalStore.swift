/// A store that can commit a single conditional write faster than a batch.
package protocol ConditionalStore: KeyValueStore {
    /// Writes `value` under `key` with ``Durability/buffered`` if `expectation` holds at the time of the commit.
    ///
    /// - Parameters:
    ///   - value: The value to write, which must not be `.null`.
    ///   - key: The key, which must pass ``StoreKey/validate()``.
    ///   - expectation: The condition for the write. Its key must also be valid, and the value under that key must not have an expiry time.
    ///   - isFresh: `true` if `key` never held an equal value and the caller owns the bytes of `value` exclusively. The store then neither
    ///     compares nor copies the value.
    /// - Returns: `true` if the value was written, or `false` if the expectation did not hold.
    /// - Throws: ``StoreError`` if the write fails. A failed write changes nothing.
    func set(
        _ value: StoredValue,
        for key: StoreKey,
        if expectation: StoreBatch.Expectation,
        isFresh: Bool
    ) throws -> Bool
}

extension StoreBatch {
    /// Returns a batch that writes `value` under `key` if `expectation` holds at the time of the commit.
    package static func setting(
        _ value: StoredValue,
        for key: StoreKey,
        if expectation: Expectation
    ) -> StoreBatch {
        var batch = setting(value, for: key)
        batch.expect(expectation)
        return batch
    }

    /// Requires `expectation` to hold at the time of the commit.
    mutating func expect(_ expectation: Expectation) {
        switch expectation {
        case .value(let value, let key): expect(value, at: key)
        case .entries(let entries, let prefix): expect(entries, prefix: prefix)
        }
    }
}
