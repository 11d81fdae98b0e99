public import LarderCore

extension DefaultsAdapter {
    /// The names of all stored values that are this adapter's: written by its key store's adapters, or declared as stored
    /// properties of the key store.
    ///
    /// - Returns: The names, sorted by their bytes.
    /// - Throws: The error of a store that can't be read.
    public func storedNames() throws -> [String] { try exportValues().map(\.key) }

    /// The stored values that are this adapter's, at one moment.
    ///
    /// - Returns: The values by name, sorted by the bytes of the names. Defaults, layers and registered values are not among them.
    /// - Throws: The error of a store that can't be read.
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

    /// Writes values as ``exportValues()`` returned them, in one commit whose origin is `.imported`.
    ///
    /// Other values stay. What is imported counts as written by this adapter.
    ///
    /// - Parameter values: The values by name.
    /// - Throws: The store's error for a name or value that can't be stored; then nothing was changed.
    public func importValues(_ values: StoredDictionary) throws {
        let place = place
        try place.exclusively(values.map { StoreKey($0.key) }) {
            try place.store.transaction { transaction in
                transaction.origin = .imported
                for entry in values { try transaction.set(entry.value, for: StoreKey(entry.key)) }
            }
            for entry in values { place.written.insert(entry.key, of: KeyStoreIdentity(KeyStore.self)) }
        }
    }
}
