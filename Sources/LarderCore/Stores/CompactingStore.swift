/// A store whose file holds what was replaced or removed until the store is compacted.
package protocol CompactingStore: KeyValueStore {
    /// Writes the file anew with only what is current.
    ///
    /// - Throws: ``StoreError``; then the store is as it was.
    func compact() throws
}
