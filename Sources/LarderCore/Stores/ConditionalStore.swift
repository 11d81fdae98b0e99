/// A store that commits one write under one expectation faster than a batch of both.
package protocol ConditionalStore: KeyValueStore {
    /// Writes `value` under `key` if `expectation` holds at the moment of the commit, with ``Durability/buffered``.
    ///
    /// - Parameters:
    ///   - value: Anything but `.null`.
    ///   - key: Checked by ``StoreKey/validate()``.
    ///   - expectation: What must hold; its key is checked as well, and holds a value that does not expire.
    ///   - isFresh: Whether `key` never held an equal value and no one else has the bytes of `value`: then the store neither compares nor
    ///     copies it.
    /// - Returns: `false` if the expectation did not hold; then nothing was changed.
    /// - Throws: ``StoreError``; then nothing was changed.
    func set(
        _ value: StoredValue,
        for key: StoreKey,
        if expectation: StoreBatch.Expectation,
        isFresh: Bool
    ) throws -> Bool
}

extension StoreBatch {
    /// Returns a batch of one write under one expectation.
    package static func setting(
        _ value: StoredValue,
        for key: StoreKey,
        if expectation: Expectation
    ) -> StoreBatch {
        var batch = setting(value, for: key)
        batch.expect(expectation)
        return batch
    }

    /// Requires `expectation` to hold at the moment of the commit.
    mutating func expect(_ expectation: Expectation) {
        switch expectation {
        case .value(let value, let key): expect(value, at: key)
        case .entries(let entries, let prefix): expect(entries, prefix: prefix)
        }
    }
}
