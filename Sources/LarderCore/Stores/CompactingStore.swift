/// A store whose file contains replaced and removed entries until it is compacted.
package protocol CompactingStore: KeyValueStore {
    /// Rewrites the file with only the current entries.
    ///
    /// - Throws: ``StoreError`` if the file cannot be rewritten. The store is unchanged in that case.
    func compact() throws
}
