/// A store whose file contains replaced and removed entries until the file is compacted.
package protocol CompactingStore: KeyValueStore {
    /// Rewrites the file with only the current entries.
    ///
    /// - Throws: ``StoreError`` if the file cannot be rewritten. A failed compaction does not change the store.
    func compact() throws
}
