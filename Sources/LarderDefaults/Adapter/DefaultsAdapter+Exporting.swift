public import LarderCore

extension DefaultsAdapter {
    /// Returns the names under which this adapter's keys have stored values.
    ///
    /// A key belongs to an adapter if an adapter with the same key store has written it, or if it is a stored property of the key store.
    ///
    /// - Returns: The names, sorted by their bytes.
    /// - Throws: The store's error if the store can't be read.
    public func storedNames() throws -> [String] { try exportValues().map(\.key) }

    /// Returns the values stored under this adapter's keys, read in one transaction.
    ///
    /// See ``storedNames()`` for which keys belong to an adapter.
    ///
    /// - Returns: The values, keyed by name and sorted by the bytes of the names. Defaults, registered values and values from layers are
    ///   not included.
    /// - Throws: The store's error if the store can't be read.
    public func exportValues() throws -> StoredDictionary {
        let place = place
        let names =
            try place.written.names(of: KeyStore.keyStoreName).map { StoreKey($0) }
            + declaredKeys.map { StoreKey($0._key) }
        return try place.store.transaction { transaction in
            var values: StoredDictionary = [:]
            for name in Set(names).sorted() {
                if let value = try transaction.get(name) { values[name.text] = value }
            }
            return values
        }
    }

    /// Writes values that ``exportValues()`` returned, in one commit whose origin is `.imported`.
    ///
    /// Other values are unchanged. The imported keys are recorded as written by this adapter.
    ///
    /// - Parameter values: The values to write, keyed by the names of their keys.
    /// - Throws: The store's error if a name or a value can't be stored. A failed import changes nothing.
    public func importValues(_ values: StoredDictionary) throws {
        let place = place
        try place.exclusively(values.map { StoreKey($0.key) }) {
            try place.store.transaction { transaction in
                transaction.origin = .imported
                for entry in values { try transaction.set(entry.value, for: StoreKey(entry.key)) }
            }
            for entry in values { place.written.insert(StoreKey(entry.key), of: identity) }
        }
    }
}
